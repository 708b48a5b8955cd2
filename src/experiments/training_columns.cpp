#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/evaluations.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_results.hpp"
#include "metrics/measure.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using metrics::Measure;

constexpr std::array<std::string_view, 4> part_names{"train", "validation", "choice", "test"};
constexpr std::array<std::string_view, 3> traced_parts{"train", "validation", "test"};

}  // namespace

const std::vector<Measure>& training_measures() {
  static const std::vector<Measure> list = [] {
    const auto decisions = metrics::classification();
    std::vector<Measure> all(decisions.begin(), decisions.end());
    for (const Measure& measure : metrics::ranking()) {
      if (measure.what.name == "auc" || measure.what.name == "group_auc_gap") {
        all.push_back(measure);
      }
    }
    return all;
  }();
  return list;
}

std::vector<Quantity> training_objectives() {
  return {{"loss", "mean loss on the validation part; on the training part where there is none",
           "loss", Direction::minimise, training_paper},
          {"gap",
           "largest difference of mean losses in training.fairness on that part, or of rates in "
           "training.rate",
           "loss", Direction::minimise, training_paper}};
}

sweep::Columns training_columns() {
  sweep::Columns columns;
  columns.measures = measured_on(part_names, training_measures());
  const Quantity loss{"loss", "mean of training.loss; with square half the squared difference",
                      "loss", Direction::minimise, training_paper};
  const Quantity gap{
      "gap", "largest difference of mean losses in training.fairness, or of rates in training.rate",
      "loss", Direction::minimise, training_paper};
  const std::vector<std::string> parts(part_names.begin(), part_names.end());
  columns.measures.push_back({loss, parts});
  columns.measures.push_back({gap, parts, results::AtGroups::made_by});
  columns.measures.push_back({rows_quantity(), parts});
  columns.measures.push_back({{"loss_gap", "largest difference of two groups' mean losses", "loss",
                               Direction::minimise, training_paper},
                              parts,
                              results::AtGroups::made_by});
  for (const std::string_view part : traced_parts) {
    for (const Quantity& what : {loss, gap}) {
      columns.series.push_back({{fmt::format("{}_{}", what.name, part),
                                 fmt::format("{} on the {} part", what.definition, part), what.unit,
                                 what.direction, what.source},
                                "evaluation"});
    }
  }
  columns.metrics.push_back({"iterations", "steps of the run", "", Direction::none, ""});
  add_evaluations_column(columns);
  columns.solutions = {
      {"weights", "of the network, layer by layer: matrix, then biases", "", Direction::none, ""},
      {"distribution",
       "of each group: shares of its rows on the test part in 50 equal bins of "
       "the probability of label 1, of drawn decisions of a decision 1; logistic loss only",
       "share", Direction::none, training_paper}};
  add_columns(columns, gap_bound_columns());
  return columns;
}

sweep::UnitByOption training_units() {
  sweep::UnitByOption units{"training.rate",
                            "none",
                            "share",
                            {"gap", "gap_bound", "excess", "gap_last_fifth", "kkt_violation",
                             "assured_bound", "held_out_gap", "largest_aim", "offset"}};
  for (const std::string_view part : traced_parts) {
    units.names.push_back(fmt::format("gap_{}", part));
    units.names.push_back(fmt::format("gap_bound_{}", part));
  }
  return units;
}

}  // namespace fairfront::experiments
