#include "solvers/ranking/row_stream.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/error.hpp"

namespace fairfront::ranking {
namespace {

std::vector<std::int64_t> numbers(std::int64_t rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

RowStream::RowStream(std::int64_t rows, RowOrder order, base::StreamKey key)
    : order_{order}, all_{numbers(rows)}, batches_(all_, key) {}

std::span<const std::int64_t> RowStream::next(std::int64_t size) {
  if (order_ == RowOrder::drawn) return batches_.draw(size);
  if (order_ == RowOrder::shuffled) return batches_.next(size);
  if (taken_ == std::ssize(all_)) taken_ = 0;
  const std::int64_t first = taken_;
  taken_ = std::min(taken_ + size, std::ssize(all_));
  return std::span(all_).subspan(static_cast<std::size_t>(first),
                                 static_cast<std::size_t>(taken_ - first));
}

void RowStream::pack(solvers::Packer& packer) const {
  packer.number(taken_);
  packer.number(batches_.place());
}

void RowStream::unpack(solvers::Unpacker& unpacker) {
  taken_ = unpacker.number<std::int64_t>();
  if (taken_ < 0 || taken_ > std::ssize(all_)) {
    throw base::CheckpointError("a checkpoint has rows that do not exist");
  }
  try {
    batches_.go_to(unpacker.number<solvers::Batches::Place>());
  } catch (const std::invalid_argument& error) {
    throw base::CheckpointError(error.what());
  }
}

}  // namespace fairfront::ranking
