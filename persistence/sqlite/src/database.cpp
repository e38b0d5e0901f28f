#include "database.hpp"

#include "errors.hpp"
#include "schema.hpp"

#include <sqlite3.h>

#include <utility>

namespace ferry::sqlite {

namespace {

std::unique_ptr<file_lock> lock_unless_in_memory(const settings& wanted) {
    return wanted.in_memory() ? nullptr : std::make_unique<file_lock>(wanted.path);
}

// In write-ahead mode the relay reads while handlers write, and a commit is one write to the disk.
void use_write_ahead_log(connection& database, const settings& wanted) {
    query mode = database.prepared("pragma journal_mode = wal");
    if (!mode.next() || mode.text(0) != "wal") {
        throw store_error{"\"" + wanted.path +
                          "\" lies where SQLite cannot keep a write-ahead log; network folders are such places. Put it "
                          "on a local disk"};
    }
}

} // namespace

writing::writing(connection& database, std::optional<turns::turn> turn, bool inside)
    : connection_{&database}, turn_{std::move(turn)}, inside_{inside} {
    connection_->run(inside_ ? "savepoint ferry_inside" : "begin immediate");
}

// Some errors make SQLite roll back by itself.
writing::~writing() {
    if (!open_ || !connection_->in_transaction()) {
        return;
    }
    sqlite3_exec(connection_->handle(), inside_ ? "rollback to ferry_inside; release ferry_inside" : "rollback",
                 nullptr, nullptr, nullptr);
}

void writing::commit() {
    connection_->run(inside_ ? "release ferry_inside" : "commit");
    open_ = false;
}

database::database(settings wanted)
    : settings_{std::move(wanted)}, alone_{lock_unless_in_memory(settings_)}, writer_{settings_} {
    if (!settings_.in_memory()) {
        use_write_ahead_log(writer_, settings_);
        reader_.emplace(settings_);
    }
}

void database::ensure_schema() {
    const turns::turn mine = next_turn();
    create_schema(writer_, settings_);
}

void database::check_schema() {
    const turns::turn mine = next_turn();
    sqlite::check_schema(writer_, settings_);
}

writing database::write() {
    if (turns_.is_mine()) {
        return writing{writer_, std::nullopt, true};
    }
    return writing{writer_, next_turn(), false};
}

writing database::write_alone() {
    if (turns_.is_mine()) {
        throw store_error{"this thread has a unit of work open on \"" + settings_.path +
                          "\", and SQLite has one writer: a second one would wait for the first for ever. Publish "
                          "through the handler's context, not through the bus"};
    }
    return writing{writer_, next_turn(), false};
}

reading database::read() {
    if (reader_) {
        return reading{*reader_, std::unique_lock{reading_}};
    }
    if (turns_.is_mine()) {
        return reading{writer_, std::nullopt};
    }
    return reading{writer_, next_turn()};
}

bool database::is_same_file(sqlite3* other) const {
    if (other == writer_.handle()) {
        return true;
    }
    const char* const path = sqlite3_db_filename(other, "main");
    return path != nullptr && *path != '\0' && resolved(path) == settings_.path;
}

turns::turn database::next_turn() {
    std::optional<turns::turn> turn = turns_.wait(settings_.options.turn_timeout);
    if (!turn) {
        throw store_error{"no turn to write to \"" + settings_.path +
                              "\" came within turn_timeout: other units of work are open for too long. SQLite writes "
                              "one after the other; keep handlers short, or use PostgreSQL",
                          true};
    }
    return std::move(*turn);
}

} // namespace ferry::sqlite
