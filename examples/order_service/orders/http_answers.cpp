#include "http_answers.hpp"

#include <ferry/json/json_codec.hpp>
#include <ferry/uuid.hpp>

namespace shop {

namespace http = boost::beast::http;

namespace {

struct order_state {
    std::string order_id;
    std::string state;
};
struct trouble {
    std::string error;
};

template <typename Body> http_response say(http::status status, const Body& body) {
    ferry::buffer json;
    ferry::json_codec<Body>{}.encode(&body, json);
    http_response answer{status, 11};
    answer.set(http::field::content_type, "application/json");
    answer.body() = json.view();
    return answer;
}

std::string id_of(const order& placed) {
    static ferry::id_source ids;
    return placed.order_id ? *placed.order_id : ids.next(std::chrono::system_clock::now()).to_string();
}

http_response place(const http_request& asked, order_desk& desk) {
    order placed;
    try {
        placed = read_order(asked.body());
    } catch (const ferry::decode_error& unreadable) {
        return refusal(http::status::bad_request, unreadable.what());
    }
    if (const std::string complaint = complaint_about(placed); !complaint.empty()) {
        return refusal(http::status::unprocessable_entity, complaint);
    }
    const std::string id = id_of(placed);
    const bool is_new = desk.place(id, placed);
    return say(is_new ? http::status::created : http::status::ok,
               order_state{id, is_new ? "placed" : desk.state_of(id).value_or("")});
}

http_response tell(const std::string& order_id, order_desk& desk) {
    const auto state = desk.state_of(order_id);
    return state ? say(http::status::ok, order_state{order_id, *state})
                 : refusal(http::status::not_found, "there is no such order");
}

http_response route(const http_request& asked, order_desk& desk) {
    const std::string_view target = asked.target();
    constexpr std::string_view one_order = "/orders/";
    if (target == "/orders") {
        return asked.method() == http::verb::post
                   ? place(asked, desk)
                   : refusal(http::status::method_not_allowed, "orders are placed with POST");
    }
    if (target.starts_with(one_order)) {
        return asked.method() == http::verb::get
                   ? tell(std::string{target.substr(one_order.size())}, desk)
                   : refusal(http::status::method_not_allowed, "an order is looked at with GET");
    }
    return refusal(http::status::not_found, "there are POST /orders and GET /orders/{id}, and nothing else");
}

} // namespace

http_response refusal(http::status status, std::string_view reason) {
    return say(status, trouble{std::string{reason}});
}

http_response answer_to(const http_request& asked, order_desk& desk, const ferry::log_function& log) {
    try {
        return route(asked, desk);
    } catch (const std::exception& failure) {
        // The customer may try again: what was not committed has not happened, and what was is found by its id.
        log(ferry::log_level::error, std::string{"an order could not be taken: "} + failure.what());
        return refusal(http::status::service_unavailable, "we cannot take orders just now");
    }
}

} // namespace shop
