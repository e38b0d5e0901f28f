#pragma once

#include <ferry/json/json_choices.hpp>
#include <ferry/json/json_object.hpp>
#include <ferry/message_codec.hpp>

namespace ferry {

/// Carries messages of one type as JSON objects. It has no state, so one codec serves any number of threads.
template <typename Message, json_policy Policy = json_policy{}> class json_codec final : public message_codec {
    static_assert(json_object<Message>,
                  "ferry: this message cannot be reflected: make it an aggregate without base classes, or describe its "
                  "members with BOOST_DESCRIBE_STRUCT");

public:
    [[nodiscard]] std::string_view content_type() const noexcept override { return "application/json"; }

    void encode([[maybe_unused]] const void* message, [[maybe_unused]] buffer& out) const override {
        if constexpr (json_object<Message>) {
            json_writer writer{out, Policy};
            write_json(writer, *static_cast<const Message*>(message));
            writer.finish();
        }
    }

    void decode([[maybe_unused]] const buffer& body, [[maybe_unused]] void* message) const override {
        if constexpr (json_object<Message>) {
            json_reader reader{body, Policy};
            read_json(reader, *static_cast<Message*>(message));
            reader.finish();
        }
    }
};

} // namespace ferry
