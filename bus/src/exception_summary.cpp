#include "json/utf8.hpp"

#include <ferry/exception_summary.hpp>

#include <boost/core/demangle.hpp>
#include <cxxabi.h>

#include <typeinfo>

namespace ferry {

namespace {

// For what is no std::exception: the type is known to the runtime all the same, the text is not.
std::string current_type() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return type == nullptr ? "unknown" : boost::core::demangle(type->name());
}

} // namespace

exception_summary summary_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& known) {
        return {boost::core::demangle(typeid(known).name()), repaired_utf8(known.what())};
    } catch (...) {
        const std::string type = current_type();
        return {type, "an exception of type " + type + ", which is no std::exception and has no text"};
    }
}

} // namespace ferry
