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

/// Of what there is of all rows, that of a piece's.
template <class Value>
[[nodiscard]] std::span<Value> of(const Piece& piece, std::span<Value> of_rows) {
  return of_rows.subspan(static_cast<std::size_t>(piece.first),
                         static_cast<std::size_t>(piece.count));
}

[[nodiscard]] inline std::span<const double> of(const Piece& piece,
                                                const std::vector<double>& of_rows) {
  return of(piece, std::span(of_rows));
}

/// In the order of the rows.
[[nodiscard]] inline double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// The pieces of some rows, of which every rank of a team has its own. What is computed of rows is
/// summed over each piece, then over pieces in an order that hangs on them alone: so the number of
/// ranks changes nothing.
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
    share(values_, of_ranks_, width);
    return values_;
  }

  /// out += the sum of `width` numbers of every piece, 0 before its work: of halves of the pieces,
  /// of halves of these, and so on. What one rank has of them travels as one.
  /// @param work  (piece, out), out of shape (width,). @param out  shape (width,).
  template <class Work>
  void add(std::span<double> out, Work work) {
    if (pieces_.empty()) return;
    const std::size_t width = out.size();
    values_.assign(runs_.size() * width, 0.0);
    attempt([&] {
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        const Run& run = runs_[r];
        if (run.rank != rank_) continue;
        sum(run.first, run.last, std::span(values_).subspan(r * width, width), 0, work);
      }
    });
    share(values_, runs_of_ranks_, width);
    std::size_t next = 0;
    const auto total = sum_of_runs(0, pieces_.size(), width, next);
    for (std::size_t j = 0; j < width; ++j) out[j] += total[j];
  }

  /// What each() does behind the work.
  void exchange(std::span<double> of_rows, std::int64_t width = 1) {
    share(of_rows, rows_of_ranks_, static_cast<std::size_t>(width));
  }

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
  /// Pieces that halving comes to and of which all are one rank's.
  struct Run {
    std::size_t first = 0, last = 0;
    int rank = 0;
  };
  static std::size_t half(std::size_t first, std::size_t last) {
    return first + (last - first) / 2;
  }
  /// out += what pieces first .. last - 1 come to.
  template <class Work>
  void sum(std::size_t first, std::size_t last, std::span<double> out, std::size_t depth,
           Work& work) {
    if (last - first == 1) return work(pieces_[first], out);
    sum(first, half(first, last), out, depth + 1, work);
    if (halves_.size() <= depth) halves_.resize(depth + 1);
    halves_[depth].assign(out.size(), 0.0);
    sum(half(first, last), last, halves_[depth], depth + 1, work);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += halves_[depth][j];
  }
  /// Gives every piece a rank, written to `of_pieces`.
  void share_out(std::int64_t rows, std::span<int> of_pieces);
  void find_runs(std::size_t first, std::size_t last, std::span<const int> of_pieces);
  /// The sum of these pieces, in the place of the first run among them. @param next  the first run.
  std::span<double> sum_of_runs(std::size_t first, std::size_t last, std::size_t width,
                                std::size_t& next);
  /// @param of_ranks  how many times `width` numbers each rank has.
  void share(std::span<double> values, std::vector<std::int64_t> of_ranks, std::size_t width);

  RowTeam* team_;
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> of_ranks_, rows_of_ranks_, runs_of_ranks_;  ///< pieces, rows, runs
  std::vector<Run> runs_;
  int rank_ = 0;
  std::size_t first_ = 0, count_ = 0;      ///< own pieces
  std::int64_t first_row_ = 0, rows_ = 0;  ///< own rows
  std::vector<double> values_;
  std::vector<std::vector<double>> halves_;  ///< second halves of pieces, by depth
  std::exception_ptr failure_;
};

/// The most pieces of what is `width` numbers of each: beyond, their memory and their way from rank
/// to rank would cost more than the ranks that they keep busy save.
[[nodiscard]] std::int64_t most_pieces(std::size_t width);

/// Rows of a piece where `rows` are passed over: all where they are few; otherwise as many pieces
/// are made, or some less.
[[nodiscard]] std::int64_t rows_a_piece(std::int64_t rows, std::int64_t pieces);

/// The same of a batch, whose rows cost a pass through a network and back: 512 rows are not few. A
/// piece has 256 at least, as each adds up a gradient of its own.
[[nodiscard]] std::int64_t batch_a_piece(std::int64_t batch, std::int64_t pieces);

/// Whether a team shares passes over so many rows: where there is more than one piece.
[[nodiscard]] bool are_shared_rows(std::int64_t rows);
/// Whether it shares batches of a network of so many weights: where a pass takes longer than ranks
/// take to meet. Otherwise each makes all pieces.
[[nodiscard]] bool is_shared_batch(std::int64_t batch, std::int64_t weights);

}  // namespace fairfront::training
