#pragma once

#include <ferry/json/json_format.hpp>
#include <ferry/json/json_scalars.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ferry {

/// A container with an order of its own, such as std::vector, std::deque or std::list.
template <typename Container>
concept json_sequence = requires(Container container, Container::value_type value) {
    container.begin();
    container.push_back(std::move(value));
    container.erase(container.begin(), container.end());
} && !requires { typename Container::traits_type; };

/// A container that keeps each value once, such as std::set.
template <typename Container>
concept json_set = requires(Container container, Container::key_type value) {
    container.insert(std::move(value));
    container.clear();
} && !requires { typename Container::mapped_type; };

template <typename Range> void write_elements(json_writer& out, const Range& range) {
    json_step step{.kind = json_step_kind::element};
    out.enter(step);
    out.put('[');
    for (const auto& element : range) {
        if (step.index > 0) {
            out.put(',');
        }
        write_json<typename Range::value_type>(out, element);
        ++step.index;
    }
    out.put(']');
    out.leave(step);
}

[[noreturn]] inline void fail_count(const json_reader& in, std::size_t expected) {
    in.fail("expected an array of exactly " + std::to_string(expected) + " elements");
}

template <json_sequence Sequence> struct json_format<Sequence> {
    static void write(json_writer& out, const Sequence& sequence) { write_elements(out, sequence); }

    // Elements that are there already are read over, which keeps the memory they hold.
    static void read(json_reader& in, Sequence& sequence) {
        in.begin_array();
        for (auto place = sequence.begin(); place != sequence.end(); ++place) {
            if (!in.next_element()) {
                sequence.erase(place, sequence.end());
                return;
            }
            read_json(in, *place);
        }
        while (in.next_element()) {
            read_json(in, sequence.emplace_back());
        }
    }
};

// Its elements are bits, which nothing can be read into.
template <> struct json_format<std::vector<bool>> {
    static void write(json_writer& out, const std::vector<bool>& bits) { write_elements(out, bits); }
    static void read(json_reader& in, std::vector<bool>& bits) {
        bits.clear();
        in.begin_array();
        while (in.next_element()) {
            bits.push_back(in.read_bool());
        }
    }
};

template <json_set Set> struct json_format<Set> {
    static void write(json_writer& out, const Set& set) { write_elements(out, set); }
    static void read(json_reader& in, Set& set) {
        set.clear();
        in.begin_array();
        while (in.next_element()) {
            typename Set::value_type value{};
            read_json(in, value);
            set.insert(std::move(value));
        }
    }
};

template <typename Element, std::size_t Size> struct json_format<std::array<Element, Size>> {
    static void write(json_writer& out, const std::array<Element, Size>& array) { write_elements(out, array); }
    static void read(json_reader& in, std::array<Element, Size>& array) {
        std::size_t count = 0;
        in.begin_array();
        for (; in.next_element(); ++count) {
            if (count == Size) {
                fail_count(in, Size);
            }
            read_json(in, array[count]);
        }
        if (count < Size) {
            fail_count(in, Size);
        }
    }
};

/// A pair or tuple: an array whose elements have their places.
template <typename Tuple> struct json_tuple_format {
    static constexpr std::size_t size = std::tuple_size_v<Tuple>;

    static void write(json_writer& out, const Tuple& tuple) {
        json_step step{.kind = json_step_kind::element};
        out.enter(step);
        out.put('[');
        std::apply([&](const auto&... element) { (write_element(out, step, element), ...); }, tuple);
        out.put(']');
        out.leave(step);
    }
    static void read(json_reader& in, Tuple& tuple) {
        in.begin_array();
        std::apply([&](auto&... element) { (read_element(in, element), ...); }, tuple);
        if (in.next_element()) {
            fail_count(in, size);
        }
    }

private:
    template <typename Element> static void write_element(json_writer& out, json_step& step, const Element& element) {
        if (step.index > 0) {
            out.put(',');
        }
        write_json(out, element);
        ++step.index;
    }
    template <typename Element> static void read_element(json_reader& in, Element& element) {
        if (!in.next_element()) {
            fail_count(in, size);
        }
        read_json(in, element);
    }
};

template <typename First, typename Second> struct json_format<std::pair<First, Second>>
    : json_tuple_format<std::pair<First, Second>> {};

template <typename... Element> struct json_format<std::tuple<Element...>> : json_tuple_format<std::tuple<Element...>> {
};

} // namespace ferry
