/// @file
/// Rows in pieces whose number depends on them alone, so that sums by piece have the same bits on
/// any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace fairfront::training {

class RowTeam;

/// Rows of one slot that follow each other.
struct Piece {
  std::int64_t first = 0, count = 0;
  std::size_t slot = 0;
};

/// The pieces of some rows, of which every rank of a team has its own. What is computed of rows is
/// summed over each piece, then over pieces in their order: so the number of ranks changes nothing.
class RowPieces {
 public:
  /// @param team   null: one rank has all pieces.
  /// @param slots  rows of each, which follow each other: no piece has rows of two.
  /// @param most   rows of a piece, > 0.
  RowPieces(RowTeam* team, std::span<const std::int64_t> slots, std::int64_t most);

  [[nodiscard]] std::span<const Piece> all() const { return pieces_; }
  /// Those of this rank, which follow each other.
  [[nodiscard]] std::span<const Piece> own() const { return all().subspan(first_, count_); }
  [[nodiscard]] bool are_shared() const { return team_ != nullptr; }
  /// Of what a vector has of all rows, that of this rank's rows.
  template <class Vector>
  [[nodiscard]] auto own_of(Vector& of_rows) const {
    return std::span(of_rows).subspan(static_cast<std::size_t>(first_row_),
                                      static_cast<std::size_t>(rows_));
  }
  [[nodiscard]] std::int64_t first_row() const { return first_row_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// Calls work(piece) for this rank's pieces, then makes what it has of its rows known to all.
  /// Collective where they are shared.
  /// @param of_rows  row-major, shape (all rows, width); empty with width 0: nothing.
  /// @throws std::domain_error  what the work on the first such piece throws, on every rank.
  /// @throws parallel::CollectiveError  the work on a rank has thrown another error.
  template <class Work>
  void each(Work work, std::span<double> of_rows = {}, std::int64_t width = 0) {
    attempt([&] {
      for (const Piece& piece : own()) work(piece);
    });
    exchange(of_rows, width);
  }

  /// The same for `width` numbers of every piece, 0 before its work.
  /// @param work  (piece, out), out of shape (width,).
  /// @return  of all pieces, row-major: shape (pieces, width); valid until the next call.
  template <class Work>
  std::span<const double> compute(std::size_t width, Work work) {
    values_.assign(pieces_.size() * width, 0.0);
    attempt([&] {
      for (std::size_t p = first_; p < first_ + count_; ++p) {
        work(pieces_[p], std::span(values_).subspan(p * width, width));
      }
    });
    share(values_, width);
    return values_;
  }

  /// out += the sum of what compute() returns. @param out  shape (width,).
  template <class Work>
  void add(std::span<double> out, Work work) {
    if (!are_shared()) return add_alone(out, work);
    const auto values = compute(out.size(), work);
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += values[p * out.size() + j];
    }
  }

  /// What each() does behind the work.
  void exchange(std::span<double> of_rows, std::int64_t width = 1);

 private:
  template <class Work>
  void attempt(Work work) {
    if (!are_shared()) return work();
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// One piece after the other, so that memory is that of one.
  template <class Work>
  void add_alone(std::span<double> out, Work work) {
    for (const Piece& piece : pieces_) {
      values_.assign(out.size(), 0.0);
      work(piece, std::span(values_));
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += values_[j];
    }
  }
  void share(std::span<double> values, std::size_t width);

  RowTeam* team_;
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> of_ranks_, rows_of_ranks_;  ///< pieces and rows of every rank
  std::size_t first_ = 0, count_ = 0;                   ///< own pieces
  std::int64_t first_row_ = 0, rows_ = 0;               ///< own rows
  std::vector<double> values_;
  std::exception_ptr failure_;
};

/// The most pieces of what is `width` numbers of each: beyond, their memory and their way from rank
/// to rank would cost more than the ranks that they keep busy save.
[[nodiscard]] std::int64_t most_pieces(std::size_t width);

/// Rows of a piece where `rows` are passed over: all where they are few; otherwise as many pieces
/// are made, or some less.
[[nodiscard]] std::int64_t rows_a_piece(std::int64_t rows, std::int64_t pieces);

/// The same of a batch, whose rows cost a pass through a network and back: 512 rows are not few.
[[nodiscard]] std::int64_t batch_a_piece(std::int64_t batch, std::int64_t pieces);

/// Whether a team shares passes over so many rows: where there is more than one piece.
[[nodiscard]] bool are_shared_rows(std::int64_t rows);
/// Whether it shares batches of a network of so many weights: where a pass takes longer than ranks
/// take to meet. Otherwise each makes all pieces.
[[nodiscard]] bool is_shared_batch(std::int64_t batch, std::int64_t weights);

}  // namespace fairfront::training
