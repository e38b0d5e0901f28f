#include <ferry/json/json_path.hpp>

namespace ferry {

namespace {

void append_field(std::string& path, std::string_view name) {
    if (!path.empty()) {
        path += '.';
    }
    path += name;
}

} // namespace

void append_step(std::string& path, const json_step& step) {
    switch (step.kind) {
    case json_step_kind::none:
        return;
    case json_step_kind::field:
        return append_field(path, step.text);
    case json_step_kind::key:
        path.append("{").append(std::to_string(step.index)).append("}");
        return;
    case json_step_kind::element:
        path.append("[").append(std::to_string(step.index)).append("]");
        return;
    }
}

} // namespace ferry
