// Golden results: what every method finds on a tiny instance, as a digest. When a change alters
// one, archives of before and after must not pass for the same: the section's revision says so.
// The digests also hold the promise of equal bits: they are those of GCC with -O3, of clang with
// -O1 and sanitizers, of an emulated processor without AVX and FMA, and of the kernels for every
// processor (FAIRFRONT_SIMD). A difference between these is a fault of the code, never a reason for
// a second digest. What is measured of the findings has
// one digest for each experiment, which needs no new revision: findings stay the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/simd.hpp"
#include "base/text.hpp"
#include "config/conditions.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/idle_options.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments {
namespace {

using results::TaskResult;
using sweep::Experiment;

struct Golden {
  const char* experiment;
  const char* method;
  std::int64_t revision;
  const char* digest;
};

constexpr std::array golden{
    Golden{"clustering", "safairkm_front", 5, "1902bb69bbbcdd72"},
    Golden{"clustering", "safairkm", 4, "1f6cd8f632833d4f"},
    Golden{"clustering", "vfairkm", 7, "2d3b147bfbcbbe0b"},
    Golden{"clustering", "balance_ladder", 12, "9fdeca38cbbea78f"},
    Golden{"clustering", "lower_bound", 9, "865d92de60c753f2"},
    Golden{"clustering", "lloyd", 4, "3fc223507b919494"},
    Golden{"clustering", "minibatch_kmeans", 4, "2b77ed2075928682"},
    Golden{"clustering3", "safairkm_front", 5, "89f64226f1522137"},
    Golden{"alternating", "sa2gd", 4, "bf3175054b7c8dcf"},
    Golden{"alternating", "weighted_sum", 4, "b511207865e78c33"},
    Golden{"alternating", "epsilon_constraint", 6, "a4778fe4e33de542"},
    Golden{"alternating", "pf_smg", 3, "26b807ae1d32d421"},
    Golden{"alternating3", "sa2gd", 5, "ecf751c72801152a"},
    Golden{"alternating3", "weighted_sum", 5, "e55afe7638773a52"},
    Golden{"alternating3", "epsilon_constraint", 7, "7bba6db463615573"},
    Golden{"alternating3", "pf_smg", 4, "1267f70c4d941f15"},
    Golden{"predictions", "measures", 4, "e876bd2dd9c84596"},
    Golden{"predictions", "thresholds", 2, "af322f0129f07876"},
    Golden{"predictions", "drawn_thresholds", 3, "3431373372b57adf"},
    Golden{"regression", "base_model", 6, "1de7cc76cf0d1d45"},
    Golden{"regression", "dp_postprocessing", 9, "e46bad7a7a697081"},
    Golden{"regression", "dp_exact", 14, "77599c84ba9fa3a0"},
    Golden{"regression", "dp_lp", 14, "684a78606b2add5a"},
    Golden{"regression", "dp_streaming", 9, "2339a0e14e9e05e6"},
    Golden{"regression", "adw", 5, "4a92a0f5563e9f52"},
    Golden{"regression", "barycenter", 3, "ef5c05e0ba570f15"},
    Golden{"regression", "bounded_group_loss", 4, "4ceae99b693ae6fa"},
    Golden{"ranking", "unconstrained_auc", 4, "7b8515a31987309d"},
    Golden{"ranking", "exact_auc", 4, "6fefa102a0c41e8d"},
    Golden{"ranking", "sfls", 7, "f98a4d99cd273314"},
    Golden{"ranking", "iqrc", 5, "bac2dc9a72fcd62c"},
    Golden{"ranking", "proxy_lagrangian", 6, "31463d80e87de9c7"},
    Golden{"ranking", "correlation_penalty", 7, "c0f1185a01a6a00b"},
    Golden{"ranking", "score_postprocessing", 6, "05d371739a2b0445"},
    Golden{"ranking", "auc_front", 6, "8e32402be88bf9bd"},
    Golden{"training", "sgd", 4, "3ad7a353b8334089"},
    Golden{"training", "alm", 5, "2e7919f3e5945ca0"},
    Golden{"training", "ssl_alm", 5, "30a85eee838b4a97"},
    Golden{"training", "switching_subgradient", 5, "a30d33f1d76672d4"},
    Golden{"training", "stochastic_ghost", 6, "5d886d41a368a00c"},
    Golden{"training", "fairret", 5, "9148f7557295f424"},
    Golden{"training", "clamped_alm", 5, "62edc358e58ef0b2"},
    Golden{"training", "pi_duals", 5, "5c9f310689b6a847"},
    Golden{"training", "certified_training", 19, "761f392131844033"},
    Golden{"training", "exact_training", 16, "629d709273209a23"},
    Golden{"training", "reductions", 5, "1410de60e1c6e659"},
    Golden{"training", "postprocessing", 6, "6ffb27c884f104f9"},
};

struct GoldenMeasures {
  const char* experiment;
  const char* digest;
};

constexpr std::array golden_measures{
    GoldenMeasures{"alternating", "d95c69104eabb5f8"},
    GoldenMeasures{"predictions", "7da14ea3bf19233a"},
    GoldenMeasures{"regression", "f3eafbbbd795f8a5"},
    GoldenMeasures{"ranking", "0e9c8dfc09e35ec3"},
    GoldenMeasures{"training", "1f6ae842fd3a9b14"},
};

/// The config above a method's section: that of the method, or of its experiment.
const std::map<std::string, std::string>& shared_sections() {
  static const std::string people =
      "[preparation]\nscaling = zscore\n"
      "[data]\ndata = csv\nfile = people.csv\nfeatures = age, income\nsensitive = sex, race\n"
      "group_map = f:f, m:m, a:a, c:c, b:b\n";
  static const std::map<std::string, std::string> sections{
      {"clustering", people + "[clustering]\nclusters = 3\n"},
      {"clustering3", people + "[clustering]\nclusters = 3\n"},
      {"alternating", people + "label = owner\n[model]\nbatch = 5\n[alternating]\n"
                               "problem = zdt3, quadratic, data\nn_total = 6\niterations = 20\n"
                               "trace_points = 4\n"},
      {"alternating3", "[alternating]\nproblem = elastic\nn_total = 6\niterations = 20\n"},
      {"predictions",
       "[data]\ndata = syn_predictions\nsubsample = 90\n[split]\nvalidation = 0.4\n"
       "test = 0.5\n[predictions]\nscore = shifted\n"},
      {"regression",
       "[data]\ndata = syn_four_groups\nsubsample = 120\n[split]\nvalidation = 0.4\ntest = 0.3\n"
       "stratify = group\n[regression]\nresamples = 5\n"},
      {"ranking",
       "[data]\ndata = syn_predictions\nsubsample = 300\n[split]\nstratify = group_and_label\n"
       "[ranking]\nmetric = group, inter_group, intra_group, positive_average, negative_average, "
       "background\nfront_points = 8\n"},
      {"training",
       "[data]\ndata = syn_predictions\nsubsample = 300\n[split]\nstratify = group_and_label\n"
       "[model]\nhidden = 5, 3\n[training]\nfairness = loss_gap, equal_opportunity, "
       "group_to_overall\nloss = logistic, square, hinge\nbudget = 2000\n"
       "trace_points = 4\n"},
      {"exact_training",  // a linear score and smooth losses only
       "[data]\ndata = syn_predictions\nsubsample = 300\n[split]\nvalidation = 0.2\n"
       "stratify = group_and_label\n[model]\nhidden =\n[training]\nfairness = loss_gap, "
       "equalised_odds\nloss = logistic, square\n"},
      {"reductions",  // a linear score and the logistic loss only
       "[data]\ndata = syn_predictions\nsubsample = 300\n[split]\nvalidation = 0.2\n"
       "stratify = group_and_label\n[model]\nhidden =\n"}};
  return sections;
}

/// The options of a method that has a tiny instance with others than its defaults.
const std::map<std::string, std::string>& method_options() {
  static const std::map<std::string, std::string> options{
      {"safairkm_front", "iterations = 20\nstarts = 6\nlist_budget = 15\n"},
      {"safairkm", "iterations = 30\nn_a = 6\nn_b = 2\ntrace_points = 4\n"},
      {"vfairkm", "mu_count = 4\n"},
      {"balance_ladder", "starts = 2\nrelocations = 4\nrefinements = 20\n"},
      {"lower_bound",
       "floor = 0, 0.1\nstarts = 2\nrelocations = 4\nrefinements = 20\nboxes = 2000\n"},
      {"lloyd", "restarts = 3\n"},
      {"minibatch_kmeans", "iterations = 20\nbatch = 10\n"},
      {"sa2gd", "lattice = 2\nnoise = 0.1\norder = random\niterate = best\nstep = 0.01\n"},
      {"weighted_sum", "lattice = 2\niterate = average\nstep_rule = convex\n"},
      {"epsilon_constraint",
       "samples = 200\nwalk_levels = 10\nspacing = 0.05\nmost_gradients = 3000\n"},
      {"epsilon_constraint of alternating3",
       "samples = 200\nspacing = 0.1\nmost_gradients = 900\n"},
      {"pf_smg", "starts = 8\nlist_budget = 12\nmost_gradients = 900\nnoise = 0.1\nstep = 0.02\n"},
      {"measures", "parts = all\nresamples = 20\n"},
      {"thresholds", "gap = demographic_parity, equalised_odds\n"},
      {"drawn_thresholds",
       "fairness = demographic_parity, equalised_odds, equal_opportunity, predictive_equality\n"
       "slacks = 5\n"},
      {"dp_postprocessing",
       "epsilon = 0.01, 0.1\noptimiser = sgd, averaged_sgd, ac_sa, ac_sa2, sgd3_ac_sa, "
       "sgd3_ac_sa2\nrules = paper, authors\nsteps = 200\ntrace_points = 3\n"
       "rule = randomised, argmax, mean\ncompare = no, yes\n"},
      {"dp_exact", "epsilon = 0.01, 0.1\nbounded = atom, cumulative\n"},
      {"dp_lp", "epsilon = 0.01, 0.1\nbounded = atom, cumulative\n"},
      {"dp_streaming", "epsilon = 0.01, 0.1\noptimiser = averaged_sgd, ac_sa\n"},
      {"adw",
       "epsilon = 0.02, 0.1\nlearn_from = train, train_and_unlabelled\n"
       "intercept = false, true\nrule = randomised, mean\nrange = problem, given\nleast = -20\n"
       "greatest = 30\n"},
      {"barycenter", "epsilon = 0, 0.3\nties = drawn, middle\n"},
      {"bounded_group_loss", "epsilon = 0, 0.3, 1\n"},
      {"unconstrained_auc", "ridge = 0, 0.1\n"},
      {"exact_auc", "kappa = 0.05, 0.5\n"},
      {"certified_training",
       "delta = 0.02, 0.2\nbatch = 4\nlast_layer_evaluations = 8\nconfidence = 0, 0.9\n"},
      {"exact_training", "delta = 0.02, 0.2\nstarts = 2\n"},
      {"reductions",
       "rate = demographic_parity, equal_opportunity, equalised_odds, predictive_equality, "
       "error_rate_parity\nbound = 0.02, 0.2\nrounds = 5\n"},
      {"postprocessing",
       "rate = demographic_parity, equal_opportunity, equalised_odds, predictive_equality, "
       "error_rate_parity\nbound = 0.02\n"},
      {"sfls",
       "kappa = 0.05, 0.5\nsteps = 200\nlook_every = 20\nstart = last_mean, zero\nmost_doublings = "
       "2\n"},
      {"auc_front", "bound = 0.01, 0.1\nrounds = 3\niterations = 10\n"},
      {"iqrc",
       "kappa = 0.05\nsteps = 6\nlook_every = 2\nbound = 0.05\n"
       "rows = drawn, shuffled, file\nhidden_units = 3\nmost_doublings = 2\n"},
      {"proxy_lagrangian",
       "model = linear, network\nbound = 0, 0.05\nsteps = 200\nlook_every = 20\n"},
      {"correlation_penalty",
       "model = linear, network\nweight = 0, 0.3\nsteps = 200\nlook_every = 20\n"},
      {"score_postprocessing",
       "model = linear, network\nsteps = 200\nfactor_step = 0.5\nshift_step = 0.5\n"},
      {"alm",
       "rules = paper, authors\nsampling = shuffled, replacement\ngroup_sampling = shuffled, "
       "replacement\n"},
      {"ssl_alm", "rules = paper, authors\n"},
      {"switching_subgradient", "rules = paper, authors\noutput = random, last\n"},
      {"stochastic_ghost", "rules = paper, authors\nmost_level = 4\n"},
      {"fairret",
       "rules = paper, authors\nregulariser = norm, kl_projection\nstatistic = accuracy, "
       "positive_rate\n"}};
  return options;
}

/// Whole configs of further tiny instances, of methods whose other ways one config cannot take.
const std::map<std::string, std::string>& further_instances() {
  static const std::map<std::string, std::string> configs{
      {"certified_training",  // rates of decisions, which are counted
       "[data]\ndata = syn_predictions\nsubsample = 300\n[split]\nstratify = group_and_label\n"
       "[model]\nhidden =\n[training]\nrate = demographic_parity, equalised_odds\n"
       "budget = 6000\ntrace_points = 2\n[certified_training]\ndelta = 0.02, 0.2\n"},
      {"sgd",  // batches in pieces, which ranks of a team share
       "[data]\ndata = syn_predictions\nsubsample = 1500\n[split]\nstratify = group_and_label\n"
       "[model]\nhidden = 128, 128\n[training]\nbudget = 20000\ntrace_points = 2\n"
       "[sgd]\nbatch = 600\n"}};
  return configs;
}

/// 60 rows: two numbers, sex in two levels, race in three, a label.
void write_people(const std::string& path) {
  std::ofstream file(path);
  file << "age,income,sex,race,owner\n";
  base::Stream stream(base::StreamKey(1, "golden", "people"), 0);
  for (int row = 0; row < 60; ++row) {
    const auto age = stream.below(60);
    const auto income = stream.below(1000);
    file << fmt::format("{},{},{},{},{}\n", age, income, row % 2 == 0 ? "f" : "m",
                        "abc"[stream.below(3)], income + 9 * age > 700 ? 1 : 0);
  }
}

void add(base::Sha256& hash, const std::vector<double>& values) {
  hash.add_values(std::span<const double>{values});
}

void add(base::Sha256& hash, const TaskResult& result) {
  for (const auto& [name, value] : result.metrics) {
    // Which bits a NaN has is the compiler's affair.
    const double number = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    hash.add_text(name);
    hash.add_values(std::span{&number, 1});
  }
  for (const auto& [name, series] : result.series) {
    hash.add_text(name);
    hash.add_values(std::span<const std::int64_t>{series.steps});
    add(hash, series.values);
  }
  for (const auto& [name, solutions] : result.solutions) {
    hash.add_text(name);
    for (const auto& solution : solutions) {
      std::visit(
          [&](const auto& values) {
            std::vector<double> wide(values.begin(), values.end());
            add(hash, wide);
          },
          solution);
    }
  }
  add(hash, result.front.points);
  add(hash, result.front.report);
  add(hash, result.front.reference);
  hash.add_values(std::span{&result.front.hypervolume, 1});
}

void add_measured(base::Sha256& hash, const TaskResult& result) {
  for (const auto& [name, by_rows] : result.measured) {
    hash.add_text(name);
    for (const auto& [rows, measured] : by_rows) {
      hash.add_text(rows.part);
      hash.add_text(rows.group);
      std::vector<double> ends{measured.value, measured.low, measured.high};
      for (double& end : ends) {
        if (std::isnan(end)) end = std::numeric_limits<double>::quiet_NaN();
      }
      add(hash, ends);
    }
  }
}

/// The method's tiny instances.
std::vector<std::string> configs_of(const Experiment& experiment, const std::string& method) {
  auto options = method_options().find(fmt::format("{} of {}", method, experiment.name()));
  if (options == method_options().end()) options = method_options().find(method);
  const auto own = shared_sections().find(method);
  const std::string& shared =
      own == shared_sections().end() ? shared_sections().at(experiment.name()) : own->second;
  std::vector<std::string> configs{fmt::format(
      "{}[{}]\n{}", shared, method, options == method_options().end() ? "" : options->second)};
  const auto further = further_instances().find(method);
  if (further != further_instances().end()) configs.push_back(further->second);
  for (std::string& text : configs) {
    text = fmt::format("experiment = {}\n{}", experiment.name(), text);
  }
  return configs;
}

/// Another value of an option; the same of a text or a list.
std::string other_value(base::OptionTable& table, const std::string& name,
                        const std::string& value) {
  const auto infos = table.infos();
  const auto info = std::ranges::find(infos, name, &base::OptionInfo::name);
  std::vector<std::string> others;
  if (info->type == "integer" || info->type == "number") {
    others = {"2", "3", "0.25", "0.05", "30"};
  } else if (info->type.find('|') != std::string::npos) {
    others = base::split_outside_parentheses(info->type, '|');
  }
  for (const std::string& other : others) {
    try {
      table.set(name, other);
      if (table.get(name) != value) return table.get(name);
    } catch (const base::InputError&) {
      continue;  // out of its range
    }
  }
  return value;
}

/// The task with other values of all options that change nothing for it.
sweep::Task with_other_idle_options(const Experiment& experiment, sweep::Task task) {
  const std::vector<config::Section> sections = experiment.sections();
  for (const sweep::IdleOption& idle : sweep::idle_options(config::conditions_of(sections), task)) {
    std::string& value = task.values.at(idle.name);
    const std::size_t dot = idle.name.find('.');
    if (dot == idle.name.npos) {
      value = "4711";  // the seed
      continue;
    }
    const auto section =
        std::ranges::find(sections, idle.name.substr(0, dot), &config::Section::name);
    value = other_value(*section->open(), idle.name.substr(dot + 1), value);
  }
  return task;
}

enum class Idle { as_configured, changed };

/// What all tasks of a config find. Collective over the world; on rank 0.
/// @param measures  gets what is measured of it; null: nothing does.
void add_tasks(base::Sha256& found, base::Sha256* measures, const Experiment& experiment,
               const std::string& text, const sweep::RunContext& context,
               Idle idle = Idle::as_configured) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const sweep::Plan plan(config::resolve(config::scan_config(text, "golden.ini"), experiment.name(),
                                         experiment.sections()),
                         experiment);
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    sweep::Task task = plan.task(i);
    if (idle == Idle::changed) task = with_other_idle_options(experiment, std::move(task));
    const TaskResult result = experiment.run(world, task, context);
    add(found, result);
    if (measures != nullptr) add_measured(*measures, result);
  }
}

