#include "link.hpp"

#include <ferry/delay_schedule.hpp>

#include <boost/asio/post.hpp>

#include <utility>

namespace ferry::amqp {

link::link(boost::asio::io_context& io, connection_settings settings, link_user& user, log_function log)
    : io_{io},
      settings_{std::move(settings)},
      user_{user},
      log_{std::move(log)},
      schedule_{settings_.url.servers.size(), settings_.options.reconnect} {}

link::~link() {
    if (connection_) {
        connection_->forget_user();
    }
}

void link::start() { try_next(); }

void link::stop(std::function<void()> stopped) {
    stopped_ = std::move(stopped);
    wait_.cancel();
    if (connection_) {
        connection_->close();
    } else {
        boost::asio::post(io_, [this] { std::exchange(stopped_, nullptr)(); });
    }
}

void link::try_next() {
    const reconnect_schedule::attempt next = schedule_.next(std::generate_canonical<double, 32>(random_));
    wait_.expires_after(next.wait);
    wait_.async_wait([this, where = next.server](const boost::system::error_code& cancelled) {
        if (!cancelled && !stopped_) {
            connection_ = std::make_shared<connection>(io_, settings_, settings_.url.servers[where],
                                                       static_cast<connection_user&>(*this));
            connection_->open();
        }
    });
}

void link::opened() {
    was_open_ = true;
    user_.connected(*connection_);
}

void link::established() {
    up_since_ = std::chrono::steady_clock::now();
    up_ = true;
    log_(log_level::info, settings_.name + ": connected to " + connection_->where().host + ":" +
                              std::to_string(connection_->where().port));
}

void link::fail(const std::string& reason) {
    if (connection_) {
        connection_->drop(reason);
    }
}

void link::complain(const std::string& reason) {
    remember(reason);
    log_(log_level::warning, settings_.name + ": " + reason);
}

void link::closed(const std::string& reason) {
    const std::string where = connection_->where().host + ":" + std::to_string(connection_->where().port);
    connection_.reset();
    if (up_.exchange(false)) {
        schedule_.worked_for(std::chrono::steady_clock::now() - up_since_);
    }
    const bool stopping = stopped_ != nullptr;
    if (std::exchange(was_open_, false)) {
        user_.disconnected(reason);
    }
    if (stopping) {
        return std::exchange(stopped_, nullptr)();
    }
    if (stopped_) {
        return; // the user has stopped it just now, and is told by a callback that is posted already
    }
    remember(where + ": " + reason);
    log_(log_level::warning, settings_.name + ": no connection to " + where + ": " + reason + "; trying again");
    try_next();
}

void link::write_done() {
    if (was_open_) {
        user_.write_done();
    }
}

void link::blocked(const std::string& reason) {
    remember("the broker takes nothing: " + reason);
    log_(log_level::warning, settings_.name + ": the broker takes no messages for now: " + reason);
    user_.blocked(reason);
}

void link::unblocked() {
    log_(log_level::info, settings_.name + ": the broker takes messages again");
    user_.unblocked();
}

void link::remember(const std::string& error) {
    const std::scoped_lock lock{mutex_};
    last_error_ = error;
    last_error_at_ = std::chrono::steady_clock::now();
}

std::chrono::steady_clock::time_point link::last_error_at() const {
    const std::scoped_lock lock{mutex_};
    return last_error_at_;
}

std::string link::last_error() const {
    const std::scoped_lock lock{mutex_};
    return last_error_;
}

} // namespace ferry::amqp
