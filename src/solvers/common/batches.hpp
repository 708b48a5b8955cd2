/// @file
/// Mini-batches of rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.hpp"

namespace fairfront::solvers {

/// Whether every epoch has an order of its own, or all have that of the first.
enum class EpochOrder { reshuffled, repeated };

/// Batches of one set of rows. What comes next follows from the key and from the number of rows
/// and draws that were taken before: epoch e draws its order from stream e of the key, draw k its
/// rows from stream 2^63 + k. Not for several threads.
class Batches {
 public:
  /// @param rows  what batches are made of, such as the training part, or a group in it; not empty.
  /// @throws std::invalid_argument  no rows.
  Batches(std::vector<std::int64_t> rows, base::StreamKey key,
          EpochOrder order = EpochOrder::reshuffled);

  /// The next `size` >= 1 rows of the epoch, without replacement; the last batch of an epoch has
  /// those that are left. Valid until the next call. O(size), and O(rows) when an epoch begins.
  [[nodiscard]] std::span<const std::int64_t> next(std::int64_t size);

  /// `size` >= 0 rows with replacement; the epoch does not move on. Valid until the next call.
  [[nodiscard]] std::span<const std::int64_t> draw(std::int64_t size);

  /// How far the batches have come: with the key and the rows it says what comes next.
  struct Place {
    std::int64_t epochs = 0;  ///< begun
    std::int64_t taken = 0;   ///< rows of the last one
    std::uint64_t draws = 0;
    bool operator==(const Place&) const = default;
  };
  [[nodiscard]] Place place() const noexcept { return {epochs_, taken_, draws_}; }
  /// Goes on from there. @throws std::invalid_argument  no place that such batches come to.
  void go_to(const Place& place);

  /// Epochs begun. The rest of the last one may still be to come.
  [[nodiscard]] std::int64_t epochs() const noexcept { return epochs_; }
  [[nodiscard]] std::int64_t rows() const noexcept { return std::ssize(rows_); }

 private:
  void begin_epoch();

  std::vector<std::int64_t> rows_;
  base::StreamKey key_;
  EpochOrder order_;
  std::vector<std::int64_t> shuffled_;  ///< the present epoch
  std::int64_t taken_ = 0;              ///< rows of it
  std::int64_t epochs_ = 0;
  std::uint64_t draws_ = 0;
  std::vector<std::int64_t> drawn_;
};

/// The same number of rows from every group, each of which has epochs of its own.
class GroupBatches {
 public:
  /// @param rows_of_group  shape (groups, rows of the group), no group empty.
  /// @param task_key, purpose  group j has the key (seed, task key, purpose/j).
  /// @throws std::invalid_argument  no groups, or one without rows.
  GroupBatches(const std::vector<std::vector<std::int64_t>>& rows_of_group, std::uint64_t seed,
               std::string_view task_key, std::string_view purpose,
               EpochOrder order = EpochOrder::reshuffled);

  /// Exactly `size` >= 1 rows of group j; a batch that an epoch cannot fill goes on with the next
  /// one. Valid until the group's next call.
  [[nodiscard]] std::span<const std::int64_t> next(std::int64_t group, std::int64_t size);

  [[nodiscard]] std::int64_t groups() const noexcept { return std::ssize(groups_); }

 private:
  std::vector<Batches> groups_;
  std::vector<std::vector<std::int64_t>> filled_;
};

/// 2^(n+1) with probability p (1-p)^n, n = 0, 1, ..: the batch of an estimator that is unbiased by
/// randomised levels (Blanchet, Glynn, 2015). Beyond `most` levels n is `most`, so that no batch is
/// endless; that has probability (1-p)^most.
/// @param p  in (0, 1].
/// @throws std::invalid_argument  p or `most` (0 to 61) out of range.
[[nodiscard]] std::int64_t geometric_size(base::Stream& stream, double p, std::int64_t most = 30);

}  // namespace fairfront::solvers
