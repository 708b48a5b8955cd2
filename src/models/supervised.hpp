/// @file
/// A part of a data set as a supervised learner sees it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "models/rows.hpp"

namespace fairfront::models {

enum class LabelKind {
  real,                ///< as the data set has them
  minus_one_plus_one,  ///< of exactly two different labels the greater one is +1, the other -1
  zero_one,            ///< of exactly two different labels the greater one is 1, the other 0
};

/// Views the features of the data set, which must outlive it. Every list holds row numbers of the
/// data set, in the order of the part: they select features through rows().at(), and labels,
/// without another translation.
struct Supervised {
  std::span<const double> features;                 ///< of the data set, row-major, shape (N, d)
  std::int64_t columns = 0;                         ///< d
  std::vector<std::int64_t> part;                   ///< the rows that this is about
  std::vector<double> labels;                       ///< of every row of the *data set*, shape (N,)
  std::vector<std::vector<std::int64_t>> of_group;  ///< the part by group, shape (J,)
  /// The part by group and label: [group][0] has the smaller label, [group][1] the greater one.
  /// Empty where the labels are real.
  std::vector<std::array<std::vector<std::int64_t>, 2>> of_group_and_label;

  /// The rows of the part; views this object.
  [[nodiscard]] Rows rows() const { return {features, columns, part}; }
  [[nodiscard]] std::int64_t groups() const { return std::ssize(of_group); }
};

/// Which of two labels is which is decided by the whole data set, so that all parts agree.
/// @param part  row numbers, e.g. of a data::Split; groups without rows there have empty lists.
/// @throws base::InputError  no labels, or not exactly two different ones where the kind wants two.
[[nodiscard]] Supervised supervised(const data::Dataset& dataset,
                                    std::span<const std::int64_t> part, LabelKind kind);

/// The part that is the whole data set.
[[nodiscard]] Supervised supervised(const data::Dataset& dataset, LabelKind kind);

}  // namespace fairfront::models
