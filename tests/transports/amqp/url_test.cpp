#include <ferry/amqp/url.hpp>
#include <ferry/error.hpp>

#include <gmock/gmock.h>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string problem_with(std::string_view text) {
    try {
        return "none: " + broker_url::parse(text).to_string();
    } catch (const error& problem) {
        EXPECT_FALSE(problem.is_transient()) << text;
        return problem.what();
    }
}

TEST(BrokerUrl, names_everything) {
    const broker_url url = broker_url::parse("amqps://shop:secret@rabbit1:7000,rabbit2/orders"
                                             "?heartbeat=10&connection_timeout=2500&name=billing");
    EXPECT_TRUE(url.tls);
    EXPECT_THAT(url.servers, ElementsAre(server{"rabbit1", 7000}, server{"rabbit2", 5671}));
    EXPECT_EQ(url.user, "shop");
    EXPECT_EQ(url.password, "secret");
    EXPECT_EQ(url.vhost, "orders");
    EXPECT_EQ(url.heartbeat, 10s);
    EXPECT_EQ(url.connect_timeout, 2500ms);
    EXPECT_EQ(url.name, "billing");
}

TEST(BrokerUrl, leaves_defaults_for_what_is_not_there) {
    const broker_url url = broker_url::parse("amqp://rabbit");
    EXPECT_FALSE(url.tls);
    EXPECT_THAT(url.servers, ElementsAre(server{"rabbit", 5672}));
    EXPECT_EQ(url.user, "guest");
    EXPECT_EQ(url.password, "guest");
    EXPECT_EQ(url.vhost, "/");
    EXPECT_FALSE(url.heartbeat);
    EXPECT_FALSE(url.connect_timeout);
    EXPECT_FALSE(url.name);
}

TEST(BrokerUrl, finds_the_servers) {
    const auto servers = [](std::string_view text) { return broker_url::parse(text).servers; };
    EXPECT_THAT(servers("amqp://a,b:1,c"), ElementsAre(server{"a", 5672}, server{"b", 1}, server{"c", 5672}));
    EXPECT_THAT(servers("amqp://[::1]"), ElementsAre(server{"::1", 5672}));
    EXPECT_THAT(servers("amqps://[2001:db8::7]:65535/v"), ElementsAre(server{"2001:db8::7", 65535}));
    EXPECT_THAT(servers("amqp://u:p@[::1]:7,10.0.0.1:8"), ElementsAre(server{"::1", 7}, server{"10.0.0.1", 8}));
    EXPECT_THAT(servers("amqp://rabbit_1.example-shop.com"), ElementsAre(server{"rabbit_1.example-shop.com", 5672}));
    EXPECT_THAT(servers("amqp://a?heartbeat=1"), ElementsAre(server{"a", 5672}));
}

TEST(BrokerUrl, finds_user_and_password) {
    struct example {
        std::string_view text, user, password;
    };
    for (const example& each : {example{"amqp://a:b@h", "a", "b"},                         //
                                example{"amqp://a@h", "a", "guest"},                       //
                                example{"amqp://a:@h", "a", ""},                           //
                                example{"amqp://:@h", "", ""},                             //
                                example{"amqp://a:b:c,d#[e]@h", "a", "b:c,d#[e]"},         //
                                example{"amqp://a%40b:%3A%2f%3f%25%40@h", "a@b", ":/?%@"}, //
                                example{"amqp://%C3%BC:+@h", "\xC3\xBC", "+"}}) {
        const broker_url url = broker_url::parse(each.text);
        EXPECT_EQ(url.user, each.user) << each.text;
        EXPECT_EQ(url.password, each.password) << each.text;
        EXPECT_THAT(url.servers, ElementsAre(server{"h", 5672})) << each.text;
    }
}

TEST(BrokerUrl, finds_the_virtual_host) {
    struct example {
        std::string_view text, vhost;
    };
    for (const example& each : {example{"amqp://h", "/"},                 //
                                example{"amqp://h/", "/"},                //
                                example{"amqp://h/?heartbeat=1", "/"},    //
                                example{"amqp://h?heartbeat=1", "/"},     //
                                example{"amqp://h/%2f", "/"},             //
                                example{"amqp://h/%2Forders", "/orders"}, //
                                example{"amqp://h/a%40b:c,d", "a@b:c,d"}}) {
        EXPECT_EQ(broker_url::parse(each.text).vhost, each.vhost) << each.text;
    }
}

TEST(BrokerUrl, reads_settings) {
    EXPECT_EQ(broker_url::parse("amqp://h?heartbeat=0").heartbeat, 0s);
    EXPECT_EQ(broker_url::parse("amqp://h?heartbeat=65535").heartbeat, 65535s);
    EXPECT_EQ(broker_url::parse("amqp://h?connection_timeout=4294967295").connect_timeout, 4294967295ms);
    EXPECT_EQ(broker_url::parse("amqp://h?name=a%26b%3dc%40d").name, "a&b=c@d");
    EXPECT_EQ(broker_url::parse("amqp://h/?name=").name, "");
    EXPECT_FALSE(broker_url::parse("amqp://h/?").name);
}

