#include "sweep/task_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace fairfront::sweep {
namespace {

TEST(Rate, IsTheMeanOfTheLatestWithoutTheLeastAndTheLargest) {
  Rate rate;
  EXPECT_FALSE(rate.known());
  EXPECT_EQ(rate.value(), 1);
  for (const auto& [observed, expected] :
       {std::pair{8.0, 8.0}, {2.0, 5.0}, {3.0, 3.0}, {1000.0, 5.5}, {3.0, 14.0 / 3}}) {
    rate.observe(observed);
    EXPECT_DOUBLE_EQ(rate.value(), expected);
  }
  for (int i = 0; i < 16; ++i) rate.observe(0.25);
  EXPECT_EQ(rate.value(), 0.25);  // the old ones are forgotten
}

TEST(TaskTimes, SizesWithoutATaskLieBetweenThoseThatHaveOne) {
  TaskTimes times;
  times.observe(1, 3);      // 3 s a unit
  times.observe(256, 256);  // 1 s a unit
  EXPECT_DOUBLE_EQ(times.seconds(1), 3);
  EXPECT_DOUBLE_EQ(times.seconds(256), 256);
  EXPECT_DOUBLE_EQ(times.seconds(18), 3 + 253. / 15) << "a fifteenth of the way";
  EXPECT_DOUBLE_EQ(times.seconds(0.25), 0.75) << "beyond the ends as at the ends";
  EXPECT_DOUBLE_EQ(times.seconds(1024), 1024);
  times.observe(16, 160);
  EXPECT_DOUBLE_EQ(times.seconds(16), 160);
  EXPECT_DOUBLE_EQ(times.seconds(0), 0);
}

TEST(TaskTimes, WhatTheyExpectIsDoubtedAsFarAsItWasWrong) {
  TaskTimes alike, apart;
  alike.observe(1, 10);
  EXPECT_NEAR(std::sqrt(alike.doubt(1)), 0.4, 1e-9) << "half of it, before any was expected";
  EXPECT_EQ(alike.doubt(100), 0) << "of another size";
  apart = alike;
  for (int i = 0; i < 15; ++i) {
    alike.observe(1, 10);
    apart.observe(1, i % 2 == 0 ? 5 : 20);
  }
  EXPECT_NEAR(std::sqrt(alike.doubt(1)), 0.1, 1e-9);
  EXPECT_GT(std::sqrt(apart.doubt(1)), 0.5);
}

TEST(TaskTimes, IgnoresWhatIsNoTime) {
  TaskTimes times;
  times.observe(0, 1);
  times.observe(1, -1);
  times.observe(1, std::nan(""));
  times.observe(1, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(times.known());
  times.observe(1, 0);
  EXPECT_TRUE(times.known());
}

/// Told every tenth of the time, from `begin` on, of a task whose fraction is the root of that.
std::vector<Mark> marks_of_root(double begin, double seconds) {
  std::vector<Mark> marks;
  for (int i = 0; i < 10; ++i) marks.push_back({begin + 0.1 * i * seconds, std::sqrt(0.1 * i)});
  return marks;
}

TEST(TaskCourse, LearnsHowTimeGoesWithTheFraction) {
  TaskCourse course;
  EXPECT_DOUBLE_EQ(course.share_of_time(0.3), 0.3) << "even, before anything is known";
  course.learn(marks_of_root(5, 20), 25);
  EXPECT_DOUBLE_EQ(course.share_of_time(0), 0);
  EXPECT_DOUBLE_EQ(course.share_of_time(1), 1);
  for (const double fraction : {0.2, 0.5, 0.8, 0.95}) {
    EXPECT_NEAR(course.share_of_time(fraction), (fraction * fraction + fraction / 2) / 1.5, 0.03)
        << fraction << ", beside half an even one";
  }
  course.learn(marks_of_root(0, 20), 40);  // the last fifth takes half of the time
  EXPECT_NEAR(course.share_of_time(std::sqrt(0.9)), (0.9 + 0.45 + std::sqrt(0.9) / 2) / 2.5, 0.05);
}

TEST(TaskCourse, LearnsNothingFromFewMarksOrFromTheEndOfATask) {
  TaskCourse course;
  course.learn(std::vector<Mark>{{0, 0}, {9, 0.1}, {10, 1}}, 10);
  course.learn(std::vector<Mark>{{0, 0.5}, {1, 0.6}, {2, 0.7}, {9, 0.8}, {10, 1}}, 10);
  course.learn(marks_of_root(0, 0), 0);
  EXPECT_DOUBLE_EQ(course.share_of_time(0.3), 0.3);
}

}  // namespace
}  // namespace fairfront::sweep
