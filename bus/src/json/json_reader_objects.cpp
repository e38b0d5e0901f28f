#include "json_reader_state.hpp"

#include <cstring>
#include <utility>

namespace ferry {

void json_reader::begin_object() {
    state& s = *state_;
    check_depth();
    simdjson::ondemand::object object;
    s.check(s.value.get_object().get(object), "an object");
    json_level level{};
    s.check(object.begin().get(level.fields));
    s.levels.push_back(level);
}

void json_reader::begin_array() {
    state& s = *state_;
    check_depth();
    simdjson::ondemand::array array;
    s.check(s.value.get_array().get(array), "an array");
    json_level level{};
    s.check(array.begin().get(level.elements));
    s.levels.push_back(level);
}

void json_reader::check_depth() const {
    if (state_->levels.size() >= policy_.max_depth) {
        fail("the message is nested deeper than the limit of " + std::to_string(policy_.max_depth) + " levels");
    }
}

bool json_reader::next_field() {
    state& s = *state_;
    json_level& level = s.levels.back();
    if (std::exchange(level.started, true)) {
        ++level.fields;
        ++level.step.index;
    }
    if (level.fields == simdjson::ondemand::object_iterator{}) {
        s.levels.pop_back();
        return false;
    }
    simdjson::ondemand::field field;
    s.check((*level.fields).get(field));
    level.step.kind = json_step_kind::key;
    level.step.text = field.escaped_key();
    if (std::memchr(level.step.text.data(), '\\', level.step.text.size()) != nullptr) [[unlikely]] {
        s.check(field.unescaped_key().get(level.step.text));
    }
    s.value = field.value();
    return true;
}

std::string_view json_reader::key() const noexcept { return state_->levels.back().step.text; }

void json_reader::key_is_known() noexcept { state_->levels.back().step.kind = json_step_kind::field; }

bool json_reader::next_element() {
    state& s = *state_;
    json_level& level = s.levels.back();
    if (std::exchange(level.started, true)) {
        ++level.elements;
        ++level.step.index;
    }
    if (level.elements == simdjson::ondemand::array_iterator{}) {
        s.levels.pop_back();
        return false;
    }
    level.step.kind = json_step_kind::element;
    s.check((*level.elements).get(s.value));
    return true;
}

void json_reader::read_object(void* object, const json_shape& shape) {
    json_seen seen;
    std::size_t likely = 0;
    begin_object();
    while (next_field()) {
        const std::size_t index = shape.find(key(), likely);
        if (index == json_shape::unknown) {
            skip();
            continue;
        }
        key_is_known();
        shape.fields[index].read(*this, object);
        seen.insert(index);
        likely = index + 1;
    }
    if (seen.count() < shape.fields.size()) {
        complete(object, shape, seen);
    }
}

void json_reader::complete(void* object, const json_shape& shape, const json_seen& seen) {
    if (policy_.missing_fields == when_missing::fail) {
        for (std::size_t index = 0; index < shape.fields.size(); ++index) {
            if (shape.fields[index].required && !seen.contains(index)) {
                state_->levels.push_back({.step = {.kind = json_step_kind::field, .text = shape.fields[index].name}});
                fail("the field is missing");
            }
        }
    }
    shape.reset_missing(object, seen);
}

void json_reader::skip() {
    state& s = *state_;
    simdjson::ondemand::json_type type{};
    s.check(s.value.type().get(type));
    switch (type) {
    case simdjson::ondemand::json_type::object:
        return skip_object();
    case simdjson::ondemand::json_type::array:
        return skip_array();
    case simdjson::ondemand::json_type::string:
        return static_cast<void>(read_string());
    case simdjson::ondemand::json_type::boolean:
        return static_cast<void>(read_bool());
    case simdjson::ondemand::json_type::null:
        return s.check(read_null() ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR);
    case simdjson::ondemand::json_type::number:
        return s.check(is_json_number(s.token()) ? simdjson::SUCCESS : simdjson::NUMBER_ERROR);
    }
}

void json_reader::skip_object() {
    begin_object();
    while (next_field()) {
        skip();
    }
}

void json_reader::skip_array() {
    begin_array();
    while (next_element()) {
        skip();
    }
}

} // namespace ferry
