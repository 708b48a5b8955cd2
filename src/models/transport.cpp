#include "models/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"

namespace fairfront::models {
namespace {

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::DamagedError(std::string{rule});
}

void check(const TransportStep& step, std::size_t groups) {
  require(step.level.size() == groups, "its levels are not those of its groups");
  require(!step.values.empty() && step.shares.size() == step.values.size(),
          "its shares are not those of its levels");
  require(std::ranges::all_of(
              step.level,
              [&](std::int32_t level) { return level >= 0 && level < std::ssize(step.values); }),
          "a level that there is not");
  for (const std::vector<double>& values : step.values) {
    require(!values.empty() && std::ranges::is_sorted(values) && std::isfinite(values.front()) &&
                std::isfinite(values.back()),
            "predictions of a level that do not ascend");
  }
}

/// Uniform on [0, 1), of the row and the step alone.
double drawn(std::uint64_t seed, std::size_t step, std::span<const double> features) {
  const auto bytes = std::as_bytes(features);
  const std::string_view row(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const base::StreamKey key(seed, row, fmt::format("transport/{}", step));
  return static_cast<double>(key.value() >> 11) * 0x1p-53;
}

double quantile(const std::vector<double>& ascending, double u) {
  const auto count = static_cast<double>(ascending.size());
  const double place = std::ceil(count * u) - 1;
  return ascending[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))];
}

}  // namespace

std::string_view name_of(Ties ties) { return ties == Ties::drawn ? "drawn" : "middle"; }

double moved(const TransportStep& step, std::size_t number, const TransportOptions& options,
             double value, std::int32_t group, std::span<const double> features) {
  const auto level = static_cast<std::size_t>(step.level[static_cast<std::size_t>(group)]);
  const std::vector<double>& own = step.values[level];
  const auto first = std::ranges::lower_bound(own, value);
  const auto last = std::ranges::upper_bound(own, value);
  const double part = options.ties == Ties::drawn ? drawn(options.seed, number, features) : 0.5;
  const auto below = static_cast<double>(first - own.begin());
  const auto equal = static_cast<double>(last - first);
  const double rank = (below + part * (equal + 1)) / static_cast<double>(own.size() + 1);
  double sum = 0;
  for (std::size_t m = 0; m < step.values.size(); ++m) {
    sum += step.shares[m] * quantile(step.values[m], rank);
  }
  return sum;
}

Transport::Transport(std::vector<TransportStep> steps, std::int64_t groups,
                     const TransportOptions& options)
    : steps_{std::move(steps)}, options_{options} {
  require(!steps_.empty(), "no step");
  require(options_.epsilon >= 0 && options_.epsilon <= 1, "an epsilon beyond 0 and 1");
  for (const TransportStep& step : steps_) check(step, static_cast<std::size_t>(groups));
}

double Transport::operator()(double value, std::int32_t group,
                             std::span<const double> features) const {
  double fair = value;
  for (std::size_t t = 0; t < steps_.size(); ++t) {
    fair = moved(steps_[t], t, options_, fair, group, features);
  }
  return (1 - options_.epsilon) * fair + options_.epsilon * value;
}

}  // namespace fairfront::models
