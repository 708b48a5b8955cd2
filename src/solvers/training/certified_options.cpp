// The options of [certified_training], and what they need of a problem.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "solvers/training/cell_values.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/options.hpp"

namespace fairfront::training {
namespace {

bool has_two_rows_each(const Part& part) {
  return std::ranges::all_of(part.of_cell, [](const auto& rows) { return rows.size() >= 2; });
}

}  // namespace

base::OptionTable options_of(CertifiedOptions& options) {
  base::OptionTable table("certified_training");
  table.add(
      "delta", options.delta, base::above(0.0), "loss or share",
      "Every difference of mean losses in training.fairness, or of rates in training.rate, or what "
      "else training.bound_of names, is bounded by this, which the result keeps on the training "
      "part.");
  table.assign_role(base::Role::trade_off, {"delta"});
  table.add("step", options.step, base::above(0.0), "",
            "The stochastic steps are this long, by Adam; over the second half this falls to 0 in "
            "a line.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "A stochastic step draws this many rows, for objective and constraints.");
  table.add("penalty", options.penalty, base::above(0.0), "",
            "The augmented Lagrangian has this penalty for a group of all rows; that of a group is "
            "as much smaller as the group.");
  table.add("dual_step", options.dual_step, base::at_least(0.0), "",
            "A step of the multipliers is this long over all stochastic steps together, where "
            "these come to every row 36 times at most; otherwise it is as much longer, and three "
            "times as long at most.");
  table.add("decay", options.decay, base::at_least(0.0), "",
            "A stochastic step takes this share of their size from the weights, for every hundred "
            "times that the steps come to a row; where these are more than 36, it is multiplied by "
            "the square of how much more. It is 0.1 at most.");
  table.add("reserve", options.reserve, base::between(1e-9, 0.5), "",
            "The last layer aims inside the bounds by this share of delta.");
  table.add(
      "last_layer_evaluations", options.last_layer_evaluations,
      base::between<std::int64_t>(1, 100'000), "",
      "At the end the last layer alone evaluates all training rows at most this many times, "
      "and four times as many where rates of decisions are bounded and none is drawn; each is "
      "charged with the last layer's share of the weights.");
  add_sampling(table, options.sampling);
  table.add_choice<ChooseBy>(
      "choose_by", options.choose_by,
      {{"training", ChooseBy::training}, {"validation", ChooseBy::validation}},
      "This part's loss chooses among weights within the bounds. The validation part stops the "
      "learning where other rows gain no more from it; measures of that part are then too small, "
      "as it has decided.");
  table.add("confidence", options.confidence, base::between(0.0, 0.999999), "",
            "Above 0 the result is made tighter, at a higher loss, until its gaps are within delta "
            "for the population, too, with this confidence, at least 0.01, by the validation part; "
            "with 0 that is not asked for.");
  table.add_choice<Classifier>(
      "classifier", options.classifier,
      {{"deterministic", Classifier::deterministic}, {"randomised", Classifier::randomised}},
      "A single classifier decides, or beside it, under bounds on rates of decisions, a draw among "
      "several whose expected rates are within the bounds on the training part, and whose expected "
      "error is the least that a linear program finds for the classifiers that training has come "
      "by.");
  table.add("draw_evaluations", options.draw_evaluations, base::between<std::int64_t>(1, 100'000),
            "",
            "With classifier = randomised the last layer evaluates all training rows at most this "
            "many times more, to find what the draw lacks.");
  table.add_choice<Shift>(
      "shift", options.shift,
      {{"none", Shift::none}, {"folds", Shift::folds}, {"hold_out", Shift::hold_out}},
      "Gaps may be aimed beside zero, as those of rows that were not learnt from lie beside those "
      "of the training part. folds measures them on each of `folds` parts of the training part by "
      "a run that learns from the others, hold_out on the validation part, by one run; a last run "
      "then aims the gaps of the training part as far to the other side, within delta. Every run "
      "has the whole budget.");
  table.add("folds", options.folds, base::between<std::int64_t>(2, 100), "",
            "The training part is cut into this many parts, for shift = folds.");
  table.add("shift_factor", options.shift_factor, base::at_least(0.0), "",
            "The training part's gaps are aimed to the other side by this many times those of the "
            "held-out rows. With 0 that is measured by as many runs again, which are aimed at "
            "three times these gaps, and is 3 at most.");
  table.formerly("reserve", "margin");
  table.assign_role(base::Role::tuning, {"step", "penalty", "dual_step", "decay", "reserve",
                                         "last_layer_evaluations", "draw_evaluations"});
  return table;
}

void Certified::validate_draw(const Problem& problem, const CertifiedOptions& options) {
  if (options.classifier == Classifier::deterministic) return;
  if (!has_decisions(problem)) {
    throw std::invalid_argument(
        "certified_training.classifier = randomised draws decisions: training.rate must not be "
        "none, and training.rate_of must be decisions");
  }
  if (options.choose_by == ChooseBy::validation) {
    throw std::invalid_argument(
        "certified_training.classifier = randomised is the best draw by the training part: "
        "choose_by must be training");
  }
}

void Certified::validate_shift(const Problem& problem, const CertifiedOptions& options) {
  if (options.shift == Shift::none) return;
  if (options.confidence > 0) {
    throw std::invalid_argument(
        "certified_training.shift aims the gaps of the training part beside zero, and confidence "
        "keeps them within delta there: one of them must be left out");
  }
  if (options.shift == Shift::hold_out) {
    if (problem.validation.size() == 0) {
      throw std::invalid_argument(
          "certified_training.shift = hold_out needs a validation part: split.validation must be "
          "above 0");
    }
    if (options.choose_by == ChooseBy::validation) {
      throw std::invalid_argument(
          "certified_training.shift = hold_out needs validation rows that have decided nothing: "
          "choose_by must be training, or shift = folds");
    }
    if (has_two_rows_each(problem.validation)) return;
    throw std::invalid_argument(
        "certified_training.shift = hold_out needs two validation rows of every group, or group "
        "and label, whose loss or rate is bounded");
  }
  if (has_two_rows_each(problem.train)) return;
  throw std::invalid_argument(
      "certified_training.shift = folds needs two training rows of every group, or group and "
      "label, whose loss or rate is bounded");
}

void Certified::validate_for(const Problem& problem, const CertifiedOptions& options,
                             const RunOptions& run) {
  if (run.budget == 0 || run.iterations > 0) {
    throw std::invalid_argument(
        "[certified_training] shares out a budget: training.budget must be above 0, and "
        "training.iterations 0");
  }
  constexpr double least_confidence = 0.01;  // with next to none, no bound says anything
  if (options.confidence > 0 && options.confidence < least_confidence) {
    throw std::invalid_argument(fmt::format(
        "certified_training.confidence = {}, must be >= {}, or 0 where none is asked for",
        options.confidence, least_confidence));
  }
  if (problem.constraints.has_one_side() &&
      (options.confidence > 0 || options.shift != Shift::none)) {
    throw std::invalid_argument(
        "certified_training.confidence and certified_training.shift bring gaps to zero: with "
        "training.bound_of = ratio or worst_group they must be 0 and none");
  }
  if (options.confidence > 0 && problem.constraints.rate()) {
    throw std::invalid_argument(
        "certified_training.confidence scales scores, which changes no decision: it must be 0, or "
        "training.rate = none");
  }
  if (options.confidence > 0 && problem.validation.size() == 0) {
    throw std::invalid_argument(fmt::format(
        "certified_training.confidence = {} needs a validation part: split.validation must be "
        "above 0",
        options.confidence));
  }
  const bool chooses = options.choose_by == ChooseBy::validation;
  if (chooses && problem.validation.size() == 0) {
    throw std::invalid_argument(
        "certified_training.choose_by = validation needs a validation part: split.validation must "
        "be above 0");
  }
  if (chooses && options.confidence > 0) {
    throw std::invalid_argument(fmt::format(
        "certified_training.confidence = {} needs validation rows that have decided nothing: "
        "choose_by must be training",
        options.confidence));
  }
  validate_draw(problem, options);
  validate_shift(problem, options);
  const std::int64_t scored =
      cost_of_confidence(problem, options) + (chooses ? problem.validation.size() : 0);
  const std::int64_t least = 2 * problem.train.size() + scored;
  if (run.budget < least) {
    throw std::invalid_argument(fmt::format(
        "training.budget = {}, must be >= {}: [certified_training] ends with two passes over {} "
        "training rows{}",
        run.budget, least, problem.train.size(),
        scored > 0
            ? fmt::format(", and {} rows for the {}", scored, chooses ? "choice" : "confidence")
            : ""));
  }
}

}  // namespace fairfront::training
