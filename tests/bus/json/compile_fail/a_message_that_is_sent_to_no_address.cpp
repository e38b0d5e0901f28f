// expect: ferry: the message_destination of this message is no address
#include <ferry/message.hpp>

struct print_label {
    static constexpr std::string_view message_destination = "labels"; // queue:labels
    int number = 0;
};

const ferry::message_type& type = ferry::message_type::of<print_label>();
