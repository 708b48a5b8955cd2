#include "solvers/training/row_pieces.hpp"

#include <algorithm>
#include <utility>

#include "solvers/training/row_team.hpp"

namespace fairfront::training {

RowPieces::RowPieces(RowTeam* team, std::span<const std::int64_t> slots, std::int64_t most)
    : team_{team} {
  std::int64_t rows = 0;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const std::int64_t end = rows + slots[slot];
    for (; rows < end; rows += pieces_.back().count) {
      pieces_.push_back({rows, std::min(most, end - rows), slot});
    }
  }
  count_ = pieces_.size();
  rows_ = rows;
  std::vector<int> of_pieces(pieces_.size(), 0);
  if (team_ != nullptr) share_out(rows, of_pieces);
  if (!pieces_.empty()) find_runs(0, pieces_.size(), of_pieces);
}

void RowPieces::share_out(std::int64_t rows, std::span<int> of_pieces) {
  const auto ranks = static_cast<std::size_t>(team_->size());
  of_ranks_.assign(ranks, 0);
  rows_of_ranks_.assign(ranks, 0);
  runs_of_ranks_.assign(ranks, 0);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    // By where its middle is among all rows.
    const auto middle = static_cast<std::size_t>(2 * pieces_[p].first + pieces_[p].count);
    const std::size_t rank =
        std::min(ranks - 1, middle * ranks / static_cast<std::size_t>(2 * rows));
    ++of_ranks_[rank];
    rows_of_ranks_[rank] += pieces_[p].count;
    of_pieces[p] = static_cast<int>(rank);
  }
  rank_ = team_->rank();
  const auto me = static_cast<std::size_t>(rank_);
  for (std::size_t rank = 0; rank < me; ++rank) {
    first_ += static_cast<std::size_t>(of_ranks_[rank]);
    first_row_ += rows_of_ranks_[rank];
  }
  count_ = static_cast<std::size_t>(of_ranks_[me]);
  rows_ = rows_of_ranks_[me];
}

void RowPieces::find_runs(std::size_t first, std::size_t last, std::span<const int> of_pieces) {
  if (of_pieces[first] == of_pieces[last - 1]) {
    runs_.push_back({first, last, of_pieces[first]});
    if (are_shared()) ++runs_of_ranks_[static_cast<std::size_t>(of_pieces[first])];
    return;
  }
  find_runs(first, half(first, last), of_pieces);
  find_runs(half(first, last), last, of_pieces);
}

std::span<double> RowPieces::sum_of_runs(std::size_t first, std::size_t last, std::size_t width,
                                         std::size_t& next) {
  if (runs_[next].first == first && runs_[next].last == last) {
    return std::span(values_).subspan(next++ * width, width);
  }
  const auto sum = sum_of_runs(first, half(first, last), width, next);
  const auto more = sum_of_runs(half(first, last), last, width, next);
  for (std::size_t j = 0; j < width; ++j) sum[j] += more[j];
  return sum;
}

void RowPieces::share(std::span<double> values, std::vector<std::int64_t> of_ranks,
                      std::size_t width) {
  if (!are_shared()) return;
  for (std::int64_t& length : of_ranks) length *= static_cast<std::int64_t>(width);
  team_->exchange(values, of_ranks, std::exchange(failure_, nullptr));
}

std::int64_t most_pieces(std::size_t width) {
  return width <= 16'384 ? 64 : width <= 65'536 ? 16 : 8;
}

std::int64_t rows_a_piece(std::int64_t rows, std::int64_t pieces) {
  constexpr std::int64_t few = 65'536;
  // Blocks of 128 rows, in which networks are evaluated, are the same with one piece or many.
  constexpr std::int64_t block = 128;
  if (rows < few) return std::max<std::int64_t>(1, rows);
  return (rows + pieces * block - 1) / (pieces * block) * block;
}

std::int64_t batch_a_piece(std::int64_t batch, std::int64_t pieces) {
  constexpr std::int64_t few = 512, most = 16, least = 256;
  if (batch < few) return std::max<std::int64_t>(1, batch);
  pieces = std::min(pieces, most);
  return std::max(least, (batch + pieces - 1) / pieces);
}

bool are_shared_rows(std::int64_t rows) { return rows_a_piece(rows, 2) < rows; }

bool is_shared_batch(std::int64_t batch, std::int64_t weights) {
  constexpr std::int64_t worth_it = 1 << 23;  // about a millisecond, forth and back
  return batch_a_piece(batch, 2) < batch && batch * weights >= worth_it;
}

}  // namespace fairfront::training
