#include "solvers/training/loss_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace fairfront::training {

LossTable::LossTable(const Problem& problem)
    : problem_{&problem},
      loss_(problem.train.rows.size(), std::numeric_limits<double>::quiet_NaN()),
      sums_(problem.constraints.cells().size(), 0.0),
      counts_(sums_.size(), 0.0),
      ageing_(sums_.size(), 0.0),
      means_(sums_.size()),
      change_(sums_.size()),
      seen_(sums_.size()) {}

void LossTable::update(std::span<const std::int64_t> positions, std::span<const double> losses) {
  std::ranges::fill(change_, 0.0);
  std::ranges::fill(seen_, 0.0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto at = static_cast<std::size_t>(positions[i]);
    const std::int32_t cell = problem_->train.cell[at];
    if (cell < 0) continue;
    const auto k = static_cast<std::size_t>(cell);
    if (std::isnan(loss_[at])) {
      counts_[k] += 1;
      sums_[k] += losses[i];
    } else {
      seen_[k] += 1;
      change_[k] += losses[i] - loss_[at];
      sums_[k] += losses[i] - loss_[at];
    }
    loss_[at] = losses[i];
  }
  constexpr double window = 500;  // rows over which the age is averaged, at most
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    if (seen_[k] == 0) continue;
    const auto rows = static_cast<double>(problem_->train.of_cell[k].size());
    const double weight = std::min(1.0, seen_[k] / std::min(rows, window));
    ageing_[k] += weight * (change_[k] / seen_[k] - ageing_[k]);
  }
}

bool LossTable::is_complete() const {
  return std::ranges::all_of(counts_, [](double count) { return count > 0; });
}

std::span<const double> LossTable::means() {
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    means_[k] = sums_[k] / counts_[k] + 0.5 * ageing_[k];
  }
  return means_;
}

void LossTable::pack(solvers::Packer& packer) const {
  for (const auto* values : {&loss_, &sums_, &counts_, &ageing_}) {
    packer.array(std::span<const double>(*values));
  }
}

void LossTable::unpack(solvers::Unpacker& unpacker) {
  for (auto* values : {&loss_, &sums_, &counts_, &ageing_}) {
    auto read = unpacker.array<std::vector<double>>();
    if (read.size() != values->size()) {
      throw base::CheckpointError("a checkpoint has a loss table of other rows");
    }
    *values = std::move(read);
  }
}

}  // namespace fairfront::training
