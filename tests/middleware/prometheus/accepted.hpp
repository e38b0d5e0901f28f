#pragma once

namespace ferry::testing {

/// What the accept() of this program has done.
struct accept_counts {
    int accepted = 0;
    int failed = 0; ///< because there were no descriptors left
};

[[nodiscard]] accept_counts accepts_so_far();

/// As long as it lives, there are no descriptors left when accept() wants one. Others get theirs: UBSan needs some to
/// look at memory.
class no_descriptors_to_accept_with {
public:
    no_descriptors_to_accept_with();
    no_descriptors_to_accept_with(const no_descriptors_to_accept_with&) = delete;
    no_descriptors_to_accept_with& operator=(const no_descriptors_to_accept_with&) = delete;
    ~no_descriptors_to_accept_with();
};

} // namespace ferry::testing
