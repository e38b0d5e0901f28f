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
        type.version_mark = ".v" + std::to_string(version);
        for (std::string* each : {&type.urn, &type.name, &type.short_name}) {
            *each += type.version_mark;
        }
    }
    return type;
}

// All levels in one list: an envelope says whom it is for to those who do not know its type.
void message_type::enclose(const message_type& base) {
    const auto add = [this](const message_type* type) {
        if (!std::ranges::contains(encloses, type)) {
            encloses.push_back(type);
        }
    };
    add(&base);
    std::ranges::for_each(base.encloses, add);
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
