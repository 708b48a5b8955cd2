/// @file
/// A view of rows of a feature matrix: all of them, or those that a list of row numbers names.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>

namespace fairfront::models {

/// What it views must outlive it. An empty list is a batch without rows, not all of them.
class Rows {
 public:
  /// All rows. @param features  row-major, shape (N, columns); columns >= 1.
  Rows(std::span<const double> features, std::int64_t columns)
      : features_{features.data()},
        columns_{columns},
        size_{static_cast<std::int64_t>(features.size()) / columns} {}
  /// Row index[i] of the matrix as row i, in any order, also several times.
  Rows(std::span<const double> features, std::int64_t columns, std::span<const std::int64_t> index)
      : features_{features.data()},
        columns_{columns},
        index_{index.data()},
        size_{std::ssize(index)},
        listed_{true} {}

  /// The same matrix, other rows; `index` counts in the matrix, not in this view.
  [[nodiscard]] Rows at(std::span<const std::int64_t> index) const {
    Rows result = *this;
    result.index_ = index.data();
    result.first_ = 0;
    result.size_ = std::ssize(index);
    result.listed_ = true;
    return result;
  }
  /// Rows first .. first + count - 1 of this view.
  [[nodiscard]] Rows part(std::int64_t first, std::int64_t count) const {
    assert(first >= 0 && count >= 0 && first + count <= size_);
    Rows result = *this;
    result.first_ += first;
    result.size_ = count;
    return result;
  }

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// The number in the matrix of row i of this view.
  [[nodiscard]] std::int64_t number(std::int64_t i) const {
    return listed_ ? index_[first_ + i] : first_ + i;
  }
  [[nodiscard]] const double* row(std::int64_t i) const { return features_ + number(i) * columns_; }

 private:
  const double* features_ = nullptr;
  std::int64_t columns_ = 0;
  const std::int64_t* index_ = nullptr;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
  bool listed_ = false;
};

}  // namespace fairfront::models
