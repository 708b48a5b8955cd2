#include "solvers/common/batches.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairfront::solvers {

Batches::Batches(std::vector<std::int64_t> rows, base::StreamKey key, EpochOrder order)
    : rows_{std::move(rows)}, key_{key}, order_{order} {
  if (rows_.empty()) throw std::invalid_argument("Batches: no rows");
}

void Batches::begin_epoch() {
  if (order_ == EpochOrder::reshuffled || epochs_ == 0) {
    shuffled_ = rows_;
    base::Stream stream(key_, static_cast<std::uint64_t>(epochs_));
    stream.shuffle(std::span{shuffled_});
  }
  taken_ = 0;
  ++epochs_;
}

std::span<const std::int64_t> Batches::next(std::int64_t size) {
  if (taken_ == std::ssize(shuffled_)) begin_epoch();
  const std::int64_t first = taken_;
  taken_ = std::min(taken_ + size, rows());
  return std::span{shuffled_}.subspan(static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(taken_ - first));
}

std::span<const std::int64_t> Batches::draw(std::int64_t size) {
  base::Stream stream(key_, std::uint64_t{1} << 63 | draws_++);
  const auto bound = static_cast<std::uint32_t>(rows_.size());
  drawn_.clear();
  for (std::int64_t i = 0; i < size; ++i) drawn_.push_back(rows_[stream.below(bound)]);
  return drawn_;
}

void Batches::go_to(const Place& place) {
  const bool begun = place.epochs > 0;
  if (place.epochs < 0 || place.taken < 0 || place.taken > (begun ? rows() : 0)) {
    throw std::invalid_argument("Batches: no such place");
  }
  shuffled_.clear();
  epochs_ = 0;
  taken_ = 0;
  if (begun) {
    if (order_ == EpochOrder::reshuffled) epochs_ = place.epochs - 1;
    begin_epoch();
  }
  epochs_ = place.epochs;
  taken_ = place.taken;
  draws_ = place.draws;
}

GroupBatches::GroupBatches(const std::vector<std::vector<std::int64_t>>& rows_of_group,
                           std::uint64_t seed, std::string_view task_key, std::string_view purpose,
                           EpochOrder order) {
  if (rows_of_group.empty()) throw std::invalid_argument("GroupBatches: no groups");
  for (const std::vector<std::int64_t>& rows : rows_of_group) {
    const std::string own = std::string(purpose) + "/" + std::to_string(groups_.size());
    groups_.emplace_back(rows, base::StreamKey(seed, task_key, own), order);
  }
  filled_.resize(groups_.size());
}

std::span<const std::int64_t> GroupBatches::next(std::int64_t group, std::int64_t size) {
  std::vector<std::int64_t>& batch = filled_[static_cast<std::size_t>(group)];
  batch.clear();
  while (std::ssize(batch) < size) {
    const auto more = groups_[static_cast<std::size_t>(group)].next(size - std::ssize(batch));
    batch.insert(batch.end(), more.begin(), more.end());
  }
  return batch;
}

std::int64_t geometric_size(base::Stream& stream, double p, std::int64_t most) {
  if (!(p > 0 && p <= 1)) throw std::invalid_argument("geometric_size: p must be in (0, 1]");
  if (most < 0 || most > 61) throw std::invalid_argument("geometric_size: most must be 0 to 61");
  std::int64_t level = 0;
  while (level < most && stream.uniform() >= p) ++level;
  return std::int64_t{2} << level;
}

}  // namespace fairfront::solvers
