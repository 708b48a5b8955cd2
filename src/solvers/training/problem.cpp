#include "solvers/training/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairfront::training {

std::int64_t Part::empty_cell() const noexcept {
  const auto found = std::ranges::find_if(of_cell, [](const auto& list) { return list.empty(); });
  return found == of_cell.end() ? -1 : found - of_cell.begin();
}

Part make_part(std::vector<std::int64_t> rows, const std::vector<Cell>& cells,
               std::span<const double> labels, std::span<const std::int32_t> groups) {
  Part part{std::move(rows), {}, std::vector<std::vector<std::int64_t>>(cells.size())};
  for (const std::int64_t row : part.rows) {
    const auto r = static_cast<std::size_t>(row);
    const auto found = std::ranges::find_if(
        cells, [&](const Cell& cell) { return cell.contains(groups[r], labels[r] > 0); });
    const auto k = found - cells.begin();
    part.cell.push_back(found == cells.end() ? -1 : static_cast<std::int32_t>(k));
    if (found != cells.end()) part.of_cell[static_cast<std::size_t>(k)].push_back(row);
  }
  return part;
}

std::string remark_on_large_features(const Problem& problem) {
  constexpr double large = 100;  // those of standardised columns seldom reach 10
  const models::Rows rows(problem.features, problem.model.inputs(), problem.train.rows);
  double largest = 0;
  for (std::int64_t i = 0; i < problem.train.size(); ++i) {
    for (std::int64_t j = 0; j < problem.model.inputs(); ++j) {
      largest = std::max(largest, std::abs(rows.row(i)[j]));
    }
  }
  if (!(largest > large)) return "";
  return fmt::format(
      ", with features up to {:.2g}: weights are learnt of columns of the order of 1, as "
      "preparation.scaling = zscore makes them but for outliers",
      largest);
}

std::vector<double> initial_weights(const models::Perceptron& model, models::Initialisation kind,
                                    std::uint64_t seed) {
  base::Stream stream(base::StreamKey(seed, "", "training/initial weights"), 0);
  return model.initial_weights(kind, stream);
}

}  // namespace fairfront::training
