#include "metrics/paired_contrast.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/stop.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

/// A contrast that can be the largest.
struct Candidate {
  PairedContrast contrast;
  double low_value;   ///< less what its estimates may lie too high
  double high_value;  ///< more what those that it takes off may
  double variance = 0;
  double least = 0;  ///< its part of the least variance of a difference
};

/// The covariance of any two estimates, each scaled up by how far Student's quantile lies above the
/// normal one.
class ScaledCovariance {
 public:
  ScaledCovariance(const PairedEstimates& estimates, double tail)
      : covariance_{estimates.covariance} {
    const double normal = -normal_quantile(tail);
    for (const double degrees : estimates.degrees) {
      scale_.push_back(student_quantile(tail, degrees) / normal);
    }
  }
  [[nodiscard]] double of(const PairedContrast& a, int of_a, const PairedContrast& b,
                          int of_b) const {
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        if (a.weight[i] == 0 || b.weight[j] == 0) continue;
        const double one = covariance_.of(a.estimate[i], of_a, b.estimate[j], of_b);
        sum += a.weight[i] * b.weight[j] * one * scale(a.estimate[i]) * scale(b.estimate[j]);
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] double scale(std::size_t estimate) const {
    return scale_.empty() ? 1.0 : scale_[estimate];
  }

  const JointCovariance& covariance_;
  std::vector<double> scale_;
};

/// Limits of a contrast by the method of variance estimates recovery; `above` is that of the box.
Limits limits_of(const PairedContrast& contrast, const std::vector<Limits>& of_estimates) {
  Limits limits{contrast.value, 0, 0, 0};
  double below = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const double weight = contrast.weight[i];
    if (weight == 0) continue;
    const Limits& of_one = of_estimates[contrast.estimate[i]];
    const double size = std::abs(weight);
    const double length = size * (weight > 0 ? of_one.below : of_one.above);
    below += length * length;
    limits.above += size * (weight > 0 ? of_one.above : of_one.below + of_one.bias);
    limits.bias += weight > 0 ? size * of_one.bias : 0;
  }
  limits.below = std::sqrt(below);
  return limits;
}

Candidate candidate_of(const PairedContrast& contrast, const std::vector<Estimate>& estimates) {
  Candidate found{contrast, contrast.value, contrast.value};
  for (std::size_t i = 0; i < 2; ++i) {
    if (contrast.weight[i] == 0) continue;
    const double bias = contrast.weight[i] * estimates[contrast.estimate[i]].bias;
    (bias > 0 ? found.low_value : found.high_value) -= bias;
  }
  return found;
}

/// Those that can be the largest, but for an error of `error`.
std::vector<Candidate> possible_extremes(const std::vector<Estimate>& estimates,
                                         const std::vector<PairedContrast>& contrasts,
                                         double error) {
  std::vector<Candidate> possible;
  if (contrasts.size() == 1) return {candidate_of(contrasts.front(), estimates)};
  const double tail = error / (2 * static_cast<double>(contrasts.size()));
  std::vector<Limits> of_estimates;
  for (const Estimate& estimate : estimates) of_estimates.push_back(limits_of(estimate, tail));
  double reached = -std::numeric_limits<double>::infinity();
  for (const PairedContrast& contrast : contrasts) {
    reached = std::max(reached, limits_of(contrast, of_estimates).low());
  }
  for (const PairedContrast& contrast : contrasts) {
    if (limits_of(contrast, of_estimates).high() < reached) continue;
    possible.push_back(candidate_of(contrast, estimates));
  }
  return possible;
}

double least_variance(const PairedContrast& contrast, const std::vector<double>& least) {
  double sum = 0;
  for (std::size_t i = 0; i < 2 && !least.empty(); ++i) {
    sum += contrast.weight[i] * contrast.weight[i] * least[contrast.estimate[i]];
  }
  return sum;
}

/// Of two contrasts of two models.
/// @param covariance  of both.
double standard_error(const Candidate& k, const Candidate& l, double covariance, bool of_same) {
  if (!of_same) return std::sqrt(k.variance) + std::sqrt(l.variance);
  return std::sqrt(std::max(k.least + l.least, k.variance + l.variance - 2 * covariance));
}

