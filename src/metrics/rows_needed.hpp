/// @file
/// How many rows it takes to show that a gap keeps a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::metrics {

/// A number of every group, such as its rate, estimated from rows that no other group shares.
struct GroupNumbers {
  std::vector<double> value;
  std::vector<double> error;  ///< standard errors, > 0
};

/// The largest difference of two groups, and the bound that it is to keep.
struct BoundedGap {
  GroupNumbers of_groups;
  double bound = 0;
};

/// A gap of which two sets of rows have told something.
struct SeenGap {
  GroupNumbers tested;   ///< by the rows whose number is to grow: they did not show the bound
  GroupNumbers decided;  ///< by others
  double bound = 0;
};

/// Both estimates weighted by their precision.
[[nodiscard]] GroupNumbers pooled(const GroupNumbers& a, const GroupNumbers& b);

/// By how many times the rows must grow, so that the one-sided limits of all gaps keep their bounds
/// at once with this probability.
///
/// A gap keeps its bound where the upper limit of every ordered pair of groups does. With the rows
/// r^-2 times as many, that of a and b is d + r (s_a x_a - s_b x_b + z sqrt(s_a^2 + s_b^2)), d the
/// difference in truth, x standard normal, one of each group: linear in r. So each draw of x has a
/// largest r at which all pairs pass, and the answer is a quantile over draws. They are the 16,384
/// first points of a Kronecker sequence with the roots of primes (Richtmyer, 1951): the same for
/// all questions. Exact but for the normal approximation of estimates and limits.
///
/// @param gaps   the truth, and the errors at the rows that there are; their groups share no rows.
/// @param tail   quantile z of the limits, > 0.
/// @param power  in (0, 1).
/// @return > 0; infinite where a gap is not below its bound.
[[nodiscard]] double growth_for_power(std::span<const BoundedGap> gaps, double tail, double power);

/// Draws of the rows to come, for several questions of growth_for_power() about as many groups.
class RowsToCome {
 public:
  /// @param groups  of all gaps together.
  /// @param draws   the first ones of the sequence.
  explicit RowsToCome(std::size_t groups, std::int64_t draws = 4096);
  /// As growth_for_power().
  [[nodiscard]] double growth(std::span<const BoundedGap> gaps, double tail, double power) const;

 private:
  std::size_t groups_;
  std::vector<double> normals_;  ///< row-major (draws, groups)
};

/// The same where the truth is not known: the probability is also over what it may be after a test
/// that has failed, if the bounds hold.
///
/// The numbers of a gap's groups are normal around one mean, which may be any, with a deviation
/// that makes their expected range anything between 0 and the bound, all alike likely (a flat prior
/// on the deviation of a hierarchical model: Gelman, 2006). Both sets of rows tell of them. That a
/// test has failed is why the question is asked, and the tested rows look worse for it, so that
/// their likelihood is that among the draws which fail. The growth is a quantile over 256 truths,
/// each with 128 draws of the rows to come. Such predictive power (Spiegelhalter, Abrams, Myles,
/// 2004, section 6.5) has no single truth: at gaps near 0 fewer rows would do, near the bound
/// no number does.
///
/// @returns > 0; infinite where the bounds are more likely broken than kept.
[[nodiscard]] double growth_after_failure(std::span<const SeenGap> gaps, double tail, double power);

/// The same of a point that was fitted to the rows that decide, such as thresholds at which groups
/// have equal rates there.
///
/// Their equality there is no evidence that they are alike. But a fitted number's distance from the
/// truth is about as large as if the point had not been fitted: the rate of the population beyond a
/// sample's quantile is off by the error of a binomial rate. So the truth lies around what decided
/// by its error, with no other prior, and the tested rows tell of it as ever. What may be true then
/// reaches up to the bound, near which no number does, so that a quantile would have to be large
/// for the sake of a few truths: the growth is the one up to which each doubling of the rows is
/// worth it, raising the probability by .065 on average. Of fronts of thresholds that makes the
/// power .9 on average (tests/bench/simulate_choice).
///
/// @returns >= 1; infinite where the bounds are more likely broken than kept.
[[nodiscard]] double growth_after_fit(std::span<const SeenGap> gaps, double tail);

}  // namespace fairfront::metrics
