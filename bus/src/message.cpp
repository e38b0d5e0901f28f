#include <ferry/error.hpp>
#include <ferry/message.hpp>

#include <algorithm>

namespace ferry {

namespace {

constexpr std::string_view urn_prefix = "urn:message:";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    const auto last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, last - first + 1);
}

bool same_content_type(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

} // namespace

address message_type::destination_of(std::string_view text) {
    if (text.empty()) {
        return {};
    }
    if (const std::optional<address> stated = address::parse(text)) {
        return *stated;
    }
    throw error{"a message says that it is sent to '" + std::string{text} +
                "', which is no address; write queue:NAME or exchange:NAME"};
}

message_type message_type::described(std::string_view cpp_name, std::string_view stated_name, int version) {
    message_type type;
    type.cpp_name = own_name(cpp_name);
    if (stated_name.empty()) {
        type.urn = type_urn(cpp_name);
        type.name = type.urn.substr(urn_prefix.size());
        std::ranges::replace(type.name, ':', '.');
        type.short_name = type.name.substr(type.name.rfind('.') + 1);
    } else {
        type.name = stated_name;
        type.short_name = stated_name;
        type.urn = std::string{urn_prefix} + type.name;
    }
    if (version > 0) {
        const std::string suffix = ".v" + std::to_string(version);
        for (std::string* each : {&type.urn, &type.name, &type.short_name}) {
            *each += suffix;
        }
    }
    return type;
}

const message_codec* message_type::codec_for(std::string_view content_type) const noexcept {
    const std::string_view wanted = trimmed(content_type.substr(0, content_type.find(';')));
    if (wanted.empty()) {
        return codecs.front();
    }
    const auto found = std::ranges::find_if(
        codecs, [&](const message_codec* each) { return same_content_type(each->content_type(), wanted); });
    return found == codecs.end() ? nullptr : *found;
}

} // namespace ferry
