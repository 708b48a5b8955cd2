#include "experiments/ranking_tuning.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "experiments/ranking.hpp"
#include "numbers.hpp"
#include "sweep/trials.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments::ranking_tuning_test {
namespace {

using sweep::Task;
using sweep::TaskResult;
using testing::HasSubstr;

/// Two features that know label and group, parts in turn.
/// @param other_test  the labels of the test part are turned round.
std::string table(int rows, bool other_test = false) {
  base::Stream stream(base::StreamKey(1, "test", "tuning table"), 0);
  const char* const parts[] = {"train", "validation", "test"};
  std::string text = "label,group,part,x,z\n";
  for (int i = 0; i < rows; ++i) {
    const auto group = static_cast<int>(stream.below(2));
    const bool positive = stream.uniform() < 0.4;
    const bool shown = other_test && i % 3 == 2 ? !positive : positive;
    // Drawn one by one: the order of a call's arguments is the compiler's.
    const double z = stream.normal() + (positive ? 1 : 0) + group;
    const double x = stream.normal() + (positive ? 1 : 0);
    text += fmt::format("{},{},{},{},{}\n", shown ? 1 : 0, "ab"[group], parts[i % 3],
                        base::format_double(x), base::format_double(z));
  }
  return text;
}

/// Parts by the column, or drawn.
class Sweep : public TableSweep {
 public:
  explicit Sweep(const std::string& config, const std::string& csv = table(600),
                 const std::string& split = "by = column\nvalidation_values = validation\n")
      : TableSweep("ranking", csv, "[split]\n" + split + config,
                   std::string("label = label\nsensitive = group\nfeatures = x, z\n") +
                       (split.starts_with("by = column") ? "split = part\n" : "")) {}
};

Method<RankingProblem> method_named(const std::string& name) {
  const Family<RankingProblem> family = ranking_family();
  return *std::ranges::find_if(family.methods,
                               [&](const auto& method) { return method.section.name == name; });
}

std::optional<Tuning> tuning_of(const std::string& method) { return method_named(method).tuning; }

const std::map<std::string, std::string>& cases() {
  static const std::map<std::string, std::string> options{
      {"sfls", "steps = 100\nmost_calls = 3\nlook_every = 20\nkappa = 0.4, 0.05\n"},
      {"iqrc", "steps = 50\niterations = 2\nlook_every = 20\nkappa = 0.4\nhidden_units = 3\n"},
      {"proxy_lagrangian", "model = linear, network\nsteps = 200\nlook_every = 20\n"},
      {"correlation_penalty", "model = linear, network\nsteps = 200\nweight = 0.5\n"},
      {"score_postprocessing",
       "model = network\nsteps = 100\nfactor_step = 0.5\nshift_step = 0.5\n"}};
  return options;
}

/// The largest AUC of the points within the level; where there is none, minus the smallest gap.
double score_of_points(const std::vector<double>& points, double level) {
  double best = -1;
  double gap = 1;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    if (points[i + 1] <= level) best = std::max(best, points[i]);
    gap = std::min(gap, points[i + 1]);
  }
  return best >= 0 ? best : -gap;
}

/// Of four scores: neither end is the best one alone, and not all are the same.
bool is_inside(const std::vector<double>& scores, std::ptrdiff_t best) {
  if (best == 0) return scores[1] == scores[0] && scores[3] != scores[0];
  return best < 3;
}