/// Of what all tasks of the method's tiny instances find. Collective over the world; on rank 0.
/// @param measures  gets what is measured of it.
std::string digest_of(const Experiment& experiment, const std::string& method,
                      const std::string& folder, base::Sha256& measures, Idle idle) {
  sweep::RunContext context;
  context.data_dir = folder;
  base::Sha256 hash;
  for (const std::string& text : configs_of(experiment, method)) {
    add_tasks(hash, &measures, experiment, text, context, idle);
  }
  return hash.finish().substr(0, 16);
}

/// What is wrong with a method's entry in the table; empty when nothing is.
std::string complaint(const std::string& experiment, const config::Section& section,
                      const std::string& digest) {
  for (const Golden& entry : golden) {
    if (experiment != entry.experiment || section.name != entry.method) continue;
    if (digest == entry.digest && section.revision == entry.revision) return "";
    if (digest == entry.digest) {
      return fmt::format("[{}] has revision {} and results as before: put the revision here",
                         section.name, section.revision);
    }
    return section.revision == entry.revision
               ? fmt::format(
                     "results of [{}] changed: raise its Section::revision and put the new "
                     "digest here: {}",
                     section.name, digest)
               : fmt::format("put revision {} and digest {} of [{}] here", section.revision, digest,
                             section.name);
  }
  return fmt::format("no golden results of [{}] of experiment {}: put {} here", section.name,
                     experiment, digest);
}

