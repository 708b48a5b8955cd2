#include "metrics/by_group.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

namespace fairfront::metrics {

GroupSamples::GroupSamples(const Scored& scored, bool intervals)
    : first_(static_cast<std::size_t>(scored.groups) + 1, 0),
      score_(scored.rows()),
      label_(scored.rows()),
      decided_(scored.decided.size()),
      group_(scored.rows(), 0),
      threshold_{scored.threshold},
      no_probability_{scored.no_probability} {
  for (const std::int32_t group : scored.group) ++first_[static_cast<std::size_t>(group) + 1];
  for (std::size_t g = 1; g < first_.size(); ++g) first_[g] += first_[g - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t row = 0; row < scored.rows(); ++row) {
    const std::size_t place = next[static_cast<std::size_t>(scored.group[row])]++;
    score_[place] = scored.score[row];
    label_[place] = scored.label[row];
    if (!decided_.empty()) decided_[place] = scored.decided[row];
  }
  ordered_.reserve(static_cast<std::size_t>(scored.groups));
  for (std::size_t g = 0; g + 1 < first_.size(); ++g) ordered_.emplace_back(rows_of(g), intervals);
  if (intervals) take_order(scored);
}

void GroupSamples::take_order(const Scored& scored) {
  const CellsInOrder* const all = ordered(scored)->in_order();
  if (all == nullptr) return;
  std::vector<std::uint32_t> place_in_group(scored.rows());
  std::vector<std::uint32_t> next(ordered_.size(), 0);
  for (std::size_t row = 0; row < scored.rows(); ++row) {
    place_in_group[row] = next[static_cast<std::size_t>(scored.group[row])]++;
  }
  std::vector<std::vector<std::uint32_t>> order(ordered_.size());
  for (const std::uint32_t row : all->row) {
    order[static_cast<std::size_t>(scored.group[row])].push_back(place_in_group[row]);
  }
  for (std::size_t g = 0; g < order.size(); ++g) ordered_[g].take_order(std::move(order[g]));
}

Scored GroupSamples::of(std::size_t group) const { return ordered_[group].sample(); }

Scored GroupSamples::rows_of(std::size_t group) const {
  const std::size_t first = first_[group];
  const std::size_t rows = first_[group + 1] - first;
  return {.score = std::span{score_}.subspan(first, rows),
          .label = std::span{label_}.subspan(first, rows),
          .group = std::span{group_}.subspan(first, rows),
          .groups = 1,
          .threshold = threshold_,
          .decided = decided_.empty() ? std::span<const double>{}
                                      : std::span{decided_}.subspan(first, rows),
          .no_probability = no_probability_};
}

std::string in_group(const std::string& reason, std::size_t group) {
  return fmt::format("{} in group {}", reason, group);
}

Value value_of_group(const Measure& measure, const GroupSamples& samples, std::size_t group) {
  Value value = measure.of(samples.of(group));
  if (!value.defined()) value.undefined_reason = in_group(value.undefined_reason, group);
  return value;
}

Interval interval_of_group(const Measure& measure, const GroupSamples& samples, std::size_t group,
                           double level) {
  Interval interval = measure.interval(samples.of(group), level);
  if (!interval.defined()) interval.undefined_reason = in_group(interval.undefined_reason, group);
  return interval;
}

}  // namespace fairfront::metrics