/// Every value is run as a task of its own, without [tuning], on the trials' split, kappa, weight
/// and level. What the front says of the validation part decides.
TEST(RankingTuning, TheStepIsTheOneWhoseRunIsBest) {
  const std::vector<std::string> steps{"0.002", "0.05", "0.3", "1"};
  std::set<std::string> winners;
  for (const auto& [method, options] : cases()) {
    for (const double level : {0.02, 0.3}) {
      const std::string split = "by = fractions\nvalidation = 0.3\ntest = 0.2\nsplit_seed = 4\n";
      const Sweep tuned(
          fmt::format("[tuning]\nwidenings = 0\nsteps = {}\nseed = 9\nkappa = 0.1\nweight = 0.2\n"
                      "bound = {}\n[{}]\n{}",
                      base::join(steps, ", "), level, method, options),
          table(600), split);
      for (std::int64_t index = 0; index < tuned.tasks(); ++index) {
        const Task task = tuned.task(index);
        const std::vector<Task> trials = trials_of(tuning_of(method), task, {});
        ASSERT_EQ(trials.size(), steps.size());
        std::vector<double> scores;
        for (const std::string& step : steps) {
          const Sweep plain(fmt::format("[{}]\n{}", method, options), table(600), split);
          Task trial = plain.task(index);
          trial.values.at("seed") = trial.values.at("split.split_seed") = "9";
          trial.values.at(method + ".step") = step;
          for (const auto& [name, value] : std::map<std::string, std::string>{
                   {"kappa", "0.1"}, {"weight", "0.2"}, {"bound", base::format_double(level)}}) {
            const auto own = trial.values.find(method + "." + name);
            if (own != trial.values.end()) own->second = value;
          }
          const parallel::Comm self(MPI_COMM_SELF);
          const TaskResult run = find("ranking").run(self, trial, plain.context());
          EXPECT_FALSE(numbers_of(run).contains("step_used"));
          scores.push_back(score_of_points(run.front.points, level));
        }
        const TaskResult result = tuned.run(index);
        const auto best = std::ranges::max_element(scores) - scores.begin();
        const std::string& winner = steps[static_cast<std::size_t>(best)];
        winners.insert(winner);
        EXPECT_EQ(result.series.at("trial_score").values, scores) << method;
        EXPECT_EQ(numbers_of(result).at("step_used"), base::parse_double(winner)) << method;
        EXPECT_EQ(numbers_of(result).at("step_inside"), is_inside(scores, best) ? 1 : 0) << method;
      }
    }
  }
  EXPECT_GT(winners.size(), 1u);
}

/// A score that is best at a step, and falls on both sides of it.
StepScore best_at(double best) {
  return [best](double step) { return -std::abs(std::log(step / best)); };
}

TEST(RankingTuning, TheGridWidensUntilItsBestIsInside) {
  using testing::ElementsAre;
  const TuningOptions some{.steps = {0.3, 0.01, 0.1, 0.05}};
  EXPECT_THAT(tried_steps(some, best_at(0.06)), ElementsAre(0.01, 0.05, 0.1, 0.3));
  EXPECT_THAT(tried_steps(some, best_at(0.3)), ElementsAre(0.01, 0.05, 0.1, 0.3, 0.9));
  EXPECT_THAT(tried_steps(some, best_at(9)),
              ElementsAre(0.01, 0.05, 0.1, 0.3, 0.9, 2.7, 8.1, 24.3));
  EXPECT_THAT(tried_steps(some, best_at(5e-4)),
              ElementsAre(8e-5, 4e-4, 0.002, 0.01, 0.05, 0.1, 0.3));
  EXPECT_THAT(tried_steps({.steps = {0.1}}, best_at(0.1)), ElementsAre(0.0333, 0.1, 0.3));
  EXPECT_THAT(tried_steps({}, best_at(1)), testing::IsEmpty());
  for (double best = 1e-4; best < 1e4; best *= 1.7) {  // wherever the best is
    const std::vector<double> tried = tried_steps({.steps = {0.1, 0.3, 1, 3}}, best_at(best));
    std::vector<double> scores;
    for (const double step : tried) scores.push_back(best_at(best)(step).value());
    const std::size_t place = place_of_best(scores).value();
    EXPECT_TRUE(place > 0 && place + 1 < tried.size()) << best;
  }
}

