#include "metrics/probability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"

namespace fairfront::metrics {
namespace {

/// One bin of the calibration error.
struct Bin {
  double probability = 0;  ///< summed
  std::int64_t positives = 0;
};

/// Sums over one set of rows.
struct Sums {
  std::int64_t rows = 0;
  double loss = 0;
  std::array<Bin, calibration_bins> bins{};
};

/// The number of a bin that is closed on the right.
std::size_t bin_of(double probability) {
  const double place = std::ceil(probability * static_cast<double>(calibration_bins));
  return static_cast<std::size_t>(std::max(place, 1.0)) - 1;
}

double loss_of_row(double probability, bool positive, ProbabilityLoss loss) {
  if (loss == ProbabilityLoss::log_loss) {
    return -base::log(positive ? probability : 1 - probability);
  }
  const double error = probability - (positive ? 1 : 0);
  return error * error;
}

double mean(const Sums& sums, ProbabilityLoss loss) {
  if (loss != ProbabilityLoss::calibration) return sums.loss / static_cast<double>(sums.rows);
  double error = 0;
  for (const Bin& bin : sums.bins) {
    error += std::abs(static_cast<double>(bin.positives) - bin.probability);
  }
  return error / static_cast<double>(sums.rows);
}

void add(Sums& sums, double probability, bool positive, ProbabilityLoss loss) {
  ++sums.rows;
  if (loss == ProbabilityLoss::calibration) {
    Bin& bin = sums.bins[bin_of(probability)];
    bin.probability += probability;
    bin.positives += positive ? 1 : 0;
  } else {
    sums.loss += loss_of_row(probability, positive, loss);
  }
}

/// The mean loss of every set of rows, or why there is none.
struct Means {
  std::vector<double> of_set;
  std::string missing;
};

Means means(const Scored& scored, ProbabilityLoss loss, bool by_group) {
  std::vector<Sums> sums(by_group ? static_cast<std::size_t>(scored.groups) : 1);
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const double probability = scored.score[i];
    if (std::isnan(probability)) throw base::InputError(fmt::format("score {} is NaN", i));
    if (probability < 0 || probability > 1) {
      return {{}, "a score is no probability: it leaves [0, 1]"};
    }
    const std::size_t set = by_group ? static_cast<std::size_t>(scored.group[i]) : 0;
    add(sums[set], probability, scored.label[i] > 0, loss);
  }
  Means result;
  for (std::size_t set = 0; set < sums.size(); ++set) {
    if (sums[set].rows == 0) {
      return {{}, by_group ? fmt::format("no row in group {}", set) : "no row"};
    }
    result.of_set.push_back(mean(sums[set], loss));
  }
  return result;
}

}  // namespace

Value loss_of(const Scored& scored, ProbabilityLoss loss) {
  Means all = means(scored, loss, false);
  if (!all.missing.empty()) return undefined(std::move(all.missing));
  return defined(all.of_set.front());
}

Value gap_between_groups(const Scored& scored, ProbabilityLoss loss) {
  Means groups = means(scored, loss, true);
  if (!groups.missing.empty()) return undefined(std::move(groups.missing));
  const auto [lowest, highest] = std::ranges::minmax_element(groups.of_set);
  if (std::isinf(*lowest)) return undefined("the loss is infinite in every group");
  return defined(*highest - *lowest);
}

Value largest_of_groups(const Scored& scored, ProbabilityLoss loss) {
  Means groups = means(scored, loss, true);
  if (!groups.missing.empty()) return undefined(std::move(groups.missing));
  return defined(std::ranges::max(groups.of_set));
}

}  // namespace fairfront::metrics
