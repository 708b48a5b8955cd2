#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "data/split_conditions.hpp"
#include "experiments/declared_option.hpp"
#include "experiments/predictions.hpp"
#include "experiments/predictions_measures.hpp"
#include "metrics/measure.hpp"

namespace fairfront::experiments {
namespace {

std::vector<std::pair<std::string, AuditPart>> part_choices() {
  return {{"all", AuditPart::all},
          {"train", AuditPart::train},
          {"validation", AuditPart::validation},
          {"test", AuditPart::test}};
}

}  // namespace

base::OptionTable options_of(PredictionsOptions& options) {
  base::OptionTable table("predictions");
  table.add("score", options.score,
            "This column holds what a model says of each row; several are an axis, which is models "
            "to compare.");
  table.add("reference", options.reference,
            "This column holds what another model says of the same rows: [measures] adds by how "
            "much each measure of predictions.score is larger, with paired intervals (measures "
            "*_less_reference) and tests of error and AUC (*_less_reference_p). Where the config "
            "does not set it and [measures] takes part, it is the first of predictions.score; set "
            "to nothing, it leaves the models uncompared.");
  table.unless_set("reference", {"score", "measures"});
  table.add_choice<PredictionKind>(
      "kind", options.kind,
      {{"auto", PredictionKind::automatic},
       {"decision", PredictionKind::decision},
       {"score", PredictionKind::score},
       {"probability", PredictionKind::probability},
       {"prediction", PredictionKind::prediction}},
      "With decision, the column holds 0 or 1; with score, numbers that rise with the chance of "
      "label 1; with probability, that chance; with prediction, a real target. auto means "
      "prediction where the label is real, else decision where all are 0 or 1, probability where "
      "all are in [0, 1], score otherwise.");
  table.add(
      "positive", options.positive,
      "These values of the columns mean decision 1 and their other values 0, as data.positive "
      "says it of the label; of several columns that call it otherwise, each needs one of "
      "them. Whole numbers are the same as with .0. A column of more than two numbers, or of "
      "scores in [0, 1], is read as such, and one that holds a single other value as 0 for all. "
      "Where it is empty, columns hold numbers, and decisions are 0 and 1.");
  table.add("confidence", options.confidence, base::between(0.01, 0.9999), "",
            "Intervals of points of [thresholds] and [drawn_thresholds], which `choose` measures, "
            "have this confidence; those of [measures] have that of measures.confidence.");
  // Models of the same rows are compared, not set apart as problems are.
  table.assign_role(base::Role::setting, {"score", "reference", "confidence"});
  table.only_if({"reference"}, base::method_is({"measures"}), "[{}] compares no columns");
  table.only_if({"confidence"}, base::method_is({"thresholds", "drawn_thresholds"}),
                "intervals of [{}] have measures.confidence");
  table.only_if({"seed"}, base::never(),
                "nothing of an audit is drawn by it (measures.bootstrap_seed, split.split_seed)");
  return table;
}

/// Or all, which may be some.
/// @param values  of the measures' names.
static bool names_a_measure_of_decisions(std::span<const std::string_view> values) {
  const std::vector<metrics::Measure> all = all_measures();
  return std::ranges::any_of(base::split_items(values.front(), ','), [&](const std::string& name) {
    const auto found = std::ranges::find_if(
        all, [&](const metrics::Measure& measure) { return measure.what.name == name; });
    return found == all.end() || found->needs == metrics::Needs::decision;
  });
}

/// Whether a measure of that name is resampled, of whatever kind.
static bool may_resample(std::string_view name) {
  for (const auto list : {metrics::classification(), metrics::ranking(), metrics::regression()}) {
    for (const metrics::Measure& measure : list) {
      if (measure.what.name == name && measure.may_resample) return true;
    }
  }
  return false;
}

/// What is no gap, ratio, worst group or distance: all measures are some, and a declared difference
/// is one.
static base::Condition some_may_be_resampled() {
  return base::where(
             {"measures"},
             [](auto values) {
               return std::ranges::any_of(
                   base::split_outside_parentheses(values.front()),
                   [](const std::string& name) { return name == "all" || may_resample(name); });
             },
             "{} may be resampled") ||
         base::given("difference");
}

/// Where what is measured hangs on no part, or on none that is drawn.
static void add_conditions_of_audited_parts(base::OptionTable& table) {
  table.only_if({"split.*"}, base::is_not("parts", {"all"}),
                "measures.parts = {} takes every row, whatever its part");
  table.only_if({"split.*"}, base::is_not("parts", {"auto"}) || data::parts_are_asked_for(),
                "measures.parts = {} takes every row where neither [split] nor the data set asks "
                "for parts");
  table.only_if({"split.split_seed", "split.stratify", "split.validation"},
                base::is_not("parts", {"auto"}) || data::parts_are_drawn_of_all_rows(),
                "measures.parts = {} leaves out what is drawn of training rows");
}

base::OptionTable options_of(MeasuresOptions& options) {
  base::OptionTable table("measures");
  table.add("measures", options.measures,
            "These measures are taken, by the names of `fairfront list metrics`; all is every one "
            "that suits the kind of the predictions.");
  add_difference(table, options.difference, "is measured beside these");
  table.add(
      "parts", options.parts,
      "These parts are measured: all (every row), train, validation, choice, test; see "
      "[split]. auto means those of validation, choice and test that have rows which the table "
      "does not call training, and every row where there are none, or where neither the table nor "
      "[split] asks for parts. On "
      "choice each end of an interval has the confidence by itself.");
  table.add("threshold", options.threshold, base::Range<double>{}, "",
            "A row is decided 1 where its score is at least this.");
  table.add_choice<IntervalKind>(
      "intervals", options.intervals,
      {{"none", IntervalKind::none},
       {"formula", IntervalKind::formula},
       {"bootstrap", IntervalKind::bootstrap}},
      "With formula, intervals come from formulas, which draw nothing; with bootstrap, from "
      "percentiles of the bootstrap, but for gaps, ratios, worst groups and distances, which "
      "resamples make larger: these keep the formulas.");
  table.add("resamples", options.bootstrap.resamples, base::between<std::int64_t>(2, 10'000'000),
            "", "The bootstrap draws this many samples, with replacement.");
  table.add("confidence", options.bootstrap.level, base::between(0.01, 0.9999), "",
            "Intervals have this confidence.");
  table.formerly("confidence", "level");
  table.add_choice<metrics::Strata>(
      "strata", options.bootstrap.strata,
      {{"none", metrics::Strata::none},
       {"group", metrics::Strata::group},
       {"group_and_label", metrics::Strata::group_and_label}},
      "Every sample of the bootstrap keeps the number of rows of each group, or of each group and "
      "label; with none it keeps neither.");
  table.add("bootstrap_seed", options.bootstrap_seed, base::at_least<std::int64_t>(0), "",
            "The bootstrap draws from this seed.");
  table.assign_role(base::Role::replicate, {"bootstrap_seed"});
  table.only_if(
      {"threshold"},
      base::where({"measures"}, names_a_measure_of_decisions, "a measure of decisions is among {}"),
      "measures.measures = {} are of scores alone");
  table.only_if({"resamples", "strata", "bootstrap_seed"}, base::is("intervals", {"bootstrap"}),
                "measures.intervals = {} draws no samples");
  table.only_if({"resamples", "strata", "bootstrap_seed"}, some_may_be_resampled(),
                "measures.measures = {} has none that may be resampled");
  table.only_if({"confidence"}, base::is_not("intervals", {"none"}),
                "measures.intervals = {} has no intervals");
  add_conditions_of_audited_parts(table);
  return table;
}

/// Where all that is looked at is every row, parts are not asked for.
static void add_conditions_of_parts(base::OptionTable& table) {
  table.only_if({"split.*"},
                base::is_not("choose_on", {"all"}) || base::is_not("report_on", {"all", "none"}),
                "every row is taken, whatever its part");
}

base::OptionTable options_of(ThresholdsOptions& options) {
  base::OptionTable table("thresholds");
  table.add_choice<metrics::ThresholdGap>(
      "fairness", options.gap,
      {{"demographic_parity", metrics::ThresholdGap::demographic_parity},
       {"equalised_odds", metrics::ThresholdGap::equalised_odds}},
      "Unfairness is the largest difference of two groups' shares decided 1, or the larger of "
      "those of true and of false positive rates.");
  // Shares and rates are different questions: their gaps are never set beside each other.
  table.assign_role(base::Role::problem, {"fairness"});
  table.formerly("fairness", "gap");
  auto parts = part_choices();
  table.add_choice<AuditPart>("choose_on", options.choose_on, parts,
                              "The thresholds are chosen on the rows of this part; see [split].");
  parts.emplace_back("none", AuditPart::none);
  table.add_choice<AuditPart>("report_on", options.report_on, parts,
                              "The same thresholds are reported on the rows of this part.");
  table.add(
      "thresholds_per_group", options.search.thresholds_per_group, base::at_least<std::int64_t>(0),
      "",
      "This many thresholds are tried in a group, at least 2, among them all those of any smaller "
      "number; with 0 all are, which is exact.");
  table.add("max_steps", options.search.max_steps, base::at_least<std::int64_t>(1), "steps",
            "The search gives up after this many steps, of some nanoseconds each.");
  add_conditions_of_parts(table);
  return table;
}

base::OptionTable options_of(DrawnThresholdsOptions& options) {
  base::OptionTable table("drawn_thresholds");
  table.add_choice<training::RateKind>(
      "fairness", options.gap, training::rate_names(),
      "Unfairness is the largest difference of two groups' shares decided 1, of true and of false "
      "positive rates, of either of these alone, or of shares decided wrongly.");
  table.assign_role(base::Role::problem, {"fairness"});
  auto parts = part_choices();
  table.add_choice<AuditPart>("choose_on", options.choose_on, parts,
                              "The draws are chosen on the rows of this part; see [split].");
  parts.emplace_back("none", AuditPart::none);
  table.add_choice<AuditPart>("report_on", options.report_on, parts,
                              "The same draws are reported on the rows of this part.");
  table.add("slacks", options.slacks, base::between<std::int64_t>(2, 10'000), "",
            "There are this many bounds on the unfairness, evenly from 0 to the least at the least "
            "error, and as many points: fewer only where some would differ by rounding alone, and "
            "one where the least error needs no unfairness.");
  add_conditions_of_parts(table);
  return table;
}

}  // namespace fairfront::experiments
