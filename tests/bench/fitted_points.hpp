/// @file
/// Thresholds that are fitted to drawn rows so that the gap is 0 there, and what they are in the
/// population.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "experiments/randomised_thresholds.hpp"

namespace fairfront::bench {

/// Groups with labels of two values and normal scores of deviation 1.
struct Scores {
  struct Group {
    double share;     ///< of all rows
    double positive;  ///< share of its rows with label 1
    double mean;      ///< of the scores, halfway between the labels
    double distance;  ///< of the labels' means
  };
  std::vector<Group> groups;

  /// The share of a group's rows with that label and a score of at least the threshold.
  [[nodiscard]] double above(std::size_t group, std::size_t label, double threshold) const;
};

/// @param equal  all groups are as large; else the largest is two or three times the smallest.
[[nodiscard]] Scores drawn_scores(std::size_t groups, bool equal, base::Stream& stream);

/// How points are fitted.
struct Fit {
  std::string name;
  training::RateKind gap;  ///< that is to be 0
  bool draws;              ///< among thresholds: [drawn_thresholds]; else [thresholds]
};

/// Per rate that the gap compares and per group: the rows that it is of, and how many of these are
/// expected to be decided 1.
struct Counts {
  std::vector<std::vector<double>> rows, hits;
};

/// One model, and what it was on the rows it was fitted to.
class FittedPoint {
 public:
  /// The point of the least gap on `rows` new rows.
  FittedPoint(const Scores& scores, const Fit& fit, std::size_t rows, base::Stream& stream);

  [[nodiscard]] const Counts& on_fitted() const noexcept { return on_fitted_; }
  /// On so many new rows.
  [[nodiscard]] Counts on_new(double rows, base::Stream& stream) const;
  /// Shares of all rows, in place of counts.
  [[nodiscard]] Counts in_truth() const;

 private:
  /// Rows of a group and label whose scores lie between two thresholds.
  struct Cell {
    std::size_t group, label;
    double share;    ///< of all rows
    double decided;  ///< the probability of a decision 1
  };
  void add(Counts& counts, const Cell& cell, double rows) const;
  [[nodiscard]] Counts none() const;

  training::RateKind gap_;
  std::size_t groups_;
  std::vector<Cell> cells_;
  Counts on_fitted_;
};

}  // namespace fairfront::bench
