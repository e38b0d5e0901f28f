#include "connection.hpp"

#include "connecting.hpp"
#include "tls.hpp"

#include <ferry/error.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>

#include <tuple>
#include <utility>

namespace ferry::amqp {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t read_size = std::size_t{64} * 1024;

// A program that the application starts would hold the connection open when the application is gone.
void keep_from_children(asio::ip::tcp::socket& socket) noexcept {
    ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC); // NOLINT(cppcoreguidelines-pro-type-vararg)
}

} // namespace

connection_settings connection_settings::for_purpose(std::string_view purpose) const {
    connection_settings named = *this;
    named.name += " ";
    named.name += purpose;
    return named;
}

connection::connection(asio::io_context& io, const connection_settings& settings, server where, connection_user& user)
    : io_{io}, settings_{settings}, where_{std::move(where)}, user_{&user} {}

connection::~connection() {
    ended_ = true; // AMQP-CPP would like to say goodbye
    protocol_.reset();
}

template <typename Operation> void connection::on_stream(Operation operation) {
    if (tls_) {
        operation(*tls_);
    } else {
        operation(socket_);
    }
}

void connection::end_after(duration limit, const std::string& reason) {
    deadline_.expires_after(limit);
    deadline_.async_wait([self = shared_from_this(), reason](const error_code& cancelled) {
        if (!cancelled) {
            self->drop(reason);
        }
    });
}

void connection::open() {
    end_after(settings_.options.connect_timeout, "it did not answer in time");
    resolver_.async_resolve(where_.host, std::to_string(where_.port),
                            [self = shared_from_this()](const error_code& failure, const results& found) {
                                if (failure) {
                                    return self->drop("its name cannot be resolved: " + failure.message());
                                }
                                self->connect(found);
                            });
}

void connection::connect(const results& found) {
    if (ended_) {
        return;
    }
    const auto left = deadline_.expiry() - std::chrono::steady_clock::now();
    connect_in_turn(socket_, {found.begin(), found.end()}, left,
                    [self = shared_from_this()](const error_code& failure) {
                        if (failure || self->ended_) {
                            return self->drop("it cannot be reached: " + failure.message());
                        }
                        error_code ignored;
                        std::ignore = self->socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
                        keep_from_children(self->socket_);
                        if (self->settings_.url.tls) {
                            self->begin_tls();
                        } else {
                            self->begin_protocol();
                        }
                    });
}

void connection::begin_tls() {
    try {
        tls_context_.emplace(tls_context(settings_.options.tls));
        tls_.emplace(socket_, *tls_context_);
        expect_host(*tls_->native_handle(), where_.host);
    } catch (const std::exception& wrong) {
        return drop(wrong.what());
    }
    tls_->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](const error_code& failure) {
        if (failure) {
            return self->drop("the TLS handshake failed: " +
                              why_tls_failed(failure, *self->tls_->native_handle(), self->where_.host));
        }
        self->begin_protocol();
    });
}

std::string connection::why_lost(const error_code& failure) {
    return tls_ ? why_tls_failed(failure, *tls_->native_handle(), where_.host) : failure.message();
}

void connection::begin_protocol() {
    if (ended_) {
        return;
    }
    last_read_ = last_write_ = std::chrono::steady_clock::now();
    protocol_ = std::make_unique<AMQP::Connection>(static_cast<AMQP::ConnectionHandler*>(this),
                                                   AMQP::Login{settings_.url.user, settings_.url.password},
                                                   settings_.url.vhost);
    flush();
    read();
}

void connection::close() {
    if (ended_ || !protocol_ || !protocol_->ready()) {
        return drop("it was closed");
    }
    end_after(std::chrono::seconds{3}, "it was closed, and the broker did not say so");
    protocol_->close();
    flush();
}

void connection::drop(const std::string& reason) {
    if (std::exchange(ended_, true)) {
        return;
    }
    error_code ignored;
    resolver_.cancel();
    std::ignore = socket_.close(ignored);
    deadline_.cancel();
    next_beat_.cancel();
    next_read_.cancel();
    asio::post(io_, [self = shared_from_this(), reason] { // not from inside AMQP-CPP, whose objects may go with it
        if (self->user_ != nullptr) {
            std::exchange(self->user_, nullptr)->closed(reason);
        }
    });
}

void connection::read() {
    if (ended_) {
        return;
    }
    char* const place = in_.prepare(read_size);
    on_stream([&](auto& from) {
        from.async_read_some(asio::buffer(place, read_size),
                             [self = shared_from_this()](const error_code& failure, std::size_t count) {
                                 if (failure) {
                                     return self->drop("it was lost: " + self->why_lost(failure));
                                 }
                                 self->take_in(count);
                             });
    });
}

