#pragma once

#include <ferry/json/json_reader.hpp>
#include <ferry/json/json_writer.hpp>

namespace ferry {

/// How a type looks in JSON. ferry knows the types of docs/messages.md; to teach it another one, specialise this with
/// the same two functions.
template <typename Type> struct json_format {
    static constexpr bool known = false;

    static_assert(known, "ferry: this type has no JSON form: a message may hold the types listed in docs/messages.md, "
                         "aggregates of them, and classes described with BOOST_DESCRIBE_STRUCT");

    static void write(json_writer&, const Type&) {}
    static void read(json_reader&, Type&) {}
};

template <typename Type> void write_json(json_writer& out, const Type& value) { json_format<Type>::write(out, value); }

template <typename Type> void read_json(json_reader& in, Type& value) { json_format<Type>::read(in, value); }

} // namespace ferry
