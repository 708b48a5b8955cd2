// What sections declare of where their options matter: names and values in it are there.
#include "config/conditions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "sweep/idle_options.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments::conditions_test {
namespace {

/// The sections of an experiment by name, and the options of them.
class Sections {
 public:
  explicit Sections(const sweep::Experiment& experiment) : all_{experiment.sections()} {
    all_.push_back(config::global_section());
  }

  [[nodiscard]] const config::Section* find(const std::string& name) const {
    const auto found = std::ranges::find(all_, name, &config::Section::name);
    return found == all_.end() ? nullptr : &*found;
  }
  /// The section and the name in it of "section.option", "section.*" or "seed".
  [[nodiscard]] const config::Section* of(const std::string& option) const {
    return find(option.substr(0, option.find('.') == option.npos ? 0 : option.find('.')));
  }
  [[nodiscard]] static std::string name_of(const std::string& option) {
    return option.substr(option.find('.') + 1);
  }
  [[nodiscard]] bool has(const std::string& option) const {
    const config::Section* section = of(option);
    if (section == nullptr) return false;
    return option.ends_with(".*") || section->open()->has(name_of(option));
  }

 private:
  std::vector<config::Section> all_;
};

/// Whether a task of the section's method, or of any for a shared one, has the option.
bool is_of_its_tasks(const config::OptionCondition& of, const config::Section& other) {
  return !other.is_method || (of.of_method && other.name == of.section);
}

void check_test(const Sections& sections, const config::OptionCondition& of,
                const base::Condition& test) {
  for (const std::string& option : test.options) {
    if (option == "method") {
      for (const std::string& method : test.values) {
        ASSERT_NE(sections.find(method), nullptr) << method;
        EXPECT_TRUE(sections.find(method)->is_method) << method;
      }
      continue;
    }
    ASSERT_TRUE(sections.has(option)) << option;
    EXPECT_TRUE(is_of_its_tasks(of, *sections.of(option))) << option;
    for (const std::string& value : test.values) {
      const auto table = sections.of(option)->open();
      const std::string name = Sections::name_of(option);
      EXPECT_NO_THROW(table->set(name, value)) << option;
      EXPECT_EQ(table->get(name), value) << option << ": as a task has it";
    }
  }
}

TEST(Conditions, NameOptionsAndValuesThatThereAre) {
  for (const auto& experiment : registry()) {
    const Sections sections(*experiment);
    const auto all = config::conditions_of(experiment->sections());
    EXPECT_FALSE(all.empty()) << experiment->name();
    for (const config::OptionCondition& of : all) {
      SCOPED_TRACE(experiment->name() + ": [" + of.section + "] of " + of.option);
      ASSERT_TRUE(sections.has(of.option));
      EXPECT_TRUE(is_of_its_tasks(of, *sections.of(of.option)));
      EXPECT_FALSE(of.why.empty());
      for (const base::Condition* test : of.condition.tests()) check_test(sections, of, *test);
    }
  }
}

/// Or `fairfront list options` would have nothing to show.
TEST(Conditions, AreSaidInWords) {
  for (const auto& experiment : registry()) {
    for (const auto& of : config::conditions_of(experiment->sections())) {
      const bool is_never = of.condition.tests().empty();
      EXPECT_EQ(of.condition.text().empty(), is_never) << of.option;
      EXPECT_EQ(of.condition.text().find("{}"), std::string::npos) << of.condition.text();
      EXPECT_TRUE(!is_never || of.why.find("{}") == std::string::npos) << of.why;
    }
  }
}

/// An option that changes nothing with some others, and matters with other ones.
struct Void {
  std::string experiment, option, others, matters;
};

/// That it changes nothing is seen by golden results, where it is varied.
const std::vector<Void>& voids() {
  static const std::vector<Void> all{
      {"alternating", "epsilon_constraint.certified_excess", "[epsilon_constraint]\n",
       "[alternating]\nproblem = data\n[epsilon_constraint]\n"},
      {"alternating", "sa2gd.order", "[sa2gd]\nn_a = 200\n", "[sa2gd]\nn_a = 199\n"},
      {"alternating", "sa2gd.order", "[sa2gd]\nn_a = 0\n", "[sa2gd]\n"},
      {"alternating", "sa2gd.order", "[alternating]\nn_total = 1\n[sa2gd]\n",
       "[sa2gd]\nlattice = 3\n"},
      {"alternating3", "sa2gd.order", "[alternating]\nn_total = 6\n[sa2gd]\nlattice = 27\n",
       "[alternating]\nn_total = 6\n[sa2gd]\nlattice = 26\n"},
      {"alternating3", "sa2gd.order", "[alternating]\nn_total = 6\n[sa2gd]\nweights = (0,6,0)\n",
       "[alternating]\nn_total = 6\n[sa2gd]\nweights = (0,5,1)\n"},
      {"predictions", "measures.threshold", "[measures]\nmeasures = auc, brier\n",
       "[measures]\nmeasures = auc, error\n"},
      {"predictions", "measures.threshold", "[measures]\nmeasures = auc\n", "[measures]\n"},
      {"predictions", "measures.confidence", "[measures]\nintervals = none\n", "[measures]\n"},
      {"predictions", "split.test", "[data]\ndata = compas\n[measures]\nparts = all\n",
       "[data]\ndata = compas\n[measures]\nparts = all, test\n"},
      {"predictions", "split.split_seed", "[measures]\n", "[measures]\nparts = test\n"},
      {"predictions", "split.split_seed", "[data]\ndata = compas\n[measures]\n",
       "[data]\ndata = compas\n[split]\ntest = 0.3\n[measures]\n"},
      {"predictions", "split.validation", "[data]\nsplit = part\n[measures]\n",
       "[data]\nsplit = part\n[measures]\nparts = validation\n"},
      {"predictions", "split.split_seed", "[data]\ndata = adult\n[measures]\n",
       "[data]\ndata = adult\n[split]\nby = fractions\n[measures]\n"},
      {"predictions", "measures.resamples",
       "[measures]\nintervals = bootstrap\nmeasures = independence_gap, worst_group_auc\n",
       "[measures]\nintervals = bootstrap\nmeasures = independence_gap, error\n"},
      {"predictions", "measures.bootstrap_seed",
       "[measures]\nintervals = bootstrap\nmeasures = wasserstein_1\n",
       "[measures]\nintervals = bootstrap\n"},
      {"predictions", "measures.strata",
       "[measures]\nintervals = bootstrap\nmeasures = independence_gap\n",
       "[measures]\nintervals = bootstrap\nmeasures = independence_gap\n"
       "difference = auc(label = 1, label = 0) - auc(all, all)\n"},
      {"predictions", "predictions.confidence", "[measures]\n", "[thresholds]\n"},
      {"predictions", "split.split_seed", "[thresholds]\nchoose_on = all\nreport_on = none\n",
       "[thresholds]\nchoose_on = all\nreport_on = test\n"},
      {"predictions", "split.split_seed", "[drawn_thresholds]\nchoose_on = all\nreport_on = all\n",
       "[drawn_thresholds]\nchoose_on = all\nreport_on = test\n"},
      {"regression", "regression.shares", "[barycenter]\n", "[dp_lp]\n"},
      {"regression", "dp_postprocessing.strong_convexity",
       "[dp_postprocessing]\noptimiser = averaged_sgd\n",
       "[dp_postprocessing]\noptimiser = ac_sa\n"},
      {"regression", "dp_postprocessing.rules", "[dp_postprocessing]\noptimiser = sgd\n",
       "[dp_postprocessing]\noptimiser = sgd3_ac_sa\n"},
      {"ranking", "ranking.radius_factor", "[exact_auc]\n", "[sfls]\n"},
      {"ranking", "ranking.radius_factor", "[proxy_lagrangian]\nmodel = network\n",
       "[proxy_lagrangian]\nmodel = linear\n"},
      {"ranking", "ranking.front_points", "[auc_front]\n", "[iqrc]\n"},
      {"ranking", "auc_front.width", "[auc_front]\nrounds = 0\n", "[auc_front]\nrounds = 1\n"},
      {"ranking", "score_postprocessing.steps", "[score_postprocessing]\nmodel = linear\n",
       "[score_postprocessing]\nmodel = network\n"},
      {"ranking", "proxy_lagrangian.hidden_units", "[proxy_lagrangian]\nmodel = linear\n",
       "[proxy_lagrangian]\nmodel = network\n"},
      {"training", "model.activation", "[model]\nhidden =\n[alm]\n", "[alm]\n"},
      {"training", "model.initialisation", "[model]\nhidden =\n[reductions]\n",
       "[model]\nhidden =\n[alm]\n"},
      {"training", "training.budget", "[model]\nhidden =\n[exact_training]\n", "[alm]\n"},
      {"training", "switching_subgradient.burn_in", "[switching_subgradient]\noutput = last\n",
       "[switching_subgradient]\noutput = random\n"},
      {"training", "switching_subgradient.decay_from",
       "[switching_subgradient]\nviolation_decay = 1\n",
       "[switching_subgradient]\nviolation_decay = 0.9\n"},
      {"training", "training.rate_width", "[training]\nrate = equal_opportunity\n[sgd]\n",
       "[training]\nrate = equal_opportunity\n[alm]\n"},
      {"training", "training.rate_width", "[training]\nrate = equal_opportunity\n[fairret]\n",
       "[training]\nrate = equal_opportunity\n[certified_training]\n"},
      {"training", "alm.largest_multiplier", "[alm]\ndual_step = 0\n", "[alm]\n"},
      {"training", "clamped_alm.largest_multiplier", "[clamped_alm]\ndual_step = 0\n",
       "[clamped_alm]\n"},
      {"training", "switching_subgradient.violation_decay",
       "[switching_subgradient]\nviolation = 0\n", "[switching_subgradient]\nviolation = 0.1\n"},
      {"training", "training.trace_points", "[postprocessing]\n", "[alm]\n"},
      {"training", "split.test", "[data]\ndata = adult\n[alm]\n",
       "[data]\ndata = adult\n[split]\nby = fractions\n[alm]\n"},
      {"training", "split.test", "[data]\ndata = a9a\n[alm]\n", "[data]\ndata = compas\n[alm]\n"},
      {"training", "split.split_seed",
       "[data]\ndata = adult\n[split]\nvalidation = 0\ntest = 0.3\n[alm]\n",
       "[data]\ndata = adult\n[split]\nvalidation = 0.1\n[alm]\n"},
      {"training", "split.split_seed", "[split]\nvalidation = 0\ntest = 0\n[alm]\n",
       "[data]\ndata = compas\n[split]\nvalidation = 0\ntest = 0.3\n[alm]\n"}};
  return all;
}

bool is_idle(const Void& one, const std::string& sections) {
  const sweep::Experiment& experiment = find(one.experiment);
  const sweep::Plan plan(config::resolve(config::scan_config(sections, "test.ini"), one.experiment,
                                         experiment.sections()),
                         experiment);
  const auto conditions = config::conditions_of(experiment.sections());
  return sweep::why_idle(conditions, plan.task(0), one.option).has_value();
}

TEST(Conditions, TellWhatChangesNothing) {
  for (const Void& one : voids()) {
    EXPECT_TRUE(is_idle(one, one.others)) << one.option << " with " << one.others;
    EXPECT_FALSE(is_idle(one, one.matters)) << one.option << " with " << one.matters;
  }
}

}  // namespace
}  // namespace fairfront::experiments::conditions_test
