/// @file
/// What measures of one sample share: its scores in order, and the estimates of its AUCs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "metrics/auc.hpp"
#include "metrics/auc_interval.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Sorts a sample when a measure first asks for it, and counts each AUC once. Not for several
/// threads at a time. The spans of the sample must outlive it, and their values stay as they are.
class OrderedSample {
 public:
  /// @param estimates  will be asked for: then one order serves the cells, too.
  explicit OrderedSample(const Scored& scored, bool estimates = false)
      : scored_{scored}, expects_estimates_{estimates} {
    scored_.ordered = nullptr;
  }

  /// The sample, whose measures share this.
  [[nodiscard]] Scored sample() const noexcept;

  /// @throws base::InputError  a score is NaN
  [[nodiscard]] const SortedCells& cells() const;
  [[nodiscard]] EstimatedSum estimate(const AucSum& sum) const;

  /// Of all rows, where they are in order already; else null.
  [[nodiscard]] const CellsInOrder* in_order() const noexcept;
  /// @param order  the rows by ascending score, those of equal ones by number.
  void take_order(std::vector<std::uint32_t> order);

  /// Whether it is of the very rows of another sample.
  [[nodiscard]] bool is_of(const Scored& scored) const noexcept;

 private:
  /// The constant and the signs of the terms, and their cells.
  using Key = std::pair<std::vector<double>, std::vector<bool>>;
  [[nodiscard]] Key key_of(const AucSum& sum) const;
  void put_in_order() const;

  Scored scored_;
  bool expects_estimates_;
  mutable std::unique_ptr<const SortedCells> cells_;
  mutable std::unique_ptr<const RowsInOrder> rows_;
  mutable std::map<Key, EstimatedSum> estimates_;
};

/// That of the sample, or a new one where it has none.
[[nodiscard]] std::shared_ptr<const OrderedSample> ordered(const Scored& scored);

}  // namespace fairfront::metrics