void connection::take_in(std::size_t count) {
    last_read_ = std::chrono::steady_clock::now();
    in_.commit(count);
    try {
        const std::size_t used = pass_on_frames(in_.view());
        const std::string rest{in_.view().substr(used)};
        in_.assign(rest);
    } catch (const std::exception& wrong) {
        return drop(std::string{"it sent what cannot be understood: "} + wrong.what());
    }
    std::chrono::microseconds pause{};
    if (user_ != nullptr && !ended_) {
        pause = user_->read_done();
    }
    flush();
    read_after(pause);
}

void connection::read_after(std::chrono::microseconds pause) {
    if (pause == pause.zero() || ended_) {
        return read();
    }
    next_read_.expires_after(pause);
    next_read_.async_wait([self = shared_from_this()](const error_code& cancelled) {
        if (!cancelled) {
            self->read();
        }
    });
}

// Frames go to AMQP-CPP in as long runs as possible; only the headers of messages are taken out on the way.
std::size_t connection::pass_on_frames(std::string_view bytes) {
    const std::size_t largest = largest_frame_of_others(protocol_->maxFrame());
    std::size_t run = 0;
    std::size_t end = 0;
    while (const std::optional<frame> next = first_frame(bytes.substr(end), largest)) {
        if (next->type == header_frame) {
            pass_on(bytes.substr(run, end - run));
            properties_[next->channel].assign(properties_of(next->payload));
            bare_header_.clear();
            write_bare_header(*next, bare_header_);
            pass_on(bare_header_.view());
            run = end + next->size;
        }
        end += next->size;
        if (ended_) {
            return bytes.size();
        }
    }
    pass_on(bytes.substr(run, end - run));
    return end;
}

void connection::pass_on(std::string_view frames) {
    if (!frames.empty() && !ended_) {
        protocol_->parse(frames.data(), frames.size());
    }
}

std::string_view connection::properties(std::uint16_t channel) const {
    const auto found = properties_.find(channel);
    return found == properties_.end() ? std::string_view{} : found->second;
}

void connection::write(std::string_view frames) {
    out_.append(frames);
    flush_soon();
}

void connection::flush_soon() {
    if (!std::exchange(flush_posted_, true)) {
        asio::post(io_, [self = shared_from_this()] {
            self->flush_posted_ = false;
            self->flush();
        });
    }
}

void connection::flush() {
    if (writing_ || ended_ || out_.empty()) {
        return;
    }
    writing_ = true;
    std::swap(out_, on_the_way_);
    last_write_ = std::chrono::steady_clock::now();
    on_stream([&](auto& to) {
        asio::async_write(to, asio::buffer(on_the_way_.data(), on_the_way_.size()),
                          [self = shared_from_this()](const error_code& failure, std::size_t) {
                              self->writing_ = false;
                              self->on_the_way_.clear();
                              if (failure) {
                                  return self->drop("it was lost: " + self->why_lost(failure));
                              }
                              self->flush();
                              if (self->user_ != nullptr && !self->ended_) {
                                  self->user_->write_done();
                              }
                          });
    });
}

void connection::beat() {
    if (ended_ || heart_.interval == heart_.interval.zero()) {
        return;
    }
    next_beat_.expires_after(heart_.pause());
    next_beat_.async_wait([self = shared_from_this()](const error_code& cancelled) {
        if (cancelled || self->ended_) {
            return;
        }
        const auto now = std::chrono::steady_clock::now();
        if (self->heart_.is_dead(now - self->last_read_)) {
            return self->drop("there was no sign of life for two heartbeats");
        }
        if (self->heart_.is_due(now - self->last_write_)) {
            self->protocol_->heartbeat();
            self->flush();
        }
        self->beat();
    });
}

void connection::onProperties(AMQP::Connection*, const AMQP::Table&, AMQP::Table& client) {
    client["product"] = "ferry";
    client["version"] = FERRY_VERSION;
    client["platform"] = "C++";
    client["information"] = "a message bus for C++ services";
    client["connection_name"] = settings_.name;
}

std::uint16_t connection::onNegotiate(AMQP::Connection*, std::uint16_t) {
    const std::chrono::seconds interval = settings_.url.heartbeat.value_or(settings_.options.heartbeat);
    heart_ = {.interval = interval};
    beat();
    return static_cast<std::uint16_t>(interval.count());
}

void connection::onData(AMQP::Connection*, const char* bytes, std::size_t size) {
    if (!ended_) {
        out_.append({bytes, size});
        flush_soon();
    }
}

void connection::onReady(AMQP::Connection*) {
    deadline_.cancel();
    if (user_ != nullptr) {
        user_->opened();
    }
}

void connection::onError(AMQP::Connection*, const char* message) {
    if (!ended_) {
        drop(message);
    }
}

void connection::onClosed(AMQP::Connection*) {
    if (!ended_) {
        drop("it was closed");
    }
}

void connection::onBlocked(AMQP::Connection*, const char* reason) {
    if (user_ != nullptr) {
        user_->blocked(reason);
    }
}

void connection::onUnblocked(AMQP::Connection*) {
    if (user_ != nullptr) {
        user_->unblocked();
    }
}

} // namespace ferry::amqp
