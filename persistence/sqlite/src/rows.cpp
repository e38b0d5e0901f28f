#include "rows.hpp"

namespace ferry::sqlite {

void insert(query& statement, const stored_message& message) {
    statement
        .with(message.id, std::string_view{message.destination}, std::string_view{message.message_type},
              std::string_view{message.partition_key}, shard_of(message.partition_key),
              std::string_view{message.tenant}, blob{message.content.bytes()}, message.due, message.created_at)
        .run();
}

outbox_row outbox_row_of(const query& row) {
    return {.number = row.integer(0),
            .content = packed_envelope::from_bytes(row.text(5)),
            .partition_key = std::string{row.text(2)},
            .attempts = static_cast<int>(row.integer(3)),
            .created_at = row.moment(4)};
}

dead_message dead_message_of(const query& row) {
    return {.number = row.integer(0),
            .id = row.id(1),
            .destination = std::string{row.text(2)},
            .message_type = std::string{row.text(3)},
            .tenant = std::string{row.text(4)},
            .attempts = static_cast<int>(row.integer(5)),
            .error = std::string{row.text(6)},
            .created_at = row.moment(7),
            .content = packed_envelope::from_bytes(row.text(8))};
}

} // namespace ferry::sqlite
