#pragma once

#include <ferry/json/json_codec.hpp>

#include <string>
#include <string_view>

namespace ferry::testing {

/// A message with one field, to see a type in.
template <typename Type> struct box {
    Type value{};

    friend bool operator==(const box&, const box&) = default;
};

template <typename Message> std::string to_json(const Message& message) {
    buffer out;
    json_codec<Message>{}.encode(&message, out);
    return std::string{out.view()};
}

template <json_policy Policy = json_policy{}, typename Message>
void read_into(Message& message, std::string_view json) {
    json_codec<Message, Policy>{}.decode(buffer{json}, &message);
}

template <typename Message, json_policy Policy = json_policy{}> Message from_json(std::string_view json) {
    Message message;
    read_into<Policy>(message, json);
    return message;
}

/// How the value looks in JSON.
template <typename Type> std::string written(const Type& value) {
    const std::string json = to_json(box<Type>{value});
    return json.substr(9, json.size() - 10); // without {"value": and }
}

/// The value that the JSON stands for.
template <typename Type> Type read(std::string_view json) {
    return from_json<box<Type>>("{\"value\":" + std::string{json} + "}").value;
}

/// What is said about JSON that cannot be read: "path: reason".
template <typename Message, json_policy Policy = json_policy{}> std::string problem(std::string_view json) {
    try {
        from_json<Message, Policy>(json);
    } catch (const decode_error& problem) {
        EXPECT_TRUE(problem.path().empty() || std::string_view{problem.what()}.starts_with(problem.path() + ": "));
        EXPECT_FALSE(problem.is_transient());
        return problem.what();
    }
    return "no problem";
}

template <typename Type> std::string value_problem(std::string_view json) {
    return problem<box<Type>>("{\"value\":" + std::string{json} + "}");
}

/// What is said about a message that cannot be written.
template <typename Message> std::string write_problem(const Message& message) {
    try {
        to_json(message);
    } catch (const encode_error& problem) {
        return problem.what();
    }
    return "no problem";
}

template <typename Type> void expect_round_trip(const Type& value) { EXPECT_EQ(read<Type>(written(value)), value); }

} // namespace ferry::testing
