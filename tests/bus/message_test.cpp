#include <ferry/message.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace shop {

struct order_placed {
    std::string order_id;
};

struct order_moved {
    static constexpr std::string_view message_name = "orders.moved";
    static constexpr int message_version = 2;
    using encloses = ferry::message_list<order_placed>;
    std::string order_id;
    std::string place;
};

struct order_moved_again {
    using encloses = ferry::message_list<order_moved, order_placed>; // order_placed twice: order_moved encloses it
    std::string order_id;
};

struct sealed { // cannot be touched, so its traits stand outside
    int number = 0;
};

/// Not reflectable: nothing but its own codec can write it.
class reading {
public:
    [[nodiscard]] int value() const { return value_; }
    void set(int value) { value_ = value; }

private:
    int value_ = 0;
};

class reading_codec final : public ferry::message_codec {
public:
    [[nodiscard]] std::string_view content_type() const noexcept override { return "text/x-reading"; }
    void encode(const void* message, ferry::buffer& out) const override {
        out.append(std::to_string(static_cast<const reading*>(message)->value()));
    }
    void decode(const ferry::buffer& body, void* message) const override {
        static_cast<reading*>(message)->set(std::stoi(std::string{body.view()}));
    }
};

/// Read in the old format as well as in the new one, which is what it is written in.
struct tide {
    int centimetres = 0;
};

class tide_text_codec final : public ferry::message_codec {
public:
    [[nodiscard]] std::string_view content_type() const noexcept override { return "text/x-tide"; }
    void encode(const void* message, ferry::buffer& out) const override {
        out.append(std::to_string(static_cast<const tide*>(message)->centimetres) + " cm");
    }
    void decode(const ferry::buffer& body, void* message) const override {
        static_cast<tide*>(message)->centimetres = std::stoi(std::string{body.view()});
    }
};

} // namespace shop

template <> struct ferry::message_traits<shop::sealed> {
    static constexpr std::string_view name = "parts.sealed";
    static constexpr int version = 0;
    static constexpr ferry::message_list<> encloses{};
};

template <> struct ferry::message_codecs<shop::reading> {
    using list = ferry::codec_list<shop::reading_codec>;
};

template <> struct ferry::message_codecs<shop::tide> {
    using list = ferry::codec_list<ferry::json_codec<shop::tide>, shop::tide_text_codec>;
};

namespace ferry {
namespace {

TEST(MessageType, is_named_after_its_cpp_type) {
    const message_type& type = message_type::of<shop::order_placed>();
    EXPECT_EQ(type.urn, "urn:message:shop:order-placed");
    EXPECT_EQ(type.name, "shop.order-placed");
    EXPECT_EQ(type.short_name, "order-placed");
}

TEST(MessageType, states_its_own_name_and_version) {
    const message_type& type = message_type::of<shop::order_moved>();
    EXPECT_EQ(type.urn, "urn:message:orders.moved.v2");
    EXPECT_EQ(type.name, "orders.moved.v2");
}

TEST(MessageType, takes_its_traits_from_outside_when_it_cannot_be_touched) {
    EXPECT_EQ(message_type::of<shop::sealed>().urn, "urn:message:parts.sealed");
}

TEST(MessageType, lists_the_types_it_can_be_read_as) { // B8
    const message_type& type = message_type::of<shop::order_moved>();
    EXPECT_TRUE(std::ranges::contains(type.encloses, &message_type::of<shop::order_placed>()));
}

TEST(MessageType, lists_what_the_types_it_encloses_can_be_read_as_once) { // B8
    EXPECT_EQ(message_type::of<shop::order_moved_again>().encloses,
              (std::vector{&message_type::of<shop::order_moved>(), &message_type::of<shop::order_placed>()}));
}

TEST(MessageType, is_one_object_for_each_type) {
    EXPECT_EQ(&message_type::of<shop::order_placed>(), &message_type::of<shop::order_placed>());
    EXPECT_NE(&message_type::of<shop::order_placed>(), &message_type::of<shop::order_moved>());
}

TEST(MessageType, finds_its_codec_by_content_type) {
    const message_type& type = message_type::of<shop::order_placed>();
    const message_codec* json = &type.default_codec();
    EXPECT_EQ(type.codec_for("application/json"), json);
    EXPECT_EQ(type.codec_for("Application/JSON; charset=utf-8"), json);
    EXPECT_EQ(type.codec_for(""), json) << "nothing stated";
    EXPECT_EQ(type.codec_for("application/xml"), nullptr);
}

TEST(MessageType, brings_a_codec_of_its_own) {
    const message_type& type = message_type::of<shop::reading>();
    ASSERT_EQ(type.default_codec().content_type(), "text/x-reading");
    shop::reading sent;
    sent.set(42);
    buffer body;
    type.default_codec().encode(&sent, body);
    shop::reading received;
    type.default_codec().decode(body, &received);
    EXPECT_EQ(received.value(), 42);
}

TEST(MessageType, writes_with_the_first_of_its_codecs) {
    const message_type& type = message_type::of<shop::tide>();
    buffer body;
    const shop::tide high{310};
    type.default_codec().encode(&high, body);
    EXPECT_EQ(body.view(), R"({"centimetres":310})");
}

TEST(MessageType, reads_with_the_codec_of_the_content_type) {
    const message_type& type = message_type::of<shop::tide>();
    const auto read = [&](std::string_view content_type, std::string_view text) {
        shop::tide found;
        type.codec_for(content_type)->decode(buffer{text}, &found);
        return found.centimetres;
    };
    EXPECT_EQ(read("application/json", R"({"centimetres":310})"), 310);
    EXPECT_EQ(read("text/x-tide", "-40 cm"), -40);
    EXPECT_EQ(read("Text/X-Tide; charset=utf-8", "7 cm"), 7);
    EXPECT_EQ(read("", R"({"centimetres":1})"), 1) << "nothing stated: the first";
    EXPECT_EQ(type.codec_for("text/plain"), nullptr);
}

} // namespace
} // namespace ferry
