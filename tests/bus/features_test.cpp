#include <ferry/features.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ferry {
namespace {

struct attempt {
    int number = 1;
};

struct notes {
    std::string text;
    int resets = 0;
    void reset() {
        text.clear();
        ++resets;
    }
};

TEST(FeatureSet, holds_one_object_of_each_type) {
    feature_set features;
    features.get_or_add<attempt>().number = 3;
    features.get_or_add<notes>().text = "late";
    EXPECT_EQ(features.find<attempt>()->number, 3);
    EXPECT_EQ(features.find<notes>()->text, "late");
}

TEST(FeatureSet, has_nothing_that_nobody_added) {
    feature_set features;
    EXPECT_EQ(features.find<attempt>(), nullptr);
}

TEST(FeatureSet, is_empty_after_clearing_and_keeps_the_objects) {
    feature_set features;
    attempt& first = features.get_or_add<attempt>();
    first.number = 3;
    features.clear();
    EXPECT_EQ(features.find<attempt>(), nullptr);
    attempt& second = features.get_or_add<attempt>();
    EXPECT_EQ(&second, &first);
    EXPECT_EQ(second.number, 1);
}

TEST(FeatureSet, lets_a_feature_reset_itself_and_only_when_it_was_used) {
    feature_set features;
    features.get_or_add<notes>().text = "a";
    features.clear();
    features.clear();
    EXPECT_EQ(features.get_or_add<notes>().resets, 1);
}

} // namespace
} // namespace ferry
