#include <ferry/json/json_path.hpp>

namespace ferry {

namespace {

constexpr std::size_t longest_excerpt = 60;

void append_field(std::string& path, std::string_view name) {
    if (!path.empty()) {
        path += '.';
    }
    path += json_excerpt(name);
}

bool is_inside_a_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

} // namespace

void append_step(std::string& path, const json_step& step) {
    switch (step.kind) {
    case json_step_kind::none:
        return;
    case json_step_kind::field:
        return append_field(path, step.text);
    case json_step_kind::key:
        path.append("[\"").append(json_excerpt(step.text)).append("\"]");
        return;
    case json_step_kind::element:
        path.append("[").append(std::to_string(step.index)).append("]");
        return;
    }
}

std::string json_excerpt(std::string_view text) {
    if (text.size() <= longest_excerpt) {
        return std::string{text};
    }
    std::size_t size = longest_excerpt;
    while (size > 0 && is_inside_a_character(text[size])) {
        --size;
    }
    return std::string{text.substr(0, size)} + "...";
}

} // namespace ferry
