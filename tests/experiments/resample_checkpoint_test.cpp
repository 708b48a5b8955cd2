/// @file
/// Tasks whose process ends while they draw resamples behind their solver.
#include "experiments/resample_checkpoint.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "experiments/predictions_support.hpp"
#include "experiments/table_sweep.hpp"

namespace fairfront::experiments::resample_checkpoint_test {
namespace {

/// The machine fails.
struct Killed {};

/// A task with a checkpoint whenever it is asked for one.
class LongTask {
 public:
  explicit LongTask(const TableSweep& sweep) : sweep_{sweep} {}

  /// Goes on from what is kept, and leaves after `most` checkpoints that hold something new: a
  /// solver that goes on from its last state may save that again.
  std::optional<sweep::TaskResult> run(const std::string& experiment, int most) {
    sweep::RunContext context = sweep_.context();
    context.checkpoint_seconds = 0;
    context.load_checkpoint = [this] { return kept_; };
    context.save_checkpoint = [&](const std::string& state) {
      if (kept_ == state) return;
      kept_ = state;
      if (--most == 0) throw Killed{};
    };
    try {
      const parallel::Comm self(MPI_COMM_SELF);
      return find(experiment).run(self, sweep_.task(), context);
    } catch (...) {
      if (most == 0) return std::nullopt;
      throw;
    }
  }
  [[nodiscard]] const std::optional<std::string>& kept() const { return kept_; }

 private:
  const TableSweep& sweep_;
  std::optional<std::string> kept_;
};

/// @param method  with its options. @param shared  the section that has `resamples`.
TableSweep sweep_of(const std::string& experiment, const std::string& shared,
                    const std::string& method) {
  std::string csv = "y,g,s,x\n";
  for (const audit::Row& row : audit::tied_scores(3, 240, 2)) {
    csv += base::format_double(row.label) + "," + row.group + "," + base::format_double(row.score) +
           "," + base::format_double(row.score * row.score + row.label) + "\n";
  }
  const std::string target = experiment == "regression" ? "target = real\n" : "";
  return {experiment, csv, "[" + experiment + "]\n" + shared + method,
          "label = y\nsensitive = g\nfeatures = s, x\n" + target};
}

struct Case {
  std::string experiment, shared, method;
  int resamples = 0;  ///< over all bootstraps of a task
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"ranking", "resamples = 6\n", "[unconstrained_auc]\n", 6},
      {"ranking", "resamples = 6\n", "[sfls]\nsteps = 40\nmost_calls = 3\nlook_every = 20\n", 6},
      {"regression", "resamples = 4\nhalf_atoms = 3\n", "[base_model]\n", 8},
      {"regression", "resamples = 4\nhalf_atoms = 3\n", "[dp_postprocessing]\nsteps = 30\n", 8}};
  return all;
}

TEST(ResampleCheckpoint, ATaskGoesOnWithItsResamplesToTheSameBits) {
  for (const Case& one : cases()) {
    const TableSweep sweep = sweep_of(one.experiment, one.shared, one.method);
    const sweep::TaskResult whole = sweep.run();
    LongTask task(sweep);
    int kills = 0;
    std::optional<sweep::TaskResult> found;
    while (!(found = task.run(one.experiment, 1))) ASSERT_LT(++kills, 300) << one.method;
    EXPECT_GE(kills, one.resamples) << one.method;  // each is kept
    EXPECT_EQ(*found, whole) << one.method;
  }
}

TEST(ResampleCheckpoint, WithoutResamplesTheSolversStateStandsAlone) {
  const Case& with = cases()[1];
  const TableSweep sweep = sweep_of(with.experiment, "", with.method);
  LongTask task(sweep);
  ASSERT_FALSE(task.run(with.experiment, 1));
  const solvers::Control control{.resume = *task.kept()};
  EXPECT_THROW(ResampleCheckpoint{control}, base::CheckpointError);
}

TEST(ResampleCheckpoint, RefusesADamagedCheckpoint) {
  const Case& one = cases()[0];
  const TableSweep sweep = sweep_of(one.experiment, one.shared, one.method);
  LongTask task(sweep);
  ASSERT_FALSE(task.run(one.experiment, 1));
  const std::string state = *task.kept();
  for (const std::string& damaged :
       {state.substr(0, state.size() - 1), state + "x", "x" + state, std::string{}}) {
    const solvers::Control control{.resume = damaged};
    EXPECT_THROW(ResampleCheckpoint{control}, base::CheckpointError);
  }
  const solvers::Control control{.resume = state};
  EXPECT_NO_THROW(ResampleCheckpoint{control});
}

}  // namespace
}  // namespace fairfront::experiments::resample_checkpoint_test
