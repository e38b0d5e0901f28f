// expect: message_codecs<Message>::list is empty; name at least one codec
#include <ferry/message.hpp>

struct order_placed {
    int order = 0;
};

template <> struct ferry::message_codecs<order_placed> {
    using list = ferry::codec_list<>;
};

const ferry::message_type& type = ferry::message_type::of<order_placed>();
