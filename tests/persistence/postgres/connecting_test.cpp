#include "postgres_fixture.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <support/eventually.hpp>

namespace ferry::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct refusal {
    std::string text;
    std::string sqlstate;
    bool transient = false;
};

refusal start_at(const std::string& url, const postgres::store_options& options = {}) {
    postgres::store store{url, options};
    try {
        store.start({});
    } catch (const postgres::sql_error& problem) {
        return {problem.what(), problem.sqlstate(), problem.is_transient()};
    } catch (const schema_error& connected) {
        return {connected.what(), "", false};
    }
    return {"none", "", false};
}

TEST(PostgresConnecting, says_that_nobody_answers) { // B77
    boost::asio::io_context io;
    const boost::asio::ip::tcp::acceptor silent{io, {boost::asio::ip::address_v4::loopback(), 0}};
    const std::string address = "127.0.0.1:" + std::to_string(silent.local_endpoint().port());

    const refusal mute = start_at("postgresql://shop:secret@" + address + "/shop", {.connect_timeout = 50ms});
    EXPECT_TRUE(mute.transient);
    EXPECT_THAT(mute.text, AllOf(HasSubstr(address), HasSubstr("no answer within 50ms"), Not(HasSubstr("secret"))));

    const refusal closed = start_at("postgresql://shop:secret@127.0.0.1:1/shop");
    EXPECT_TRUE(closed.transient);
    EXPECT_THAT(closed.text, AllOf(HasSubstr("127.0.0.1:1/shop"), HasSubstr("refused"), Not(HasSubstr("secret"))));
}

TEST(PostgresConnecting, says_that_a_database_does_not_exist) {
    const refusal missing = start_at("postgresql://postgres:secret@" + postgres_address() + "/no_such_database");
    EXPECT_FALSE(missing.transient);
    EXPECT_EQ(missing.sqlstate, "3D000");
    EXPECT_THAT(missing.text, AllOf(HasSubstr("database \"no_such_database\" does not exist"),
                                    Not(HasSubstr("LOCATION")), Not(HasSubstr("secret"))));
}

TEST(PostgresConnecting, says_that_a_role_may_not_in) {
    test_database database;
    const refusal unknown = start_at("postgresql://nobody:secret@" + postgres_address() + "/" + database.name());
    EXPECT_FALSE(unknown.transient);
    EXPECT_EQ(unknown.sqlstate, "28000");
    EXPECT_THAT(unknown.text, AllOf(HasSubstr("role \"nobody\" does not exist"), Not(HasSubstr("secret"))));
}

/// The private server trusts everybody. While this lives it asks one role for its password.
class distrust {
public:
    distrust(test_database& database, const std::string& role)
        : database_{database},
          file_{database.exec("show hba_file").one_field().as<std::string>()},
          rules_{database.exec("select pg_read_file('" + file_ + "')").one_field().as<std::string>()} {
        write("host all " + role + " 127.0.0.1/32 scram-sha-256\n" + rules_);
    }
    distrust(const distrust&) = delete;
    distrust& operator=(const distrust&) = delete;
    ~distrust() { write(rules_); }

private:
    void write(const std::string& rules) {
        database_.exec("copy (select unnest(string_to_array($rules$" + rules + "$rules$, chr(10)))) to '" + file_ +
                       "'");
        database_.exec("select pg_reload_conf()");
    }

    test_database& database_;
    std::string file_;
    std::string rules_;
};

TEST(PostgresConnecting, says_that_a_password_is_wrong) {
    test_database database;
    const std::string role = database.name() + "_role";
    database.exec("create role " + role + " login password 'right'");
    const std::string url = "postgresql://" + role + ":wrong-secret@" + postgres_address() + "/" + database.name();
    refusal wrong;
    {
        const distrust rules{database, role};
        EXPECT_TRUE(eventually([&] { // the server reads its rules again
            wrong = start_at(url, {});
            return wrong.sqlstate == "28P01";
        }));
    }
    database.exec("drop role " + role);

    EXPECT_FALSE(wrong.transient);
    EXPECT_THAT(wrong.text, AllOf(HasSubstr("password authentication failed"), Not(HasSubstr("wrong-secret"))));
}

TEST(PostgresConnecting, is_to_be_done_before_anything_else) {
    test_database database;
    postgres::store store{database.url(), {.ensure_schema = true}};
    EXPECT_THROW(static_cast<void>(store.work()), error);
    store.start({});
    EXPECT_THROW(store.start({}), error);
    store.stop();
    EXPECT_THROW(static_cast<void>(store.take(1, noon, 0)), error);
    store.start({});
    EXPECT_EQ(store.count().pending, 0U);
}

TEST(PostgresConnecting, refuses_options_that_cannot_work) {
    EXPECT_THROW(postgres::store("postgresql:///shop", {.schema = ""}), error);
    EXPECT_THROW(postgres::store("postgresql:///shop", {.connect_timeout = 0s}), error);
    EXPECT_THROW(postgres::store("postgresql:///shop", {.max_connections = 0}), error);
    EXPECT_THROW(postgres::store("postgresql:///shop", {.lock_timeout = -1s}), error);
}

} // namespace
} // namespace ferry::testing
