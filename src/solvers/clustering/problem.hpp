/// @file
/// Fair k-means as the solvers see it: points on an exact grid, sorted by group.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/wide_integer.hpp"
#include "data/dataset.hpp"
#include "solvers/clustering/attributes.hpp"

namespace fairfront::base {
class PageReader;
class PageWriter;
}  // namespace fairfront::base

namespace fairfront::clustering {

/// Whose balance is an objective.
enum class BalanceOf {
  groups,      ///< one objective: the groups, which are the combinations of all attributes
  attributes,  ///< one objective for each sensitive attribute
};

/// How the points are cut into blocks, each inside one group: the index of a Partition counts per
/// block. A block is about sqrt(N) points long, so finding a member costs O(sqrt(N)) at most, and
/// the index stays small beside one byte a label.
class Blocks {
 public:
  /// @param group_begin  shape (J + 1,): group j has the points group_begin[j] .. [j + 1] - 1.
  Blocks(std::span<const std::int64_t> group_begin, std::int64_t clusters);
  [[nodiscard]] std::int64_t count() const noexcept { return first_.back(); }
  [[nodiscard]] std::int64_t first(std::int64_t group) const noexcept {
    return first_[static_cast<std::size_t>(group)];
  }
  /// Of a point that is the `member`-th of a group.
  [[nodiscard]] std::int64_t of(std::int64_t group, std::int64_t member) const noexcept {
    return first(group) + (member >> shift_);
  }
  [[nodiscard]] std::int64_t length() const noexcept { return std::int64_t{1} << shift_; }

 private:
  int shift_;
  std::vector<std::int64_t> first_;  ///< first block of each group, and the number of blocks
};

/// N points in R^d, each in one of J groups, to be put into K clusters.
///
/// Columns are centred and rounded to a grid of their own, 2^-s with s as large as sums of N
/// values in 64-bit integers allow (s is at least 61 - log2(N) bits below the column's largest
/// magnitude). Cluster sums are then exact integers: they do not depend on the order of updates,
/// never drift, and both objectives are pure functions of the labels, bit for bit. The k-means
/// cost does not change when all points are shifted.
///
/// Points are numbered by group: group j owns points group_begin(j) .. group_begin(j + 1) - 1.
class Problem {
 public:
  /// @throws base::InputError  K < 2, K > N, K > 65,536, fewer than two groups, a group without
  ///         members, a value that is not finite or beyond 1e100, no column that varies by 1e-100,
  ///         2^26 points and more (see Balance), or as the constructor of Attributes.
  Problem(const data::Dataset& dataset, std::int64_t clusters,
          BalanceOf balance_of = BalanceOf::groups);

  /// The problem of the same arguments that lay_down() has written: its rows are the same memory.
  /// @throws base::PagesError  they end before.
  Problem(const data::Dataset& dataset, std::int64_t clusters, BalanceOf balance_of,
          base::PageReader& pages);
  void lay_down(base::PageWriter& pages) const;

  [[nodiscard]] std::int64_t points() const noexcept { return points_; }      ///< N
  [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }    ///< d
  [[nodiscard]] std::int64_t clusters() const noexcept { return clusters_; }  ///< K
  [[nodiscard]] std::int64_t groups() const noexcept { return groups_; }      ///< J
  [[nodiscard]] std::int64_t group_begin(std::int64_t j) const noexcept {
    return group_begin_[static_cast<std::size_t>(j)];
  }
  [[nodiscard]] std::int64_t group_of(std::int64_t p) const noexcept {
    return group_[static_cast<std::size_t>(p)];
  }
  [[nodiscard]] const Blocks& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::int64_t block_of(std::int64_t p) const noexcept {
    return blocks_.of(group_of(p), p - group_begin(group_of(p)));
  }
  [[nodiscard]] const Attributes& attributes() const noexcept { return attributes_; }
  /// The cost and the balance of every attribute: m = 1 + A.
  [[nodiscard]] std::int64_t objectives() const noexcept { return 1 + attributes_.count(); }
  /// The centred, rounded coordinates of point p, shape (d,).
  [[nodiscard]] const double* point(std::int64_t p) const noexcept {
    return values_.data() + p * columns_;
  }
  /// Begins to fetch what there is of point p into the cache.
  void prefetch(std::int64_t p) const noexcept {
    __builtin_prefetch(point(p));
    __builtin_prefetch(point(p) + columns_ - 1);
    __builtin_prefetch(group_.data() + p);
  }
  [[nodiscard]] std::span<const double> coordinates(std::int64_t p) const noexcept {
    return {point(p), static_cast<std::size_t>(columns_)};
  }
  /// Integer coordinate = coordinate * grid_inverse(column), exactly.
  [[nodiscard]] const double* grid_inverse() const noexcept { return grid_inverse_.data(); }
  /// What was taken off every column, shape (d,).
  [[nodiscard]] std::span<const double> mean() const noexcept { return mean_; }
  [[nodiscard]] const double* grid() const noexcept { return grid_.data(); }  ///< 2^-s per column

  /// Mean squared distance from the overall mean: the cost of one cluster, and the largest cost
  /// that exact centroids can have. First coordinate of the hypervolume's reference point.
  [[nodiscard]] double total_variance() const noexcept { return total_variance_; }

  /// sum_p x_pi^2 of a column of the centred points, in squared steps of its grid: without
  /// rounding, for costs that are small beside it.
  [[nodiscard]] base::WideInteger squares(std::int64_t column) const noexcept {
    return squares_[static_cast<std::size_t>(column)];
  }

  /// (1/N) sum_p |x_p|^2 of the centred points.
  [[nodiscard]] double mean_square() const noexcept { return mean_square_; }

  /// min_j N_j / max_j N_j over the levels j of an attribute: no clustering has a greater balance.
  [[nodiscard]] double balance_bound(std::int64_t attribute = 0) const;

  /// (total variance, 0, ..., 0): the hypervolume is measured from there. Shape (m,).
  [[nodiscard]] std::vector<double> reference() const;

  /// Root of the sum of squares of all that centring and rounding has moved the rows by, rounded
  /// up: the roots of N times the cost of any labels differ by no more between rows and points.
  [[nodiscard]] double displacement() const noexcept { return displacement_; }

  /// Columns in which one value is so far from the others that their differences are rounded.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  /// Row of the data set that point p is.
  [[nodiscard]] std::int64_t row(std::int64_t p) const noexcept {
    return row_[static_cast<std::size_t>(p)];
  }
  /// "N = 5000, d = 5, K = 10, J = 2 (3333, 1667)"; of several attributes also the numbers of
  /// levels.
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] Blocks take_groups(base::PageReader& pages);
  template <class Pages, class Self>
  static void walk_grid(Pages& pages, Self& self);
  void check(const data::Dataset& dataset) const;
  [[nodiscard]] Blocks sort_by_group(const data::Dataset& dataset);
  void place_on_grid(const data::Dataset& dataset);
  void warn_of_outliers(const data::Dataset& dataset, std::int64_t column);

  std::int64_t points_;
  std::int64_t columns_;
  std::int64_t clusters_;
  std::int64_t groups_;
  Attributes attributes_;
  std::vector<std::int64_t> group_begin_;
  std::vector<std::int32_t> group_;
  std::vector<std::int64_t> row_;
  Blocks blocks_;
  std::vector<double> values_;
  std::vector<double> mean_;
  std::vector<double> grid_;
  std::vector<double> grid_inverse_;
  double displacement_ = 0;
  std::vector<base::WideInteger> squares_;
  double mean_square_ = 0;
  double total_variance_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace fairfront::clustering
