/// @file
/// Intervals of distances between the distributions of groups: the largest of many differences of
/// distribution functions, of which each is a contrast.
///
/// Kolmogorov-Smirnov: |F_a - F_b| at its true place is a difference of two proportions, so that
/// the upper end is the largest over all places of MOVER's, uncorrected. The lower end is the
/// distance less x, Pr(sup (F_a^ - F_a) + sup (F_b - F_b^) > x) by the inequality of Dvoretzky,
/// Kiefer, Wolfowitz with Massart's constant (1990) for each of the two.
///
/// 1-Wasserstein: W = sup over 1-Lipschitz f of E_a f - E_b f. The f of the true distance is fixed,
/// and has no larger a variance than the score itself: the upper end is W^ + t s, s the standard
/// error of the difference of means. The lower end takes off t s (Borell, 1975, for the norm of a
/// Gaussian process) and the mean of the distance that equal distributions have in samples,
/// sqrt(2 / pi) times the integral of the standard error of F_a^ - F_b^.
#pragma once

#include <functional>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Two distribution functions, walked through together.
struct ComparedSteps {
  double rows_a = 1, rows_b = 1;
  double distance = 0;  ///< largest |F_a - F_b|
  double weight = 1;    ///< of the distance in what is measured
  /// Calls its argument with F_a and F_b on every piece on which both are constant.
  std::function<void(const std::function<void(double, double)>&)> steps = nullptr;
};
/// Of the largest weighted Kolmogorov-Smirnov distance.
[[nodiscard]] Interval interval_of_distances(const std::vector<ComparedSteps>& pairs, double level);

/// One 1-Wasserstein distance and what is known of it.
struct MovedMass {
  double distance = 0;
  double standard_error = 0;  ///< of the difference of the means
  double bias = 0;            ///< of the distance of two samples from one distribution
  double degrees = 1;         ///< of freedom of the standard error
};
/// Of the largest.
[[nodiscard]] Interval interval_of_distances(const std::vector<MovedMass>& pairs, double level);

/// As the measures of these names; see metrics/distance.hpp.
[[nodiscard]] Interval kolmogorov_smirnov_interval(const Scored& scored, double level);
[[nodiscard]] Interval kolmogorov_smirnov_to_all_interval(const Scored& scored, double level);
[[nodiscard]] Interval wasserstein_1_interval(const Scored& scored, double level);

/// Undefined, with the reason.
[[nodiscard]] Interval no_interval_of_wasserstein_2(const Scored& scored, double level);

}  // namespace fairfront::metrics
