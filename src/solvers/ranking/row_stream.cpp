#include "solvers/ranking/row_stream.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"

namespace fairfront::ranking {
namespace {

std::vector<std::int64_t> numbers(std::int64_t rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

RowStream::RowStream(std::span<const std::uint8_t> cells, RowOrder order, base::StreamKey key)
    : order_{order}, all_{numbers(std::ssize(cells))}, batches_(all_, key), key_{key} {
  weights_.fill(1);
  if (order != RowOrder::balanced) return;
  std::array<std::vector<std::int64_t>, max_cells> rows;
  for (const std::int64_t row : all_) rows[cells[static_cast<std::size_t>(row)]].push_back(row);
  for (std::size_t c = 0; c < max_cells; ++c) {
    if (!rows[c].empty()) cells_.push_back({c, std::move(rows[c])});
  }
}

std::span<const std::int64_t> RowStream::next_balanced(std::int64_t size) {
  const std::int64_t cells = std::ssize(cells_);
  if (size < cells) {
    throw std::invalid_argument("balanced batches need a row of every label and group");
  }
  base::Stream stream(key_, draws_++);
  drawn_.clear();
  for (std::int64_t k = 0; k < cells; ++k) {
    const auto& [number, rows] = cells_[static_cast<std::size_t>(k)];
    const std::int64_t count = size / cells + (k < size % cells ? 1 : 0);
    for (std::int64_t i = 0; i < count; ++i) {
      drawn_.push_back(rows[stream.below(static_cast<std::uint32_t>(rows.size()))]);
    }
    const auto of_all = static_cast<double>(rows.size()) / static_cast<double>(all_.size());
    weights_[number] = of_all * static_cast<double>(size) / static_cast<double>(count);
  }
  return drawn_;
}

std::span<const std::int64_t> RowStream::next(std::int64_t size) {
  if (order_ == RowOrder::balanced) return next_balanced(size);
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
  packer.number(draws_);
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
  draws_ = unpacker.number<std::uint64_t>();
}

}  // namespace fairfront::ranking