/// Of model `of_first` less the other one.
double upper_end(const PairedEstimates& estimates, const PairedContrasts& contrasts, double alpha,
                 int of_first) {
  const int of_second = 1 - of_first;
  const auto first = static_cast<std::size_t>(of_first);
  const auto second = static_cast<std::size_t>(of_second);
  const bool choice = contrasts[0].size() > 1 || contrasts[1].size() > 1;
  const double error = choice ? alpha / 40 : 0;
  std::vector<Candidate> firsts =
      possible_extremes(estimates.of_model[first], contrasts[first], error);
  std::vector<Candidate> seconds =
      possible_extremes(estimates.of_model[second], contrasts[second], error);
  const double tail = (alpha / 2 - 2 * error) / static_cast<double>(seconds.size());
  const double reach = -normal_quantile(tail);
  const ScaledCovariance covariance(estimates, tail);
  for (Candidate& k : firsts) {
    k.variance = covariance.of(k.contrast, of_first, k.contrast, of_first);
    k.least = least_variance(k.contrast, estimates.least);
  }
  for (Candidate& l : seconds) {
    l.variance = covariance.of(l.contrast, of_second, l.contrast, of_second);
    l.least = least_variance(l.contrast, estimates.least);
  }
  // The largest first, so that few of them are compared with many.
  std::ranges::stable_sort(firsts, std::ranges::greater{}, &Candidate::high_value);
  std::ranges::stable_sort(seconds, std::ranges::greater{}, &Candidate::low_value);
  double largest = -std::numeric_limits<double>::infinity();
  for (const Candidate& k : firsts) {
    base::stop_point();
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& l : seconds) {
      if (least <= largest) break;                     // k does not raise it
      if (k.high_value - l.low_value >= least) break;  // nor do l and all after it lower it
      const bool of_same = !estimates.of_same_alone || k.contrast.estimate == l.contrast.estimate;
      const double joint =
          of_same ? covariance.of(k.contrast, of_first, l.contrast, of_second) : 0.0;
      least = std::min(least,
                       k.high_value - l.low_value + reach * standard_error(k, l, joint, of_same));
    }
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace

double squares_spread(double fourth_powers, double squares, double rows) noexcept {
  const double of_mean = rows > 3 ? squares * squares / rows * (rows - 3) / (rows - 1) : 0.0;
  return std::max(0.0, fourth_powers - of_mean);
}

double degrees_of_variance(double variance, double spread, double most) noexcept {
  const double square = 2 * variance * variance;
  if (square >= most * spread) return most;
  return std::max(std::min(1.0, most), square / spread);
}

PairedContrasts paired_differences(const PairedEstimates& estimates, std::size_t groups) {
  PairedContrasts contrasts;
  for (std::size_t model = 0; model < 2; ++model) {
    const std::vector<Estimate>& of_model = estimates.of_model[model];
    for (std::size_t a = 0; a < of_model.size(); ++a) {
      const std::size_t first = a / groups * groups;
      for (std::size_t b = first; b < first + groups; ++b) {
        if (a == b) continue;
        contrasts[model].push_back({of_model[a].value - of_model[b].value,
                                    {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)},
                                    {1, -1}});
      }
    }
  }
  return contrasts;
}

PairedContrasts paired_values(const PairedEstimates& estimates, double sign) {
  PairedContrasts contrasts;
  for (std::size_t model = 0; model < 2; ++model) {
    const std::vector<Estimate>& of_model = estimates.of_model[model];
    for (std::size_t e = 0; e < of_model.size(); ++e) {
      contrasts[model].push_back(
          {sign * of_model[e].value, {static_cast<std::uint32_t>(e), 0}, {sign, 0}});
    }
  }
  return contrasts;
}

PairedContrasts paired_absolute_values(const PairedEstimates& estimates) {
  PairedContrasts contrasts = paired_values(estimates);
  const PairedContrasts negative = paired_values(estimates, -1);
  for (std::size_t model = 0; model < 2; ++model) {
    contrasts[model].insert(contrasts[model].end(), negative[model].begin(), negative[model].end());
  }
  return contrasts;
}

Interval paired_interval_of_largest(const PairedEstimates& estimates,
                                    const PairedContrasts& contrasts, double level, double lowest,
                                    double highest) {
  const double alpha = 1 - level;
  return {std::max(lowest, -upper_end(estimates, contrasts, alpha, 1)),
          std::min(highest, upper_end(estimates, contrasts, alpha, 0)),
          {}};
}

}  // namespace fairfront::metrics