class GoldenOf : public testing::TestWithParam<std::string> {};

/// Whether all methods of the experiment find what the table says.
void expect_golden(const Experiment& experiment, Idle idle) {
  try {
    base::check_simd();
  } catch (const base::InputError& error) {
    GTEST_SKIP() << error.what();
  }
  const parallel::Comm world(MPI_COMM_WORLD);
  const test::TemporaryFolder folder;
  write_people(folder / "people.csv");
  base::Sha256 measures;
  for (const config::Section& section : experiment.sections()) {
    if (!section.is_method) continue;
    const std::string digest = digest_of(experiment, section.name, folder / "", measures, idle);
    if (world.is_root()) {
      EXPECT_EQ(complaint(experiment.name(), section, digest), "") << section.name;
    }
  }
  const auto known =
      std::ranges::find(golden_measures, experiment.name(), &GoldenMeasures::experiment);
  if (known == golden_measures.end() || !world.is_root()) return;
  EXPECT_EQ(measures.finish().substr(0, 16), known->digest)
      << "what is measured changed: put the new digest here";
}

TEST_P(GoldenOf, EveryMethodFindsWhatItsRevisionFound) {
  expect_golden(find(GetParam()), Idle::as_configured);
}

/// What a config is told to change nothing changes nothing.
TEST_P(GoldenOf, OptionsWithoutEffectHaveNone) { expect_golden(find(GetParam()), Idle::changed); }

