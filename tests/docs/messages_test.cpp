// What docs/messages.md shows of messages that say more of themselves than their fields.

#include <ferry/message.hpp>
#include <ferry/naming.hpp>

#include <gtest/gtest.h>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace labels {

// #region names
struct print_label_v2 {
    static constexpr std::string_view message_name = "labels.print";
    static constexpr int message_version = 2;
    static constexpr std::string_view message_destination = "queue:label-printer";

    std::string order_id;
    int copies = 1;
};
// #endregion

} // namespace labels

namespace carrier {

struct parcel_scanned {
    std::string parcel_id;
};

} // namespace carrier

// #region traits
template <> struct ferry::message_traits<carrier::parcel_scanned> {
    static constexpr std::string_view name = "carrier.scan";
    static constexpr int version = 0;
    static constexpr ferry::message_list<> encloses{};
};
// #endregion

namespace orders {

// #region encloses
struct order_placed {
    std::string order_id;
    int quantity = 1;
};

struct express_order_placed {
    using encloses = ferry::message_list<order_placed>; // and what that one encloses

    std::string order_id;
    int quantity = 1;
    std::string courier;
};
// #endregion

} // namespace orders

namespace harbour {

// #region codec
struct tide {
    int centimetres = 0;
};

/// "310 cm"
class tide_codec final : public ferry::message_codec {
public:
    [[nodiscard]] std::string_view content_type() const noexcept override { return "text/x-tide"; }

    void encode(const void* message, ferry::buffer& out) const override {
        out.append(std::to_string(static_cast<const tide*>(message)->centimetres) + " cm");
    }
    void decode(const ferry::buffer& body, void* message) const override {
        const std::string_view text = body.view();
        const char* const end = text.data() + text.size();
        const auto [rest, failure] = std::from_chars(text.data(), end, static_cast<tide*>(message)->centimetres);
        if (failure != std::errc{} || std::string_view{rest, end} != " cm") {
            throw ferry::decode_error{"", "this is no height of water"};
        }
    }
};
// #endregion

} // namespace harbour

// #region codecs
template <> struct ferry::message_codecs<harbour::tide> {
    using list = ferry::codec_list<harbour::tide_codec, ferry::json_codec<harbour::tide>>;
};
// #endregion

namespace ferry {
namespace {

TEST(MessagesThatSayMore, are_called_as_they_say) {
    const message_type& label = message_type::of<labels::print_label_v2>();
    EXPECT_EQ(label.urn, "urn:message:labels.print.v2");
    EXPECT_EQ(naming{}.exchange(label), "labels.print.v2");
    EXPECT_EQ(label.destination, address::queue("label-printer"));
    const message_type& scan = message_type::of<carrier::parcel_scanned>();
    EXPECT_EQ(scan.urn, "urn:message:carrier.scan");
    EXPECT_EQ(naming{}.message_queue(scan), "carrier.scan");
}

TEST(MessagesThatSayMore, can_be_read_as_what_they_enclose) { // B8
    const message_type& express = message_type::of<orders::express_order_placed>();
    const message_type& order = message_type::of<orders::order_placed>();
    EXPECT_EQ(express.encloses, std::vector{&order});
    buffer body;
    const orders::express_order_placed sent{"17", 3, "bicycle"};
    express.default_codec().encode(&sent, body);
    orders::order_placed read;
    order.default_codec().decode(body, &read);
    EXPECT_EQ(read.order_id, "17");
    EXPECT_EQ(read.quantity, 3);
}

TEST(MessagesThatSayMore, are_written_in_the_first_of_their_formats_and_read_in_all) {
    const message_type& type = message_type::of<harbour::tide>();
    const harbour::tide high{310};
    buffer body;
    type.default_codec().encode(&high, body);
    EXPECT_EQ(body.view(), "310 cm");
    harbour::tide read;
    type.codec_for("text/x-tide")->decode(body, &read);
    EXPECT_EQ(read.centimetres, 310);
    type.codec_for("application/json")->decode(buffer{R"({"centimetres":-40})"}, &read);
    EXPECT_EQ(read.centimetres, -40);
    EXPECT_THROW(type.default_codec().decode(buffer{"310 m"}, &read), decode_error);
}

} // namespace
} // namespace ferry
