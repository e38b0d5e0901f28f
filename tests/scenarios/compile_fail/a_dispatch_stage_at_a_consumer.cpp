// expect: this stage does not belong to this scope
#include <ferry/ferry.hpp>

void wrong(ferry::consumer_builder& consumer) {
    consumer.use("wrong",
                 [](ferry::dispatch_context& context, ferry::next<ferry::dispatch_context> next) { next(context); });
}
