#include "solvers/common/stages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "solvers/killed.hpp"

namespace fairfront::solvers {
namespace {

struct StagedParts {
  std::vector<double> values;
  std::vector<std::vector<std::int32_t>> lists;
  std::string text;
  std::optional<double> perhaps;
  bool flag = false;
  bool operator==(const StagedParts&) const = default;
};
template <MaybeConst<StagedParts> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.values, self.lists, self.text, self.perhaps, self.flag);
}

TEST(State, PartsComeBackAsTheyWere) {
  for (const StagedParts& parts :
       {StagedParts{},
        StagedParts{{1, -0.5}, {{1, 2}, {}, {3}}, std::string("a\0b", 3), 0.25, true}}) {
    const std::string bytes = packed_state("parts 1\n", parts);
    StagedParts read{{9}, {{9}}, "9", 9, true};
    unpack_whole_state("parts 1\n", bytes, read);
    EXPECT_EQ(read, parts);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THROW(unpack_whole_state("parts 1\n", std::string_view(bytes).substr(0, size), read),
                   base::CheckpointError);
    }
    EXPECT_THROW(unpack_whole_state("parts 2\n", bytes, read), base::CheckpointError);
    EXPECT_THROW(unpack_whole_state("parts 1\n", bytes + '\0', read), base::CheckpointError);
  }
}

/// Three stages, the second of which has stages itself, with all numbers in their order.
class StagedRun {
 public:
  std::vector<double> operator()(const Control& control) {
    Stages stages(control, "staged 1\n");
    const auto fits = [](const std::vector<double>& values) { return values.size() < 9; };
    std::vector<double> all;
    for (int k = 0; k < 3; ++k) {
      const auto more = stages.next(
          [&](const Control& within) {
            ++made;
            return k == 1 ? in_stages(within) : std::vector<double>{0.1 * k};
          },
          fits);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  int made = 0;

 private:
  std::vector<double> in_stages(const Control& control) {
    Stages stages(control, "inner 1\n");
    std::vector<double> all;
    for (int k = 0; k < 4; ++k) {
      all.push_back(stages.next(
          [&] {
            ++made;
            return 10.0 + k;
          },
          [](double) { return true; }));
    }
    return all;
  }
};

TEST(Stages, ARunThatIsKilledAtEveryCheckpointComesOutTheSame) {
  const std::vector<double> whole = StagedRun()({});
  StagedRun of;
  test::KilledRun killed([&](const Control& control) { return of(control); });
  EXPECT_EQ(killed.to_the_end(), whole);
  EXPECT_EQ(killed.kills(), 7);
  EXPECT_EQ(of.made, 3 + 4 + 4);  // the one with stages was begun after each of its checkpoints
}

TEST(Stages, AWishThatAStageDidNotHearIsRemembered) {
  StagedRun of;
  int asked = 0, saved = 0;
  (void)of({.request = [&] { return ++asked == 1 ? Request::checkpoint : Request::go_on; },
            .save = [&](const std::string&) { ++saved; }});
  EXPECT_EQ(saved, 1);
  const auto deaf = [](const Control& within) { return within.wanted() == Request::checkpoint; };
  asked = saved = 0;
  const Control control{
      .request = [&] { return ++asked == 1 ? Request::checkpoint : Request::go_on; },
      .save = [&](const std::string&) { ++saved; }};
  Stages stages(control, "deaf 1\n");
  EXPECT_TRUE(stages.next(deaf, [](bool) { return true; }));
  EXPECT_EQ(saved, 1);
}

TEST(Stages, AStopKeepsWhatIsDone) {
  const std::vector<double> whole = StagedRun()({});
  for (int wish = 0; wish < 7; ++wish) {
    StagedRun of;
    test::KilledRun killed([&](const Control& control) { return of(control); });
    killed.stop_at(wish);
    of.made = 0;
    EXPECT_EQ(of({.resume = killed.state()}), whole);
    EXPECT_LE(of.made, 7 - wish + 1);
  }
  // Within a stage: of what stood before it nothing is lost.
  std::string state;
  int asked = 0;
  const Control control{.request = [&] { return ++asked == 2 ? Request::stop : Request::go_on; },
                        .save = [&](const std::string& bytes) { state = bytes; }};
  Stages stages(control, "stop 1\n");
  const auto any = [](int) { return true; };
  EXPECT_EQ(stages.next([] { return 1; }, any), 1);
  const auto stopped = [](const Control& within) -> int {
    if (within.wanted() == Request::stop) throw Interrupted();
    return 2;
  };
  EXPECT_THROW((void)stages.next(stopped, any), Interrupted);
  const Control later{.resume = state};
  Stages again(later, "stop 1\n");
  EXPECT_EQ(again.next([] { return 5; }, any), 1);
  EXPECT_EQ(again.next([] { return 5; }, any), 5);
}

TEST(Stages, DamagedStatesAndAnswersThatDoNotFitAreRefused) {
  StagedRun of;
  test::KilledRun killed([&](const Control& control) { return of(control); });
  for (int k = 0; k < 4; ++k) EXPECT_FALSE(killed.to_next_checkpoint());
  test::expect_damage_is_refused(of, killed.state());
  const Control control{.resume = killed.state()};
  Stages stages(control, "staged 1\n");
  EXPECT_THROW(
      (void)stages.next([] { return std::vector<double>{}; },
                        [](const std::vector<double>& values) { return values.size() == 5; }),
      base::CheckpointError);
}

}  // namespace
}  // namespace fairfront::solvers
