// What random numbers do not depend on: how a path is written, and what only observes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/random.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "parallel/comm.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments::streams_test {
namespace {

using sweep::TaskResult;

/// A method of an experiment, and options for a short run.
struct Case {
  const char* experiment;
  const char* method;
  const char* shared;   ///< sections but [data], and options before them
  const char* options;  ///< of the method
};

constexpr const char* training =
    "[split]\nvalidation = 0.2\ntest = 0.2\n[model]\nhidden = 3\n[training]\nbudget = 1500\n"
    "trace_points = {}\n";
const Case cases[] = {
    {"clustering", "safairkm_front", "[clustering]\nclusters = 3\n",
     "iterations = 10\nstarts = 4\n"},
    {"clustering", "balance_ladder", "[clustering]\nclusters = 3\n", "starts = 2\n"},
    {"training", "sgd", training, ""},
    {"training", "ssl_alm", training, ""},
    {"training", "switching_subgradient", training, ""},
    {"training", "stochastic_ghost", training, "most_level = 4\n"},
    {"training", "fairret", training, ""},
    {"training", "certified_training", training, ""},
    {"alternating", "sa2gd",
     "[alternating]\nproblem = data\nn_total = 4\niterations = 30\ntrace_points = {}\n",
     "noise = 0.1\n"},
};

/// 80 rows: two numbers, a group and a label that follows both loosely.
std::string people() {
  std::string text = "age,income,sex,owner\n";
  base::Stream stream(base::StreamKey(1, "streams test", "people"), 0);
  for (int row = 0; row < 80; ++row) {
    const auto age = stream.below(60);
    const auto income = stream.below(90);
    text += fmt::format("{},{},{},{}\n", age, income, row % 3 == 0 ? "f" : "m",
                        age + income + stream.below(40) > 95 ? 1 : 0);
  }
  return text;
}

class Streams : public testing::Test {
 protected:
  Streams() { test::put_bytes(folder_ / "people.csv", people()); }

  [[nodiscard]] TaskResult run(const Case& what, const std::string& file, int trace_points,
                               const std::string& more = "") const {
    std::string data = "[data]\ndata = csv\nsensitive = sex\nfeatures = age, income\nfile = ";
    data += file + "\n";
    if (std::string(what.experiment) != "clustering") data += "label = owner\n";
    const std::string text = fmt::format("experiment = {}\n", what.experiment) + data +
                             fmt::format(fmt::runtime(what.shared), trace_points) +
                             fmt::format("[{}]\n{}{}", what.method, what.options, more);
    const sweep::Experiment& experiment = find(what.experiment);
    const sweep::Plan plan(config::resolve(config::scan_config(text, "test.ini"), experiment.name(),
                                           experiment.sections()),
                           experiment);
    sweep::Task task = plan.task(0);
    task.key = plan.key_of(task, "digest");
    sweep::RunContext context;
    context.data_dir = folder_ / "";
    const parallel::Comm self(MPI_COMM_SELF);
    return experiment.run(self, task, context);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Streams, DoNotDependOnHowAPathIsWritten) {
  for (const Case& what : cases) {
    const TaskResult plain = run(what, "people.csv", 0);
    for (const std::string& same : {std::string("./people.csv"), folder_ / "people.csv"}) {
      EXPECT_EQ(run(what, same, 0).solutions, plain.solutions) << what.method << " " << same;
    }
  }
}

TEST_F(Streams, DoNotDependOnWhatOnlyObserves) {
  for (const Case& what : cases) {
    if (std::string(what.shared).find("trace_points") == std::string::npos) continue;
    const TaskResult silent = run(what, "people.csv", 0);
    for (const int points : {3, 50}) {
      const TaskResult traced = run(what, "people.csv", points);
      EXPECT_EQ(traced.solutions, silent.solutions) << what.method << " " << points;
      EXPECT_EQ(traced.front.points, silent.front.points) << what.method << " " << points;
    }
  }
}

/// A bound that is never met does nothing: then the points of a front have the same batches, and
/// the same weights.
TEST_F(Streams, ArePairedAlongATradeOff) {
  const Case alm{"training", "clamped_alm", training, ""};
  const TaskResult loose = run(alm, "people.csv", 0, "delta = 50\n");
  EXPECT_EQ(run(alm, "people.csv", 0, "delta = 90\n").solutions, loose.solutions);
  EXPECT_NE(run(alm, "people.csv", 0, "delta = 0.01\n").solutions, loose.solutions);
}

}  // namespace
}  // namespace fairfront::experiments::streams_test