/// Of an option whose instance came after those of its method.
TEST(Golden, DrawsOfCertifiedTrainingAreWhatTheyWere) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const std::string text =
      "experiment = training\n[data]\ndata = syn_predictions\nsubsample = 300\n[split]\n"
      "stratify = group_and_label\n[model]\nhidden =\n[training]\n"
      "rate = demographic_parity, equalised_odds\nbudget = 12000\ntrace_points = 2\n"
      "[certified_training]\nclassifier = randomised\ndelta = 0.02, 0.1\n";
  const Experiment& experiment = find("training");
  base::Sha256 hash;
  add_tasks(hash, nullptr, experiment, text, {});
  if (!world.is_root()) return;
  EXPECT_EQ(hash.finish().substr(0, 16), "cdfdab3748f2d6aa")
      << "results changed: raise Section::revision, and put the new digest here";
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const auto& experiment : registry()) names.push_back(experiment->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Experiments, GoldenOf, testing::ValuesIn(experiment_names()),
                         [](const auto& which) { return which.param; });

TEST(Golden, AChangeWithoutANewRevisionIsNamed) {
  config::Section section{.name = golden[0].method};
  section.revision = golden[0].revision;
  const std::string experiment = golden[0].experiment;
  EXPECT_EQ(complaint(experiment, section, golden[0].digest), "");
  EXPECT_NE(complaint(experiment, section, "other").find("changed: raise its Section::revision"),
            std::string::npos);
  section.name = "unknown";
  EXPECT_NE(complaint(experiment, section, "other").find("no golden results"), std::string::npos);
}

}  // namespace
}  // namespace fairfront::experiments
