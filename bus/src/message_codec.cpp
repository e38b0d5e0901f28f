#include <ferry/message_codec.hpp>

#include <utility>

namespace ferry {

namespace {

std::string at(const std::string& path, const std::string& reason) {
    return path.empty() ? reason : path + ": " + reason;
}

} // namespace

decode_error::decode_error(std::string path, const std::string& reason)
    : error{at(path, reason)}, path_{std::move(path)} {}

encode_error::encode_error(std::string path, const std::string& reason)
    : error{at(path, reason)}, path_{std::move(path)} {}

} // namespace ferry
