#include "append_in.hpp"

#include "parameters.hpp"

#include <pqxx/params>
#include <pqxx/transaction_base>

#include <algorithm>
#include <format>

namespace ferry::postgres {

namespace {

constexpr std::size_t columns = 9;
constexpr std::size_t most_rows = 65'535 / columns; // a statement has no more parameters than that

void append_row(std::string& sql, std::size_t row) {
    const std::size_t first = row * columns;
    sql += std::format("{}(${}::uuid, ${}, ${}, ${}, ${}::int2, ${}, ${}::bytea, ${}::int8, ${}::int8)",
                       row == 0 ? " values " : ", ", first + 1, first + 2, first + 3, first + 4, first + 5, first + 6,
                       first + 7, first + 8, first + 9);
}

void append_values(pqxx::params& values, const stored_message& message) {
    values.append(message.id.to_string());
    values.append(message.destination);
    values.append(message.message_type);
    values.append(message.partition_key);
    values.append(shard_of(message.partition_key));
    values.append(message.tenant);
    values.append(pqxx::binary_cast(message.content.bytes()));
    values.append(stored(message.created_at));
    values.append(stored(message.due));
}

void insert(pqxx::transaction_base& transaction, const std::string& table, std::string_view due,
            std::span<const stored_message> messages) {
    std::string sql =
        std::format("insert into {} (id, destination, message_type, partition_key, shard, tenant, content, "
                    "created_at, {})",
                    table, due);
    pqxx::params values;
    values.reserve(messages.size() * columns);
    for (std::size_t row = 0; row < messages.size(); ++row) {
        append_row(sql, row);
        append_values(values, messages[row]);
    }
    transaction.exec(sql, values).no_rows();
}

void insert_all(pqxx::transaction_base& transaction, const std::string& table, std::string_view due,
                std::span<const stored_message> messages) {
    while (!messages.empty()) {
        const std::size_t count = std::min(messages.size(), most_rows);
        insert(transaction, table, due, messages.first(count));
        messages = messages.subspan(count);
    }
}

} // namespace

void append_in(pqxx::transaction_base& transaction, const names& names, std::span<const stored_message> outgoing,
               std::span<const stored_message> scheduled) {
    insert_all(transaction, names.table("outbox"), "next_attempt_at", outgoing);
    insert_all(transaction, names.table("schedule"), "due_at", scheduled);
}

bool cancel_in(pqxx::transaction_base& transaction, const names& names, const uuid& message) {
    const std::string sql = std::format("delete from {} where id = $1::uuid", names.table("schedule"));
    return transaction.exec(sql, pqxx::params{message.to_string()}).affected_rows() > 0;
}

} // namespace ferry::postgres
