// A web service that writes an order and publishes it in one act, in a transaction of its own and without any handler.
// Look at: `place` has no line between the insert and the publish that could fail alone; and main, where a bus without
// handlers is all it takes. Here another bus in the same process hears of the order; mostly it is another service.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/sqlite/store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <sqlite3.h>

#include <filesystem>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <thread>

namespace shop {

struct order_placed {
    std::string order_id;
};

void exec(sqlite3& database, const char* sql) {
    if (sqlite3_exec(&database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error{sqlite3_errmsg(&database)};
    }
}

void insert_order(sqlite3& database, const std::string& order_id) {
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(&database, "insert into orders values (?)", -1, &insert, nullptr);
    sqlite3_bind_text(insert, 1, order_id.data(), static_cast<int>(order_id.size()), nullptr);
    const int result = sqlite3_step(insert);
    sqlite3_finalize(insert);
    if (result != SQLITE_DONE) {
        throw std::runtime_error{sqlite3_errmsg(&database)};
    }
}

// #region place
void place(sqlite3& database, ferry::outbox outbox, const std::string& order_id) {
    exec(database, "begin immediate");
    try {
        insert_order(database, order_id);
        outbox.publish(database, order_placed{order_id});
        exec(database, "commit");
    } catch (...) {
        exec(database, "rollback");
        throw;
    }
    outbox.wake(); // optional
}
// #endregion

} // namespace shop

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

/// Answers one POST whose body is the number of an order.
void serve_one(tcp::acceptor& door, sqlite3& database, ferry::outbox outbox) {
    tcp::socket client = door.accept();
    boost::beast::flat_buffer bytes;
    http::request<http::string_body> asked;
    http::read(client, bytes, asked);
    http::response<http::string_body> answer{http::status::accepted, asked.version()};
    try {
        shop::place(database, outbox, asked.body());
    } catch (const std::exception& failure) {
        answer.result(http::status::internal_server_error);
        answer.body() = failure.what();
    }
    answer.prepare_payload();
    http::write(client, answer);
}

http::status post(boost::asio::io_context& io, const tcp::endpoint& where, const std::string& order_id) {
    tcp::socket server{io};
    server.connect(where);
    http::request<http::string_body> asked{http::verb::post, "/orders", 11, order_id};
    asked.set(http::field::host, "127.0.0.1");
    asked.prepare_payload();
    http::write(server, asked);
    boost::beast::flat_buffer bytes;
    http::response<http::string_body> answer;
    http::read(server, bytes, answer);
    return answer.result();
}

} // namespace

int main() {
    const std::string file = std::filesystem::temp_directory_path() / ("ferry-example-5-" + std::to_string(::getpid()));
    const auto broker = std::make_shared<ferry::memory::broker>();

    std::latch heard{1};
    ferry::bus_builder warehouse_builder{"warehouse"};
    warehouse_builder.transport(ferry::memory::transport{broker});
    warehouse_builder.handle<shop::order_placed>([&](const shop::order_placed& order) {
        std::cout << "the warehouse packs " << order.order_id << '\n';
        heard.count_down();
    });
    ferry::bus warehouse = warehouse_builder.build();
    warehouse.start();

    // #region bus
    ferry::bus_builder web_builder{"web"};
    web_builder.transport(ferry::memory::transport{broker}).persistence(ferry::sqlite::store{file});
    ferry::bus web = web_builder.build(); // no handlers: an outbox, and the relay that empties it
    web.start();
    // #endregion

    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    sqlite3_busy_timeout(database, 5000); // SQLite has one writer at a time, and ferry is another one
    shop::exec(*database, "create table orders (order_id text)");
    boost::asio::io_context io;
    tcp::acceptor door{io, {boost::asio::ip::make_address("127.0.0.1"), 0}};
    std::jthread server{[&] { serve_one(door, *database, web.outbox()); }};
    std::cout << "the web service answered " << static_cast<int>(post(io, door.local_endpoint(), "order-17")) << '\n';
    heard.wait();
    server.join();
    sqlite3_close(database);
    web.stop();
    for (const char* ending : {"", "-wal", "-shm", ".ferry-lock"}) {
        std::filesystem::remove(file + ending);
    }
}
