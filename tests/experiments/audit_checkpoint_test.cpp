/// @file
/// Audits whose process ends while they draw resamples.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "experiments/audit_checkpoint.hpp"
#include "experiments/predictions_support.hpp"

namespace fairfront::experiments::audit {
namespace {

/// The machine fails.
struct Killed {};

class LongAudit : public testing::Test {
 protected:
  /// Runs the audit from `kept`, with a checkpoint whenever it is asked for one, and leaves it
  /// after `most` of them.
  std::optional<sweep::TaskResult> run(int most) {
    sweep::RunContext context = audit_.context();
    context.checkpoint_seconds = 0;
    context.load_checkpoint = [this] { return kept_; };
    context.save_checkpoint = [&](const std::string& state) {
      kept_ = state;
      if (--most == 0) throw Killed{};
    };
    try {
      const parallel::Comm self(MPI_COMM_SELF);
      return find("predictions").run(self, audit_.task(), context);
    } catch (...) {
      if (most == 0) return std::nullopt;
      throw;
    }
  }

  std::optional<std::string> kept_;
  Audit audit_{tied_scores(1, 400, 3),
               "[measures]\nintervals = bootstrap\nparts = all, train, test\nresamples = 5\n",
               "split = part\n[split]\nby = column\n"};
};

TEST_F(LongAudit, GoesOnFromItsCheckpointsToTheSameBits) {
  const sweep::TaskResult whole = audit_.run();
  std::vector<std::string> states;
  int kills = 0;
  std::optional<sweep::TaskResult> found;
  while (!(found = run(1))) {
    ASSERT_LT(++kills, 100);
    ASSERT_TRUE(states.empty() || *kept_ != states.back()) << "nothing is gained";
    states.push_back(*kept_);
  }
  EXPECT_GE(kills, 15);  // after each resample of three parts
  EXPECT_EQ(*found, whole);
}

TEST_F(LongAudit, TellsOfItsResamples) {
  sweep::RunContext context = audit_.context();
  int resamples = 0;
  double before = 0;
  context.report = [&](const sweep::TaskProgress& now) {
    resamples += now.text.find("resample") != std::string::npos ? 1 : 0;
    EXPECT_GE(now.fraction, before) << now.text;
    before = now.fraction;
  };
  const parallel::Comm self(MPI_COMM_SELF);
  (void)find("predictions").run(self, audit_.task(), context);
  EXPECT_EQ(resamples, 15);  // five of three parts
  EXPECT_EQ(before, 1);
}

TEST_F(LongAudit, RefusesADamagedCheckpoint) {
  ASSERT_FALSE(run(1));
  const std::string state = *kept_;
  for (const std::string& damaged :
       {state.substr(0, state.size() - 1), state + "x", "x" + state, std::string{}}) {
    const solvers::Control control{.resume = damaged};
    EXPECT_THROW(AuditCheckpoint{control}, base::CheckpointError);
  }
  EXPECT_NO_THROW(AuditCheckpoint{solvers::Control{.resume = state}});
}

}  // namespace
}  // namespace fairfront::experiments::audit
