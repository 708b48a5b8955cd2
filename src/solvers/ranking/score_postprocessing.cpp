#include "solvers/ranking/score_postprocessing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/stop.hpp"

namespace fairfront::ranking {
namespace {

constexpr std::size_t num_cells = 4;  // of two groups
using Cells = std::array<std::vector<double>, num_cells>;

/// Twice the pairs in which the score of `above` is the larger one, ties once. Both ascending.
std::int64_t half_wins(std::span<const double> above, std::span<const double> below) {
  std::int64_t wins = 0;
  std::size_t less = 0;
  std::size_t up_to = 0;
  for (const double score : above) {
    while (less < below.size() && below[less] < score) ++less;
    up_to = std::max(up_to, less);
    while (up_to < below.size() && below[up_to] == score) ++up_to;
    wins += static_cast<std::int64_t>(less + up_to);
  }
  return wins;
}

class Moves {
 public:
  Moves(std::span<const double> score, std::span<const std::uint8_t> cells) {
    for (std::size_t i = 0; i < score.size(); ++i) cells_[cells[i]].push_back(score[i]);
    for (auto& cell : cells_) {
      if (cell.empty()) throw std::invalid_argument("try_moves: a cell has no rows");
      std::ranges::sort(cell);
    }
    moved_ = cells_;
  }

  void move(const ScoreMove& by) {
    for (std::size_t c = 1; c < num_cells; c += 2) {
      for (std::size_t i = 0; i < cells_[c].size(); ++i) {
        moved_[c][i] = by.factor * cells_[c][i] + by.shift;
      }
    }
    known_ = {};
  }

  [[nodiscard]] double auc(const PairSet& pair) {
    if (pair.above == pair.below) return 0.5;
    std::int64_t wins = 0;
    std::int64_t above = 0;
    std::int64_t below = 0;
    for (std::size_t c = 0; c < num_cells; ++c) {
      if (contains(pair.above, c)) above += std::ssize(moved_[c]);
      if (contains(pair.below, c)) below += std::ssize(moved_[c]);
      for (std::size_t d = 0; d < num_cells; ++d) {
        if (contains(pair.above, c) && contains(pair.below, d)) wins += wins_of(c, d);
      }
    }
    return static_cast<double>(wins) /
           (2 * static_cast<double>(above) * static_cast<double>(below));
  }

 private:
  /// Counted when it is wanted first.
  [[nodiscard]] std::int64_t wins_of(std::size_t c, std::size_t d) {
    if (!known_[c][d]) wins_[c][d] = half_wins(moved_[c], moved_[d]);
    known_[c][d] = true;
    return wins_[c][d];
  }

  Cells cells_, moved_;
  std::array<std::array<std::int64_t, num_cells>, num_cells> wins_{};
  std::array<std::array<bool, num_cells>, num_cells> known_{};
};

}  // namespace

void try_moves(std::span<const double> score, std::span<const std::uint8_t> cells,
               const PairSets& pairs, const MoveGrid& grid,
               const std::function<void(const ScoreMove&, const MovedAucs&)>& tell) {
  if (!(grid.factor_step > 0 && grid.most_factor > 0 && grid.shift_step > 0 &&
        grid.most_shift > 0)) {
    throw std::invalid_argument("MoveGrid: steps and ends must be > 0");
  }
  Moves moves(score, cells);
  // A hair more than the quotient, so that an end that is a multiple of the step is reached.
  const auto count = [](double most, double step) {
    return std::llround(std::floor(most / step + 1e-9));
  };
  const std::int64_t factors = count(grid.most_factor, grid.factor_step);
  const std::int64_t shifts = count(grid.most_shift, grid.shift_step);
  for (std::int64_t f = 0; f <= factors; ++f) {
    for (std::int64_t s = -shifts; s <= shifts; ++s) {
      base::stop_point();
      const ScoreMove by{static_cast<double>(f) * grid.factor_step,
                         static_cast<double>(s) * grid.shift_step};
      moves.move(by);
      tell(by, {moves.auc(pairs[0]), moves.auc(pairs[4]) - moves.auc(pairs[2])});
    }
  }
}

}  // namespace fairfront::ranking