TEST(RankingTuning, WideningEndsAtItsBoundsAndWhereAScoreIsNotKnown) {
  using testing::ElementsAre;
  const auto none = [](double) { return std::optional<double>(); };
  EXPECT_THAT(tried_steps({.steps = {0.3, 0.1}}, none), ElementsAre(0.1, 0.3));
  const auto up_to_three = [](double step) {
    return step > 1 ? std::nullopt : std::optional(step);
  };
  EXPECT_THAT(tried_steps({.steps = {0.1, 0.3}}, up_to_three), ElementsAre(0.1, 0.3, 0.9, 2.7));
  EXPECT_THAT(tried_steps({.steps = {0.2, 0.1}, .widenings = 0}, best_at(9)),
              ElementsAre(0.1, 0.2));
  EXPECT_THAT(tried_steps({.steps = {0.2, 0.1}, .widenings = 2}, best_at(9)),
              ElementsAre(0.1, 0.2, 0.4, 0.8));
  EXPECT_THAT(tried_steps({.steps = {1e-100, 1e100}}, best_at(1e100)), ElementsAre(1e-100, 1e100));
  // 1.0015 to three digits were below 1.001
  EXPECT_EQ(tried_steps({.steps = {1.0005, 1.001}, .widenings = 1}, best_at(9)).back(),
            1.001 * (1.001 / 1.0005));
}

/// Steps so short that nothing changes come to the same, however short; so do steps too long.
TEST(RankingTuning, ThePlateausOfTooShortAndTooLongStepsAreNotFollowed) {
  using testing::ElementsAre;
  const auto plateau = [](double low, double high) {
    return [=](double step) {
      return std::optional(-std::abs(std::log(std::clamp(step, low, high))));
    };
  };
  const TuningOptions some{.steps = {0.1, 0.3, 1, 3}};
  const auto flat = [](double) { return std::optional(0.5); };
  EXPECT_EQ(tried_steps(some, flat).size(), 16u);  // all the same: twelve larger ones are tried
  EXPECT_THAT(tried_steps({.steps = {0.001, 0.01, 100}},
                          [](double step) { return std::optional(step < 1 ? 0.8 : 0.6); }),
              ElementsAre(0.001, 0.01, 100));
  EXPECT_THAT(tried_steps({.steps = {0.1, 10, 30}},
                          [](double step) { return std::optional(step > 1 ? 0.8 : 0.6); }),
              ElementsAre(0.1, 10, 30));
  EXPECT_THAT(tried_steps({.steps = {1e-6, 1e-5}}, plateau(1e-3, 10)),  // up to the best, 1
              testing::Contains(testing::DoubleNear(1, 1e-9)));
}

/// Where no iterates stay finite, steps are too long.
TEST(RankingTuning, WithoutAnyScoreSmallerStepsAreTried) {
  const auto score = [](double step) { return step > 0.05 ? std::nan("") : best_at(0.01)(step); };
  EXPECT_THAT(tried_steps({.steps = {0.1, 0.3}}, score),
              testing::ElementsAre(0.0037, 0.0111, 0.0333, 0.1, 0.3));
}

/// A run of real trials, and what the archive says of their end.
TEST(RankingTuning, ATaskWidensItsGridAndSaysWhenTheBestIsAtItsEnd) {
  const std::string method = "[sfls]\nsteps = 100\nmost_calls = 3\nlook_every = 20\n";
  const TaskResult inside = Sweep("[tuning]\nsteps = 1e-6, 1e-5\nwidenings = 30\n" + method).run();
  EXPECT_EQ(numbers_of(inside).at("step_inside"), 1);
  EXPECT_GT(numbers_of(inside).at("step_used"), 1e-5);
  EXPECT_THAT(inside.remark, testing::Not(HasSubstr("may be better")));
  const std::vector<double>& tried = inside.series.at("trial_step").values;
  EXPECT_GT(tried.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(tried));
  const TaskResult ended = Sweep("[tuning]\nsteps = 1e-6, 1e-5\nwidenings = 1\n" + method).run();
  EXPECT_EQ(numbers_of(ended).at("step_inside"), 0);
  EXPECT_THAT(ended.remark,
              HasSubstr("step = 1e-04, the largest that was tried, is as good as any, so that a "
                        "larger one may be better: tuning.widenings = 1 allows no further one"));
  EXPECT_THAT(ended.series.at("trial_step").values, testing::ElementsAre(1e-6, 1e-5, 1e-4));
}

