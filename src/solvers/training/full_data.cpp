#include "solvers/training/full_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/stop.hpp"
#include "solvers/training/row_team.hpp"
#include "solvers/training/stop_within.hpp"

namespace fairfront::training {
namespace {

constexpr std::size_t block = 128;

/// Calls visit(first, rows) for a block of rows after the other.
template <class Visit>
void for_each_block(std::span<const std::int64_t> rows, solvers::Heartbeat& heart, Visit visit) {
  for (std::size_t first = 0; first < rows.size(); first += block) {
    heart.beat();
    base::stop_point();  // for those without a caller's control, such as a last step on all rows
    visit(first, rows.subspan(first, std::min(block, rows.size() - first)));
  }
}

}  // namespace

RowPieces FullData::pieces_of(std::span<const std::int64_t> rows, std::size_t width) const {
  if (problem_.team != nullptr) problem_.team->stop_point();
  const auto count = std::ssize(rows);
  const std::int64_t size = rows_a_piece(count, most_pieces(width));
  return {count <= size ? nullptr : problem_.team, {&count, 1}, size};
}

PartLosses FullData::losses(const Part& part, std::span<const double> w) {
  const auto gaps = static_cast<std::size_t>(problem_.constraints.gaps());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (part.rows.empty()) {
    return {nan, std::vector<double>(gaps, nan), std::vector<double>(part.of_cell.size(), nan)};
  }
  // Of the loss, then of the cells.
  std::vector<double> sums(part.of_cell.size() + 1, 0.0);
  pieces_of(part.rows, sums.size()).add(sums, [&](const Piece& piece, std::span<double> out) {
    for_each_block(training::of(piece, std::span(part.rows)), heart_,
                   [&](std::size_t first, auto rows) {
                     const auto losses = pass_.forward(w, rows);
                     const auto of_rows = pass_.cell_values();
                     first += static_cast<std::size_t>(piece.first);
                     for (std::size_t i = 0; i < losses.size(); ++i) {
                       out[0] += losses[i];
                       const std::int32_t cell = part.cell[first + i];
                       if (cell >= 0) out[static_cast<std::size_t>(cell) + 1] += of_rows[i];
                     }
                   });
  });
  std::vector<double> of_cell(sums.begin() + 1, sums.end());
  for (std::size_t k = 0; k < of_cell.size(); ++k) {
    of_cell[k] /= static_cast<double>(part.of_cell[k].size());  // 0/0 is NaN
  }
  PartLosses found{sums[0] / static_cast<double>(part.rows.size()), std::vector<double>(gaps), {}};
  problem_.constraints.gaps_of(of_cell, found.gaps);
  found.cells = std::move(of_cell);
  return found;
}

std::vector<double> FullData::scores(const Part& part, std::span<const double> w) {
  std::vector<double> all(part.rows.size());
  const auto score = [&](const Piece& piece) {
    for_each_block(
        training::of(piece, std::span(part.rows)), heart_, [&](std::size_t first, auto rows) {
          (void)pass_.forward(w, rows);
          std::ranges::copy(pass_.scores(),
                            all.begin() + piece.first + static_cast<std::ptrdiff_t>(first));
        });
  };
  pieces_of(part.rows, 1).each(score, all, 1);
  return all;
}

double FullData::add_gradient(std::span<const double> w, std::span<const std::int64_t> rows,
                              double factor, std::span<double> gradient, MeanOf of) {
  if (rows.empty()) return 0;
  const auto count = static_cast<double>(rows.size());
  const auto add = [&](const Piece& piece, double& sum, std::span<double> out) {
    for_each_block(training::of(piece, rows), heart_, [&](std::size_t, auto some) {
      const auto losses = pass_.forward(w, some);
      for (const double value : of == MeanOf::losses ? losses : pass_.cell_values()) sum += value;
      factors_.assign(some.size(), factor / count);
      pass_.backward(w, factors_, out, of == MeanOf::losses ? some.size() : 0);
    });
  };
  RowPieces pieces = pieces_of(rows, gradient.size());
  double sum = 0;
  if (pieces.all().size() == 1) {
    add(pieces.all().front(), sum, gradient);
    return sum / count;
  }
  std::vector<double> sums(gradient.size() + 1, 0.0);
  pieces.add(
      sums, [&](const Piece& piece, std::span<double> out) { add(piece, out[0], out.subspan(1)); });
  sum = sums[0];
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += sums[j + 1];
  return sum / count;
}

Derivatives FullData::derivatives(std::span<const double> w) {
  const Part& part = problem_.train;
  const auto& constraints = problem_.constraints;
  const auto gaps = static_cast<std::size_t>(constraints.gaps());
  const std::size_t n = w.size();
  Derivatives found{{0, std::vector<double>(gaps), {}}, std::vector<double>(n, 0.0), {}};
  found.jacobian.reserve(gaps * n);
  for (std::size_t i = 1; i <= gaps; ++i) {
    stop_within(n);
    found.jacobian.resize(i * n, 0.0);
  }
  found.values.loss = add_gradient(w, part.rows, 1, found.gradient);
  std::vector<double> cell_losses;
  std::vector<double> gradient(n);
  for (std::size_t k = 0; k < part.of_cell.size(); ++k) {
    std::ranges::fill(gradient, 0.0);
    cell_losses.push_back(add_gradient(w, part.of_cell[k], 1, gradient, MeanOf::cells));
    for (std::size_t i = 0; i < gaps; ++i) {
      const double factor =
          constraints.factor(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k));
      stop_within(n);
      for (std::size_t j = 0; j < n; ++j) found.jacobian[i * n + j] += factor * gradient[j];
    }
  }
  constraints.gaps_of(cell_losses, found.values.gaps);
  found.values.cells = std::move(cell_losses);
  return found;
}

}  // namespace fairfront::training
