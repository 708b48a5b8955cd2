/// @file
/// Nondominated sets of objective vectors. Every objective is minimised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::pareto {

/// Objective vectors with the id of the solution each belongs to. No order, no other promise.
class Points {
 public:
  /// @param objectives  m >= 1. @throws std::invalid_argument  m < 1.
  explicit Points(std::size_t objectives);

  /// @param values   row-major (n, m), finite.
  /// @param origins  shape (n,).
  /// @throws std::invalid_argument  m < 1, or lengths that do not belong together.
  Points(std::size_t objectives, std::vector<double> values, std::vector<std::uint64_t> origins);

  [[nodiscard]] std::size_t objectives() const noexcept { return objectives_; }
  [[nodiscard]] std::size_t size() const noexcept { return origins_.size(); }
  [[nodiscard]] bool empty() const noexcept { return origins_.empty(); }
  [[nodiscard]] std::span<const double> operator[](std::size_t i) const noexcept {
    return {values_.data() + i * objectives_, objectives_};
  }
  [[nodiscard]] std::uint64_t origin(std::size_t i) const noexcept { return origins_[i]; }
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }  ///< (n, m)
  [[nodiscard]] std::span<const std::uint64_t> origins() const noexcept { return origins_; }

  /// @param point  m finite values.
  void add(std::span<const double> point, std::uint64_t origin);
  void reserve(std::size_t count);
  void clear() noexcept;

 private:
  std::size_t objectives_;
  std::vector<double> values_;
  std::vector<std::uint64_t> origins_;
};

/// No worse in every objective and better in one (strict Pareto dominance).
[[nodiscard]] bool dominates(std::span<const double> a, std::span<const double> b) noexcept;

/// The total order of points: objectives from the first to the last, then origin.
[[nodiscard]] bool precedes(std::span<const double> a, std::uint64_t origin_a,
                            std::span<const double> b, std::uint64_t origin_b) noexcept;

/// Mutually nondominated points with distinct objective vectors in the total order of `precedes`.
/// Of equal objective vectors the smallest origin stays. For two objectives the first one
/// ascends and the second one descends.
class Front {
 public:
  explicit Front(std::size_t objectives) : points_{objectives} {}

  /// The nondominated subset. O(n log n) for up to three objectives, O(n log n + n |front|)
  /// otherwise.
  explicit Front(const Points& points);

  /// The same without a sort. O(n) for two objectives, O(n log n) for three.
  /// @param points  in the order of `precedes`, as the points of another front are.
  /// @throws std::invalid_argument  in another order.
  [[nodiscard]] static Front of_ordered(const Points& points);

  [[nodiscard]] const Points& points() const noexcept { return points_; }
  [[nodiscard]] std::size_t objectives() const noexcept { return points_.objectives(); }
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }
  [[nodiscard]] std::span<const double> operator[](std::size_t i) const noexcept {
    return points_[i];
  }
  [[nodiscard]] std::uint64_t origin(std::size_t i) const noexcept { return points_.origin(i); }

  /// Some member is no worse than `point` in every objective: equal vectors count as covered.
  /// O(log n) for two objectives, O(n) otherwise.
  [[nodiscard]] bool covers(std::span<const double> point) const noexcept;

  /// The members at `positions`, ascending: a subset of a front is a front.
  [[nodiscard]] Front subset(std::span<const std::size_t> positions) const;

  friend Front merge(const Front& a, const Front& b);

 private:
  Points points_;
};

/// The nondominated subset of both fronts. Associative, commutative, idempotent; bit for bit the
/// same whatever the order of merging. O(n) for two objectives, O(n log n) for three.
[[nodiscard]] Front merge(const Front& a, const Front& b);

}  // namespace fairfront::pareto
