#include <ferry/amqp/url.hpp>
#include <ferry/error.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace ferry::amqp {

namespace {

constexpr std::uint16_t plain_port = 5672;
constexpr std::uint16_t tls_port = 5671;

[[noreturn]] void refuse(const std::string& problem) {
    throw error{"the URL of the broker cannot be used: " + problem};
}

std::string quoted(std::string_view text) { return '"' + std::string{text} + '"'; }

/// Cuts off what stands before the first `mark`, and the mark; everything when there is none.
std::string_view take_until(std::string_view& text, char mark) {
    const std::size_t end = text.find(mark);
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), taken.size() + 1));
    return taken;
}

std::optional<std::uint64_t> number(std::string_view digits, int base = 10) {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (problem != std::errc{} || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return value;
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

char byte_of(std::string_view digits, std::string_view part) {
    const std::optional<std::uint64_t> value = number(digits, 16);
    if (digits.size() != 2 || !value) {
        refuse("in the " + std::string{part} +
               " a '%' is not followed by two hexadecimal digits; write the '%' itself as %25");
    }
    return static_cast<char>(*value);
}

std::string decoded(std::string_view text, std::string_view part) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain.push_back(text[i]);
            continue;
        }
        plain.push_back(byte_of(text.substr(i + 1, 2), part));
        i += 2;
    }
    if (plain.contains('\0')) { // it separates user and password when the client logs in
        refuse("the " + std::string{part} + " contains a zero byte (%00); take it out");
    }
    return plain;
}

std::string encoded(std::string_view plain) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : plain) {
        if (is_letter_or_digit(c) || std::string_view{"-._~"}.contains(c)) {
            text.push_back(c);
            continue;
        }
        const auto value = static_cast<unsigned char>(c);
        text.append({'%', digits[value / 16U], digits[value % 16U]});
    }
    return text;
}

bool take_scheme(std::string_view& text) {
    const bool tls = text.starts_with("amqps://");
    if (!tls && !text.starts_with("amqp://")) {
        refuse("its scheme must be amqp or amqps, as in amqp://user:password@host:5672/vhost");
    }
    text.remove_prefix(tls ? 8 : 7);
    return tls;
}

// A '/' or '?' in a password would end it early, and let the rest of it pass for a host, a port or a virtual host,
// which errors and logs show. The '@' that follows then stands in the wrong place.
void require_one_place_for_at(std::string_view text, std::string_view authority) {
    const auto everywhere = std::ranges::count(text, '@');
    if (everywhere > 1 || everywhere != std::ranges::count(authority, '@')) {
        refuse("an '@' stands only between the password and the first host; write any other as %40, and a '/' or '?' "
               "in user or password as %2f or %3f");
    }
}

void read_credentials(std::string_view text, broker_url& url) {
    const bool has_password = text.contains(':');
    url.user = decoded(take_until(text, ':'), "user");
    if (has_password) {
        url.password = decoded(text, "password");
    }
}

std::string_view take_bracketed(std::string_view& text) {
    const std::size_t end = text.find(']');
    const std::string_view host = text.substr(1, end - 1);
    const bool is_closed = end != std::string_view::npos;
    text.remove_prefix(is_closed ? end + 1 : text.size());
    if (!is_closed || !(text.empty() || text.starts_with(':'))) {
        refuse("an IPv6 address stands in two brackets, before its port, as in [::1]:5672");
    }
    return host;
}

/// Leaves the port, with its colon.
std::string_view take_host(std::string_view& text) {
    if (text.starts_with('[')) {
        return take_bracketed(text);
    }
    if (std::ranges::count(text, ':') > 1) {
        refuse("a server has more than one ':'; write it as host:5672, and an IPv6 address in brackets, as in "
               "[::1]:5672");
    }
    const std::string_view host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
    return host;
}

void require_host(std::string_view host) {
    if (host.empty()) {
        refuse("a server has no host; name one, as in amqp://host:5672 or amqp://host1:5672,host2:5672");
    }
    if (!std::ranges::all_of(host,
                             [](char c) { return is_letter_or_digit(c) || std::string_view{"-._:"}.contains(c); })) {
        refuse(quoted(host) + " cannot be a host; it consists of letters, digits, '-', '.' and '_', as in "
                              "rabbit-1.example.com");
    }
}