/// The run behind the trials is that of a task with the chosen step.
TEST(RankingTuning, ATaskGoesOnWithTheChosenStep) {
  const Sweep tuned(
      "[tuning]\nwidenings = 0\nsteps = 0.001, 0.2\n[sfls]\nsteps = 100\nmost_calls = 3\n");
  const TaskResult result = tuned.run();
  const Sweep plain(fmt::format("[sfls]\nsteps = 100\nmost_calls = 3\nstep = {}\n",
                                numbers_of(result).at("step_used")));
  TaskResult expected = plain.run();
  EXPECT_EQ(result.front, expected.front);
  expected.metrics["step_used"] = numbers_of(result).at("step_used");
  expected.metrics["step_inside"] = 0;  // of two
  EXPECT_EQ(numbers_of(result), numbers_of(expected));
  EXPECT_THAT(result.remark, HasSubstr("tuning.widenings = 0 allows no further one"));
}

/// In another process, whose cache is empty.
TaskResult run_anew(const Sweep& sweep, std::int64_t index = 0, const std::string& stream = "") {
  sweep::RunContext context = sweep.context();
  context.cache = std::make_shared<sweep::Cache>();
  const parallel::Comm self(MPI_COMM_SELF);
  sweep::Task task = sweep.task(index);
  task.stream = stream;
  return find("ranking").run(self, task, context);
}

TEST(RankingTuning, TheTestPartIsNotLookedAt) {
  const Sweep sweep(
      "[tuning]\nwidenings = 0\nsteps = 0.002, 0.05, 0.3\nlevel = 0.1\n[sfls]\nsteps = "
      "100\nmost_calls = 3\n");
  const std::string stream = "whatever the test part is";
  const TaskResult one = run_anew(sweep, 0, stream);
  test::put_bytes(sweep.task().values.at("data.file"), table(600, true));
  const TaskResult other = run_anew(sweep, 0, stream);
  EXPECT_NE(numbers_of(one).at("auc_test"), numbers_of(other).at("auc_test"));
  EXPECT_EQ(numbers_of(one).at("step_used"), numbers_of(other).at("step_used"));
  EXPECT_EQ(one.series.at("trial_score").values, other.series.at("trial_score").values);
  EXPECT_EQ(one.front.points, other.front.points);
}

/// Also when each is run by a rank of its own.
TEST(RankingTuning, AllTasksOfAPanelHaveTheSameStep) {
  const Sweep shared(
      "[tuning]\nwidenings = 0\nsteps = 0.002, 0.05, 0.3\nseed = 3\n[sfls]\nkappa = 0.05, 0.5\n"
      "bound = 0.1, 1\nsteps = 100\nmost_calls = 3\n",
      table(600), "by = fractions\nvalidation = 0.3\ntest = 0.2\nsplit_seed = 3, 4, 5\n");
  std::set<std::vector<double>> scores;
  std::set<double> steps;
  for (std::int64_t index = 0; index < shared.tasks(); ++index) {
    const TaskResult result = shared.run(index);
    steps.insert(numbers_of(result).at("step_used"));
    scores.insert(result.series.at("trial_score").values);
    EXPECT_EQ(run_anew(shared, index), result) << index;
  }
  EXPECT_EQ(shared.tasks(), 12);
  EXPECT_EQ(steps.size(), 1u);
  EXPECT_EQ(scores.size(), 1u);
}

/// Stops, each a few questions further on.
TEST(RankingTuning, ATrialGoesOnFromItsCheckpointAndIsNotMadeAgain) {
  const Sweep sweep(
      "[tuning]\nwidenings = 0\nsteps = 0.01, 0.1\n[sfls]\nsteps = 300\nmost_calls = 4\nlook_every "
      "= 10\n");
  const sweep::Experiment& ranking = find("ranking");
  const parallel::Comm self(MPI_COMM_SELF);
  for (const Task& trial : ranking.trials(sweep.task(), {})) {
    const double whole = ranking.score(self, trial, sweep.context());
    std::optional<std::string> state;
    int stops = 0;
    for (int patience = 3;; ++patience) {
      ASSERT_LT(stops, 200);
      sweep::RunContext context = sweep.context();
      int questions = patience;
      context.stop_wanted = [&] { return --questions <= 0; };
      context.save_checkpoint = [&](const std::string& bytes) { state = bytes; };
      context.load_checkpoint = [&] { return state; };
      try {
        EXPECT_EQ(sweep::score_of_trial(ranking, self, trial, context), whole);
        questions = 1;  // nothing runs any more
        EXPECT_EQ(sweep::score_of_trial(ranking, self, trial, context), whole);
        break;
      } catch (const sweep::TaskInterrupted&) {
        ++stops;
      }
    }
    EXPECT_GT(stops, 3);
  }
}

