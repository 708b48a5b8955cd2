#include "metrics/cells_in_order.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

std::vector<std::uint32_t> order_of(std::span<const double> scores) {
  std::vector<std::uint32_t> rows(scores.size());
  if (std::ranges::is_sorted(scores)) {
    std::iota(rows.begin(), rows.end(), std::uint32_t{0});
    return rows;
  }
  order_ascending(scores, rows);
  return rows;
}

/// The cells of all rows in few bytes first: looked up here and there they are nearby.
template <class Cell>
void set_cells(const Scored& scored, std::span<const std::uint32_t> rows,
               std::span<std::uint32_t> cells) {
  std::vector<Cell> of_row(rows.size());
  for (std::size_t i = 0; i < of_row.size(); ++i) of_row[i] = static_cast<Cell>(cell_of(scored, i));
  for (std::size_t i = 0; i < rows.size(); ++i) cells[i] = of_row[rows[i]];
}

template <class Counts>
std::vector<std::uint64_t> sums_of(const CellsInOrder& rows, std::size_t width, Counts zeros) {
  std::vector<std::uint64_t> sums(width * width, 0);
  for_each_half_wins(rows, std::move(zeros), [&](std::size_t place, const Counts& half_wins) {
    half_wins.add_to(std::span(sums).subspan(rows.cell[place] * width, width));
  });
  return sums;
}

/// Without the columns and rows of no cell.
std::vector<std::uint64_t> first_cells(const std::vector<std::uint64_t>& sums, std::size_t width,
                                       std::size_t cells) {
  std::vector<std::uint64_t> first;
  for (std::size_t c = 0; c < cells; ++c) {
    first.insert(first.end(), sums.begin() + std::ptrdiff_t(c * width),
                 sums.begin() + std::ptrdiff_t(c * width + cells));
  }
  return first;
}

template <std::size_t quads>
std::vector<std::uint32_t> half_wins_of(const CellsInOrder& rows) {
  using Counts = FewCounts<quads>;
  std::vector<std::uint32_t> found(rows.size() * Counts::width);
  for_each_half_wins(rows, Counts(), [&](std::size_t place, const Counts& half_wins) {
    half_wins.store(found.data() + place * Counts::width);
  });
  return found;
}

template <std::size_t quads>
std::vector<double> shares_of(std::span<const std::uint32_t> counts,
                              std::span<const std::uint32_t> places, const std::vector<bool>& set,
                              double pairs) {
  constexpr std::size_t width = FewCounts<quads>::width;
  std::array<Quad, quads> in_set{};
  for (std::size_t c = 0; c < set.size(); ++c) in_set[c / 4][c % 4] = set[c] ? ~0U : 0U;
  std::vector<double> shares(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    Quad sums{};
    for (std::size_t q = 0; q < quads; ++q) {
      Quad of_cells;
      std::memcpy(&of_cells, counts.data() + places[i] * width + 4 * q, sizeof of_cells);
      sums += of_cells & in_set[q];
    }
    shares[i] = static_cast<double>(sums[0] + sums[1] + sums[2] + sums[3]) / pairs;
  }
  return shares;
}

}  // namespace

CellsInOrder::CellsInOrder(const Scored& scored) : CellsInOrder(scored, order_of(scored.score)) {}

CellsInOrder::CellsInOrder(const Scored& scored, std::vector<std::uint32_t> order)
    : row{std::move(order)}, cell(row.size()), score(row.size()) {
  if (scored.groups <= 128) {
    set_cells<std::uint8_t>(scored, row, cell);
  } else {
    set_cells<std::uint32_t>(scored, row, cell);
  }
  for (std::size_t i = 0; i < row.size(); ++i) score[i] = scored.score[row[i]];
}

HalfWins::HalfWins(const CellsInOrder& rows, std::size_t cells)
    : width_{cells <= 4 ? 4 : most_cells},
      counts_{width_ == 4 ? half_wins_of<1>(rows) : half_wins_of<2>(rows)} {
  assert(cells <= most_cells);
}

std::vector<double> HalfWins::shares(std::span<const std::uint32_t> places,
                                     const std::vector<bool>& set, double others) const {
  return width_ == 4 ? shares_of<1>(counts_, places, set, 2 * others)
                     : shares_of<2>(counts_, places, set, 2 * others);
}

std::vector<std::uint64_t> sums_of_half_wins(const CellsInOrder& rows, std::size_t cells) {
  if (cells > HalfWins::most_cells) return sums_of(rows, cells, ManyCounts(cells));
  if (cells > 4) return first_cells(sums_of(rows, 8, FewCounts<2>()), 8, cells);
  return first_cells(sums_of(rows, 4, FewCounts<1>()), 4, cells);
}

}  // namespace fairfront::metrics
