#include "sweep/time_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "fake_experiment.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

constexpr double minute = 60;
constexpr double hour = 3600;
constexpr double day = 24 * hour;
constexpr double margin = 30;  ///< for writing the archive before a SLURM job ends
constexpr double forever = std::numeric_limits<double>::infinity();

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// An environment in which a SLURM job ends so many seconds from now.
Environment job_ends_in(double seconds) {
  const auto end = static_cast<std::int64_t>(seconds_since_1970() + seconds);
  return [end](const std::string& name) {
    return name == "SLURM_JOB_END_TIME" ? std::optional{std::to_string(end)} : std::nullopt;
  };
}

/// An environment in which SLURM_JOB_END_TIME has this text.
Environment job_end_text(const std::string& text) {
  return [text](const std::string& name) {
    return name == "SLURM_JOB_END_TIME" ? std::optional{text} : std::nullopt;
  };
}

const Environment no_job = [](const std::string&) { return std::nullopt; };

TEST(TimeLimit, IsReadAsSlurmReadsIt) {
  EXPECT_EQ(parse_time_limit("90"), 90 * minute);
  EXPECT_EQ(parse_time_limit("1:30"), 90);
  EXPECT_EQ(parse_time_limit("0:01"), 1);
  EXPECT_EQ(parse_time_limit("2:03:04"), 2 * hour + 3 * minute + 4);
  EXPECT_EQ(parse_time_limit("3-4"), 3 * day + 4 * hour);
  EXPECT_EQ(parse_time_limit("3-4:05"), 3 * day + 4 * hour + 5 * minute);
  EXPECT_EQ(parse_time_limit("1-00:00:01"), day + 1);
  EXPECT_EQ(parse_time_limit("0-1"), hour);
}

TEST(TimeLimit, AnythingElseIsRefusedWithTheFormats) {
  for (const char* text : {"", "0", "0:00", "-5", "1h", "1.5", "1:2:3:4", "1-", "-", "1-2-3",
                           "1--2", "a:b", "1::2", ":", "1-2:3:4:5", "99999999999999999999"}) {
    EXPECT_THAT(message_of([&] { (void)parse_time_limit(text); }),
                AllOf(HasSubstr("--time-limit = '" + std::string(text) + "'"), HasSubstr("H:M:S")))
        << text;
  }
}

TEST(AllowedSeconds, AreUnlimitedWithoutLimitAndJob) {
  EXPECT_EQ(allowed_seconds("", no_job), forever);
  EXPECT_EQ(allowed_seconds("0:07", no_job), 7);
}

TEST(AllowedSeconds, EndBeforeTheSlurmJobByTheTimeThatTheArchiveNeeds) {
  EXPECT_THAT(allowed_seconds("", job_ends_in(1000)),
              AllOf(Le(1000 - margin), Ge(1000 - margin - 30)));
}

TEST(AllowedSeconds, AreTheShorterOfLimitAndJob) {
  EXPECT_EQ(allowed_seconds("1:00", job_ends_in(1000)), minute);
  EXPECT_LE(allowed_seconds("60", job_ends_in(1000)), 1000 - margin);
}

TEST(AllowedSeconds, AreNoneInAJobThatEndsWithinTheMargin) {
  EXPECT_EQ(allowed_seconds("", job_ends_in(margin - 1)), 0);
  EXPECT_EQ(allowed_seconds("", job_ends_in(-1000)), 0);
}

TEST(AllowedSeconds, AnEndThatIsNoTimeSaysNothing) {
  for (const char* text : {"", "soon", "nan"}) {
    EXPECT_EQ(allowed_seconds("", job_end_text(text)), forever) << text;
  }
}

TEST(AllowedSeconds, ABadLimitIsRefusedInAJobToo) {
  EXPECT_THAT(message_of([] { (void)allowed_seconds("never", job_ends_in(1000)); }),
              HasSubstr("'never'"));
}

}  // namespace
}  // namespace fairfront::sweep::test
