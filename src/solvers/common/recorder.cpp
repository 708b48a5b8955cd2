#include "solvers/common/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/cpu_time.hpp"
#include "base/elementary.hpp"

namespace fairfront::solvers {
std::vector<std::int64_t> evenly_spaced(std::int64_t last, std::int64_t points) {
  std::vector<std::int64_t> counts;
  if (points == 0) return counts;
  counts.push_back(0);
  const std::int64_t gaps = std::clamp<std::int64_t>(points - 1, 1, last);
  // The least t with t * gaps / last >= i: the i-th mark, rounded up, without i * last.
  for (std::int64_t i = 1; i <= gaps; ++i) {
    counts.push_back(i * (last / gaps) + (i * (last % gaps) + gaps - 1) / gaps);
  }
  return counts;
}

std::vector<std::int64_t> log_spaced(std::int64_t last, std::int64_t points) {
  std::vector<std::int64_t> counts;
  const double log_last = base::log(static_cast<double>(last));
  for (std::int64_t k = 0; k < points; ++k) {
    const double share =
        points == 1 ? 1.0 : static_cast<double>(k) / static_cast<double>(points - 1);
    const auto count =
        std::min(last, static_cast<std::int64_t>(std::llround(base::exp(share * log_last))));
    if (counts.empty() || count > counts.back()) counts.push_back(count);
  }
  return counts;
}

std::span<const double> Trace::of(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::out_of_range(fmt::format("no series '{}'", name));
  return values[static_cast<std::size_t>(found - names.begin())];
}

Recorder::Recorder(std::vector<std::string> names, std::vector<std::int64_t> counts)
    : counts_{std::move(counts)}, begin_{base::cpu_seconds()} {
  trace_.values.resize(names.size());
  trace_.names = std::move(names);
  for (std::vector<double>& series : trace_.values) series.reserve(counts_.size());
  trace_.steps.reserve(counts_.size());
  trace_.seconds.reserve(counts_.size());
}

void Recorder::pause() noexcept {
  if (paused_ < 0) paused_ = base::cpu_seconds();
}

void Recorder::record(std::int64_t count, std::span<const double> values) {
  if (values.size() != trace_.values.size()) {
    throw std::invalid_argument("Recorder::record: one value for each series");
  }
  pause();
  trace_.steps.push_back(count);
  trace_.seconds.push_back(paused_ - begin_);
  auto series = trace_.values.begin();
  for (const double value : values) (series++)->push_back(value);
  while (next_ < counts_.size() && counts_[next_] <= count) ++next_;
  begin_ += base::cpu_seconds() - paused_;
  paused_ = -1;
}

void Recorder::go_on(Trace trace) {
  const auto whole = [&](const std::vector<double>& values) {
    return values.size() == trace.steps.size();
  };
  if (trace.names != trace_.names || trace.values.size() != trace.names.size() ||
      !std::ranges::all_of(trace.values, whole) || !whole(trace.seconds)) {
    throw std::invalid_argument("Recorder::go_on: another recorder's trace");
  }
  trace_ = std::move(trace);
  next_ = 0;
  if (trace_.steps.empty()) return;
  while (next_ < counts_.size() && counts_[next_] <= trace_.steps.back()) ++next_;
  begin_ = base::cpu_seconds() - trace_.seconds.back();
}

}  // namespace fairfront::solvers