// Does not show the port: where somebody forgot "@host", it is the password.
std::uint16_t read_port(std::string_view text, std::string_view host) {
    const std::uint64_t port = number(text).value_or(0);
    if (port < 1 || port > std::numeric_limits<std::uint16_t>::max()) {
        refuse("the port of the host " + quoted(host) +
               " must be a number from 1 to 65535, as in amqp://user:password@host:5672");
    }
    return static_cast<std::uint16_t>(port);
}

server read_server(std::string_view text, std::uint16_t default_port) {
    const std::string_view host = take_host(text);
    require_host(host);
    return {.host = std::string{host}, .port = text.empty() ? default_port : read_port(text.substr(1), host)};
}

void read_servers(std::string_view text, broker_url& url) {
    const std::uint16_t default_port = url.tls ? tls_port : plain_port;
    for (auto others = std::ranges::count(text, ','); others >= 0; --others) {
        url.servers.push_back(read_server(take_until(text, ','), default_port));
    }
}

void read_vhost(std::string_view text, broker_url& url) {
    if (text.contains('/')) {
        refuse("the virtual host contains a '/'; write it as %2f, as in amqp://host/%2fvhost");
    }
    if (!text.empty()) {
        url.vhost = decoded(text, "virtual host");
    }
}

std::uint32_t read_number(std::string_view text, std::uint32_t least, std::uint32_t most, const std::string& form) {
    const std::optional<std::uint64_t> value = number(text);
    if (!value || *value < least || *value > most) {
        refuse(quoted(text) + " is not a number from " + std::to_string(least) + " to " + std::to_string(most) +
               "; write " + form);
    }
    return static_cast<std::uint32_t>(*value);
}

void read_setting(std::string_view key, std::string_view value, broker_url& url) {
    if (key == "heartbeat") {
        url.heartbeat = std::chrono::seconds{
            read_number(decoded(value, key), 0, std::numeric_limits<std::uint16_t>::max(),
                        "the heartbeat in seconds, as in heartbeat=10, or heartbeat=0 to switch it off")};
    } else if (key == "connection_timeout") {
        url.connect_timeout = std::chrono::milliseconds{
            read_number(decoded(value, key), 1, std::numeric_limits<std::uint32_t>::max(),
                        "the connection timeout in milliseconds, as in connection_timeout=5000")};
    } else if (key == "name") {
        url.name = decoded(value, key);
    } else {
        refuse("there is no setting " + quoted(key) +
               "; there are heartbeat, connection_timeout and name, as in amqp://host/vhost?heartbeat=10&name=billing");
    }
}

void read_settings(std::string_view text, broker_url& url) {
    while (!text.empty()) {
        std::string_view value = take_until(text, '&');
        const std::string_view key = take_until(value, '=');
        read_setting(key, value, url);
    }
}

std::string text_of(const server& one) {
    const std::string host = one.host.contains(':') ? '[' + one.host + ']' : one.host;
    return host + ':' + std::to_string(one.port);
}

std::string text_of(const std::vector<server>& servers) {
    std::string all;
    for (const server& each : servers) {
        all += (all.empty() ? "" : ",") + text_of(each);
    }
    return all;
}

std::string settings_of(const broker_url& url) {
    std::string all;
    const auto add = [&all](std::string_view key, const std::string& value) {
        all.append(all.empty() ? "?" : "&").append(key).append("=").append(value);
    };
    if (url.heartbeat) {
        add("heartbeat", std::to_string(url.heartbeat->count()));
    }
    if (url.connect_timeout) {
        add("connection_timeout", std::to_string(*url.connect_timeout / std::chrono::milliseconds{1}));
    }
    if (url.name) {
        add("name", encoded(*url.name));
    }
    return all;
}

} // namespace

broker_url broker_url::parse(std::string_view text) {
    broker_url url{.tls = take_scheme(text)};
    std::string_view settings = text;
    std::string_view path = take_until(settings, '?');
    std::string_view servers = take_until(path, '/');
    require_one_place_for_at(text, servers);
    if (servers.contains('@')) {
        read_credentials(take_until(servers, '@'), url);
    }
    read_servers(servers, url);
    read_vhost(path, url);
    read_settings(settings, url);
    return url;
}

std::string broker_url::to_string() const {
    return (tls ? "amqps://" : "amqp://") + encoded(user) + '@' + text_of(servers) + '/' +
           (vhost == "/" ? "" : encoded(vhost)) + settings_of(*this);
}

} // namespace ferry::amqp
