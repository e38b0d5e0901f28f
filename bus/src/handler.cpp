#include <ferry/handler.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>

namespace ferry::detail {

void run_to_end(boost::asio::awaitable<void> handler) {
    // The loop lives on the slot: the coroutine, its clients' callbacks and its context all stay on one thread.
    boost::asio::io_context loop{1};
    std::exception_ptr failure;
    boost::asio::co_spawn(loop, std::move(handler), [&](std::exception_ptr thrown) { failure = std::move(thrown); });
    loop.run();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace ferry::detail