TEST(BrokerUrl, reads_the_same_again_from_its_own_text_which_has_no_password) {
    struct example {
        std::string_view text, shown;
    };
    for (const example& each :
         {example{"amqp://rabbit", "amqp://guest@rabbit:5672/"},
          example{"amqps://shop:secret@[::1],b:7/orders?name=a%20b&heartbeat=0&connection_timeout=5",
                  "amqps://shop@[::1]:5671,b:7/orders?heartbeat=0&connection_timeout=5&name=a%20b"},
          example{"amqp://%C3%BC%40:secret@h/%2fa%2Fb", "amqp://%c3%bc%40@h:5672/%2fa%2fb"}}) {
        EXPECT_EQ(broker_url::parse(each.text).to_string(), each.shown);
        EXPECT_EQ(broker_url::parse(each.shown).to_string(), each.shown);
    }
}

TEST(BrokerUrl, says_which_part_is_wrong_and_never_shows_the_password) {
    struct example {
        std::string_view text, problem;
    };
    for (const example& each : {
             example{"", "its scheme must be amqp or amqps, as in amqp://user:password@host:5672/vhost"},
             example{"u:secret@h", "its scheme must be amqp or amqps"},
             example{"http://u:secret@h", "its scheme must be amqp or amqps"},
             example{"amqp:/u:secret@h", "its scheme must be amqp or amqps"},
             example{"amqp://", "a server has no host; name one, as in amqp://host:5672"},
             example{"amqp:///vhost", "a server has no host"},
             example{"amqp://u:secret@", "a server has no host"},
             example{"amqp://u:secret@:5672", "a server has no host"},
             example{"amqp://u:secret@a,,b", "a server has no host"},
             example{"amqp://u:secret@a,", "a server has no host"},
             example{"amqp://u:secret@[]", "a server has no host"},
             example{"amqp://u:secret@a, b", "\" b\" cannot be a host; it consists of letters"},
             example{"amqp://u:secret@a%20", "\"a%20\" cannot be a host"},
             example{"amqp://u:secret@::1", "an IPv6 address in brackets, as in [::1]:5672"},
             example{"amqp://u:secret@[::1", "an IPv6 address stands in two brackets"},
             example{"amqp://u:secret@[", "an IPv6 address stands in two brackets"},
             example{"amqp://u:secret@[::1]5672", "an IPv6 address stands in two brackets, before its port"},
             example{"amqp://u:secret@a:", "the port of the host \"a\" must be a number from 1 to 65535"},
             example{"amqp://u:secret@a:0", "the port of the host \"a\""},
             example{"amqp://u:secret@a,b:65536", "the port of the host \"b\""},
             example{"amqp://u:secret@a:-1", "the port of the host \"a\""},
             example{"amqp://u:secret@a:5672x", "the port of the host \"a\""},
             example{"amqp://u:secret@a:99999999999999999999", "the port of the host \"a\""},
             example{"amqp://u:secret", "the port of the host \"u\" must be a number"},
             example{"amqp://u:secret,h", "the port of the host \"u\" must be a number"},
             example{"amqp://u%4:secret@h", "in the user a '%' is not followed by two hexadecimal digits"},
             example{"amqp://u:secret%@h", "in the password a '%' is not followed by two hexadecimal digits"},
             example{"amqp://u:secret%0xy@h", "write the '%' itself as %25"},
             example{"amqp://u:secret@h/%-1", "in the virtual host a '%' is not followed"},
             example{"amqp://u:secret@h?name=%", "in the name a '%' is not followed"},
             example{"amqp://u:secret%00@h", "the password contains a zero byte (%00)"},
             example{"amqp://u:secret@more@h", "an '@' stands only between the password and the first host"},
             example{"amqp://u:p@h1,u:secret@h2", "an '@' stands only between the password and the first host"},
             example{"amqp://u:1/secret@h", "a '/' or '?' in user or password as %2f or %3f"},
             example{"amqp://u:1?secret@h", "an '@' stands only between"},
             example{"amqp://u:secret@h/a/b", "the virtual host contains a '/'; write it as %2f"},
             example{"amqp://u:secret@h//", "the virtual host contains a '/'; write it as %2f"},
             example{"amqp://u:secret@h?hartbeat=1", "there is no setting \"hartbeat\"; there are heartbeat,"},
             example{"amqp://u:secret@h?&", "there is no setting \"\""},
             example{"amqp://u:secret@h?heartbeat=1&", "none: "},
             example{"amqp://u:secret@h?heartbeat", "\"\" is not a number from 0 to 65535; write the heartbeat in sec"},
             example{"amqp://u:secret@h?heartbeat=65536", "\"65536\" is not a number from 0 to 65535"},
             example{"amqp://u:secret@h?heartbeat=1s", "as in heartbeat=10, or heartbeat=0 to switch it off"},
             example{"amqp://u:secret@h?connection_timeout=0", "\"0\" is not a number from 1 to 4294967295"},
             example{"amqp://u:secret@h?connection_timeout=x", "in milliseconds, as in connection_timeout=5000"},
         }) {
        EXPECT_THAT(problem_with(each.text), HasSubstr(each.problem)) << each.text;
        EXPECT_THAT(problem_with(each.text), Not(HasSubstr("secret"))) << each.text;
    }
}

} // namespace
} // namespace ferry::amqp
