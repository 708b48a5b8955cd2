#include "solvers/clustering/least_matching.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::int32_t nobody = -1;
constexpr double unreached = std::numeric_limits<double>::infinity();

class Matching {
 public:
  Matching(std::span<const double> costs, std::int64_t n)
      : costs_{costs},
        n_{n},
        of_row_(at(n)),
        of_column_(at(n)),
        row_(at(n), nobody),
        distance_(at(n)),
        before_(at(n)),
        done_(at(n)) {}

  LeastMatching run() {
    for (std::int32_t row = 0; row < n_; ++row) augment(row, shortest_path(row));
    LeastMatching result{std::vector<std::int32_t>(at(n_)), looks_};
    for (std::int32_t column = 0; column < n_; ++column) {
      result.columns[at(row_[at(column)])] = column;
    }
    return result;
  }

 private:
  /// Looks from a row whose own column is at this distance.
  void look_from(std::int32_t row, std::int32_t column, double distance) {
    const double* costs = costs_.data() + row * n_;
    const double offset = distance - of_row_[at(row)];
    looks_ += n_;
    for (std::size_t c = 0; c < at(n_); ++c) {
      const double through = offset + (costs[c] - of_column_[c]);
      if (done_[c] != 0 || !(through < distance_[c])) continue;
      distance_[c] = through;
      before_[c] = column;
    }
  }

  [[nodiscard]] std::int32_t nearest_column() const {
    std::int32_t nearest = nobody;
    double least = unreached;
    for (std::int32_t c = 0; c < n_; ++c) {
      if (done_[at(c)] != 0 || !(distance_[at(c)] < least)) continue;
      least = distance_[at(c)];
      nearest = c;
    }
    return nearest;
  }

  /// @return the free column at its end.
  std::int32_t shortest_path(std::int32_t start) {
    std::ranges::fill(distance_, unreached);
    std::ranges::fill(done_, char{0});
    std::int32_t column = nobody;
    std::int32_t row = start;
    double length = 0;
    while (row != nobody) {
      look_from(row, column, length);
      column = nearest_column();
      length = distance_[at(column)];
      row = row_[at(column)];
      if (row != nobody) done_[at(column)] = 1;
    }
    set_potentials(start, length);
    return column;
  }

  /// No column is cheaper for a row than its own is then, and those of the path are as cheap.
  void set_potentials(std::int32_t start, double length) {
    of_row_[at(start)] += length;
    for (std::size_t c = 0; c < at(n_); ++c) {
      if (done_[c] == 0) continue;
      of_row_[at(row_[c])] += length - distance_[c];
      of_column_[c] -= length - distance_[c];
    }
  }

  void augment(std::int32_t start, std::int32_t column) {
    for (; before_[at(column)] != nobody; column = before_[at(column)]) {
      row_[at(column)] = row_[at(before_[at(column)])];
    }
    row_[at(column)] = start;
  }

  std::span<const double> costs_;
  std::int64_t n_;
  std::vector<double> of_row_;        ///< potentials
  std::vector<double> of_column_;     ///< potentials
  std::vector<std::int32_t> row_;     ///< of every column
  std::vector<double> distance_;      ///< of every column from the row that has none
  std::vector<std::int32_t> before_;  ///< column whose row is before on the path
  std::vector<char> done_;            ///< columns that are reached by the shortest way
  std::int64_t looks_ = 0;
};

}  // namespace

LeastMatching least_matching(std::span<const double> costs, std::int64_t n) {
  return Matching(costs, n).run();
}

}  // namespace fairfront::clustering
