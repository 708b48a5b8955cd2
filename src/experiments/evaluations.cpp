#include "experiments/evaluations.hpp"

namespace fairfront::experiments {

const base::Quantity& evaluations_row() {
  static const base::Quantity row{
      "evaluations",
      "looks at single examples, each at one set of parameters, that it took to find the result",
      "evaluations", base::Direction::none, ""};
  return row;
}

void add_evaluations_column(sweep::Columns& columns) {
  columns.metrics.push_back(evaluations_row());
}

void add_evaluations(sweep::TaskResult& result, std::int64_t evaluations) {
  result.metrics[evaluations_row().name] = static_cast<double>(evaluations);
}

}  // namespace fairfront::experiments
