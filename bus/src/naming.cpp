#include <ferry/message.hpp>
#include <ferry/naming.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ferry {

namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A word begins at a capital after a small letter or digit (orderPlaced), and at the last capital of a run that a small
// letter follows (HTTPServer: the S).
bool word_begins(std::string_view name, std::size_t at) {
    if (at == 0 || !is_upper(name[at])) {
        return false;
    }
    const bool after_word = is_lower(name[at - 1]) || is_digit(name[at - 1]);
    const bool ends_acronym = is_upper(name[at - 1]) && at + 1 < name.size() && is_lower(name[at + 1]);
    return after_word || ends_acronym;
}

void add_dash(std::string& out) {
    if (!out.empty() && out.back() != '-') {
        out.push_back('-');
    }
}

template <std::size_t Count>
std::string without_suffix(std::string name, const std::array<std::string_view, Count>& suffixes) {
    for (const std::string_view suffix : suffixes) {
        if (name.size() > suffix.size() && name.ends_with(suffix)) {
            name.erase(name.size() - suffix.size());
            break;
        }
    }
    return name;
}

constexpr std::array<std::string_view, 2> handler_suffixes{"-handler", "-consumer"};
constexpr std::array<std::string_view, 5> message_suffixes{"-message", "-command", "-event", "-query", "-response"};

// The last `::` that is not inside template arguments.
std::size_t namespace_end(std::string_view cpp_name) {
    const std::size_t limit = cpp_name.find('<');
    return cpp_name.rfind("::", limit == std::string_view::npos ? limit : limit - 1);
}

} // namespace

std::string kebab_case(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
            add_dash(out);
            continue;
        }
        if (word_begins(name, i)) {
            add_dash(out);
        }
        out.push_back(is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c);
    }
    while (!out.empty() && out.back() == '-') {
        out.pop_back();
    }
    return out;
}

std::string without_anonymous_namespaces(std::string_view cpp_name) {
    std::string name{cpp_name};
    for (const std::string_view mark : {"{anonymous}::", "(anonymous namespace)::"}) {
        for (auto at = name.find(mark); at != std::string::npos; at = name.find(mark, at)) {
            name.erase(at, mark.size());
        }
    }
    return name;
}

std::string type_urn(std::string_view marked_name) {
    const std::string named = without_anonymous_namespaces(marked_name);
    const std::string_view cpp_name = named;
    const std::size_t split = namespace_end(cpp_name);
    std::string urn{"urn:message:"};
    if (split == std::string_view::npos) {
        return urn.append(kebab_case(cpp_name));
    }
    std::string_view scopes = cpp_name.substr(0, split);
    while (!scopes.empty()) {
        const std::size_t end = scopes.find("::");
        urn.append(kebab_case(scopes.substr(0, end)));
        scopes = end == std::string_view::npos ? std::string_view{} : scopes.substr(end + 2);
        urn.push_back(scopes.empty() ? ':' : '.');
    }
    return urn.append(kebab_case(cpp_name.substr(split + 2)));
}

std::string own_name(std::string_view cpp_name) {
    const std::size_t split = namespace_end(cpp_name);
    return std::string{split == std::string_view::npos ? cpp_name : cpp_name.substr(split + 2)};
}

std::string naming::exchange(const message_type& message) const { return message.name; }

std::string naming::message_queue(const message_type& message) const {
    std::string name = message.short_name;
    name.resize(name.size() - message.version_mark.size());
    return without_suffix(std::move(name), message_suffixes) + message.version_mark;
}

std::string naming::handler(std::string_view cpp_name, const message_type& message) const {
    return cpp_name.empty() ? message_queue(message) : without_suffix(kebab_case(own_name(cpp_name)), handler_suffixes);
}

std::string naming::subscriber_queue(std::string_view service, std::string_view handler) const {
    return std::string{service} + "." + std::string{handler};
}

std::string naming::reply_queue(std::string_view service, std::string_view instance) const {
    return std::string{service} + ".replies." + std::string{instance};
}

std::string naming::error_queue(std::string_view queue) const { return std::string{queue} + "_error"; }
std::string naming::skipped_queue(std::string_view queue) const { return std::string{queue} + "_skipped"; }

std::string styled_naming::message_queue(const message_type& message) const {
    if (style_ == name_style::type_name) {
        return prefix_ + message.cpp_name;
    }
    std::string queue = naming::message_queue(message);
    if (style_ == name_style::snake) {
        std::ranges::replace(queue, '-', '_');
    }
    return prefix_ + queue;
}

} // namespace ferry