/// As a run does it: the task finds the scores of its trials, and makes none.
TEST(RankingTuning, ATaskTakesTheScoresThatTheRunHasFound) {
  const Sweep sweep(
      "[tuning]\nwidenings = 0\nsteps = 0.01, 0.1, 0.3\n[sfls]\nsteps = 100\nmost_calls = 3\n");
  auto outcomes = std::make_shared<sweep::TrialOutcomes>();
  const std::vector<Task> trials = find("ranking").trials(sweep.task(), {});
  for (const Task& trial : trials) {
    (*outcomes)[sweep::address_of(trial)].score = trial.values.at("sfls.step") == "0.1" ? 2 : 1;
  }
  ASSERT_EQ(outcomes->size(), 3u);
  sweep::RunContext context = sweep.context();
  context.trials = outcomes;
  const parallel::Comm self(MPI_COMM_SELF);
  const TaskResult result = find("ranking").run(self, sweep.task(), context);
  EXPECT_EQ(numbers_of(result).at("step_used"), 0.1);
  EXPECT_EQ(result.series.at("trial_score").values, (std::vector<double>{1, 2, 1}));
  outcomes->at(sweep::address_of(trials.back())).failure = "no row of group 'a'";
  try {
    (void)find("ranking").run(self, sweep.task(), context);
    ADD_FAILURE() << "a failed trial fails its tasks";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "no row of group 'a'");
    EXPECT_EQ(error.fault(), base::Fault::input);
  }
}

/// Its intervals, and whatever else a task reports beside the validation part, are left out.
TEST(RankingTuning, ATrialTellsOfTheValidationPartAlone) {
  const Sweep sweep(
      "[ranking]\nresamples = 50\n[tuning]\nwidenings = 0\nsteps = 0.1, 0.3\n"
      "[sfls]\nsteps = 100\nmost_calls = 3\n");
  Task trial = find("ranking").trials(sweep.task(), {}).front();
  EXPECT_TRUE(trial.is_trial);
  const Method<RankingProblem> sfls = method_named("sfls");
  const auto loaded = ranking_family().load(trial, sweep.context());
  const parallel::Comm self(MPI_COMM_SELF);
  const TaskResult short_one = sfls.run(self, loaded.problem, trial, {});
  trial.is_trial = false;
  const TaskResult whole = sfls.run(self, loaded.problem, trial, {});
  EXPECT_TRUE(numbers_of(whole).contains("auc_test_low"));
  EXPECT_FALSE(numbers_of(short_one).empty());
  for (const auto& [name, value] : numbers_of(short_one)) {
    EXPECT_THAT(name, testing::AnyOf("feasible", "best_auc_validation"));
    EXPECT_EQ(value, numbers_of(whole).at(name));
  }
  EXPECT_EQ(short_one.front.points, whole.front.points);
  EXPECT_TRUE(short_one.front.report.empty());
}

