#include <ferry/consumer.hpp>

namespace ferry {

namespace {

class forgetting_afterwards {
public:
    explicit forgetting_afterwards(collected_messages& collected) noexcept : collected_{collected} {}
    forgetting_afterwards(const forgetting_afterwards&) = delete;
    forgetting_afterwards& operator=(const forgetting_afterwards&) = delete;
    ~forgetting_afterwards() { collected_.clear(); }

private:
    collected_messages& collected_;
};

} // namespace

void consumer_run::decode(receive_context& message) {
    decode_body(message.envelope(), consumer_.message(), box_->object());
    context_.open(message, box_->object());
}

void consumer_run::run() {
    const forgetting_afterwards whatever_happens{context_.collected()};
    consumer_.stages()(context_);
}

} // namespace ferry