TEST(RankingTuning, TrialsWithoutFiniteIteratesAreLeftOut) {
  const Tuning tuning = tuning_of("sfls").value();
  const double none =
      score_of(tuning, []() -> TaskResult { throw std::domain_error("iterates are not finite"); });
  EXPECT_TRUE(std::isnan(none));
  EXPECT_EQ(best_of(tuning, {none, -0.4, 0.7, 0.7, none}), 2u);
  EXPECT_THROW((void)best_of(tuning, {none, none}), std::domain_error);
  Task trial = Sweep("[tuning]\nsteps = 0.1\n[sfls]\n").task();
  std::vector<Task> tried;
  for (const char* step : {"0.1", "0.3", "0.9"}) {
    trial.values.at("sfls.step") = step;
    tried.push_back(trial);
  }
  TaskResult result;
  add_tuning(result, tuning, tried, {-0.4, 0.7, none});  // beyond 0.3 nothing converges
  EXPECT_EQ(numbers_of(result).at("step_used"), 0.3);
  EXPECT_EQ(numbers_of(result).at("step_inside"), 1);
  EXPECT_EQ(result.remark, "");
  result = {};
  add_tuning(result, tuning, tried, {none, -0.4, 0.7});
  EXPECT_EQ(numbers_of(result).at("step_used"), 0.9);
  EXPECT_EQ(numbers_of(result).at("step_inside"), 0);
  EXPECT_EQ(result.series.at("trial_score").steps, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(result.series.at("trial_score").values, (std::vector<double>{-0.4, 0.7}));
  EXPECT_EQ(result.series.at("trial_step").values, (std::vector<double>{0.1, 0.3, 0.9}));
}

/// A run makes them once for many tasks.
TEST(RankingTuning, TheForecastOfATaskHasTheMemoryOfItsTrialsAndNotTheirWork) {
  const std::string method = "[sfls]\nsteps = 100\nkappa = 0.05\n";
  const sweep::Work plain = Sweep(method).forecast().work;
  const sweep::Work tuned =
      Sweep("[tuning]\nwidenings = 0\nsteps = 0.1, 0.2, 0.3\n" + method).forecast().work;
  EXPECT_EQ(tuned.amount, plain.amount);
  EXPECT_GT(tuned.bytes_per_rank, plain.bytes_per_rank);
}

std::string error_of(const std::string& config) {
  try {
    (void)Sweep(config).forecast();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RankingTuning, BadOptionsAreNamed) {
  for (const char* steps :
       {"0.1, 0", "-1", "0.1, 0.1", "0.1, x", "nan", "inf", "1e101", "1e-101"}) {
    EXPECT_THAT(error_of(fmt::format("[tuning]\nwidenings = 0\nsteps = {}\n[sfls]\n", steps)),
                HasSubstr("different numbers from 1e-100 to 1e+100"))
        << steps;
  }
  EXPECT_THAT(error_of("[tuning]\nwidenings = 0\nsteps = 0.1\nkappa = 0\n[sfls]\n"),
              HasSubstr("tuning.kappa = 0: no score is feasible"));
  EXPECT_EQ(error_of("[tuning]\nwidenings = 0\nsteps = 0.1\nkappa = 0\n[exact_auc]\n"), "");
  EXPECT_THAT(error_of("[tuning]\nlevel = 2\n[sfls]\n"), HasSubstr("tuning.bound"));
}

TEST(RankingTuning, OptionsThatChangeNothingAreTold) {
  const auto idle = [](const std::string& config) {
    std::set<std::string> names = Sweep(config).idle();
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("tuning.") && !name.ends_with(".step");
    });
    return names;
  };
  using testing::ElementsAre;
  EXPECT_THAT(idle("[sfls]\n"), ElementsAre("tuning.bound", "tuning.kappa", "tuning.seed",
                                            "tuning.weight", "tuning.widenings"));
  EXPECT_THAT(idle("[tuning]\nwidenings = 0\nsteps = 0.1\n[sfls]\n"),
              ElementsAre("sfls.step", "tuning.weight"));
  EXPECT_THAT(idle("[tuning]\nwidenings = 0\nsteps = 0.1\n[correlation_penalty]\n"),
              ElementsAre("correlation_penalty.step", "tuning.kappa"));
  const std::string tried = "[tuning]\nwidenings = 0\nsteps = 0.1\n";
  const std::vector<std::string> all{"tuning.bound", "tuning.kappa",  "tuning.seed",
                                     "tuning.steps", "tuning.weight", "tuning.widenings"};
  EXPECT_THAT(idle(tried + "[exact_auc]\n"), testing::ElementsAreArray(all));
  EXPECT_THAT(
      idle(tried + "[score_postprocessing]\n"),
      testing::AllOf(testing::IsSupersetOf(all), testing::Contains("score_postprocessing.step")));
  EXPECT_THAT(idle(tried + "[score_postprocessing]\nmodel = network\n"),
              ElementsAre("score_postprocessing.step", "tuning.kappa", "tuning.weight"));
}

}  // namespace
}  // namespace fairfront::experiments::ranking_tuning_test
