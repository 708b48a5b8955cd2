/// @file
/// Internal: the list of Pareto-front SAfairKM, whose clusterings are spread over the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "parallel/comm.hpp"
#include "pareto/front.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/step.hpp"

namespace fairfront::clustering {

/// Objectives, origins and owners are the same on every rank; the clusterings behind them are held
/// by their owners alone.
template <class Label>
class EntryList {
 public:
  using Entry = Solution<Label>;
  using EntryPointer = std::unique_ptr<Entry>;

  EntryList(const parallel::Comm& team, const Problem& problem);

  [[nodiscard]] const pareto::Points& points() const noexcept { return points_; }
  [[nodiscard]] const pareto::Front& front() const noexcept { return front_; }
  [[nodiscard]] std::size_t size() const noexcept { return owner_.size(); }
  [[nodiscard]] int owner(std::size_t position) const { return owner_[position]; }
  [[nodiscard]] bool owned(std::size_t position) const { return owner_[position] == team_.rank(); }
  /// Of an entry that this rank owns.
  [[nodiscard]] Entry& entry(std::size_t position) const { return *entries_[position]; }

  /// @param points   (cost, -balances) of every entry. @param owner  rank of every entry.
  /// @param entries  null where another rank is the owner; those of the list before that are not
  ///                 among them are kept to be used again.
  void replace(pareto::Points points, std::vector<int> owner, std::vector<EntryPointer> entries);
  /// Takes the clustering of an entry out, for replace() to put it elsewhere.
  [[nodiscard]] EntryPointer take(std::size_t position) { return std::move(entries_[position]); }
  /// Another clustering like that of an entry.
  [[nodiscard]] EntryPointer make_copy(std::size_t position);

  /// Hands entries over until every rank has its fair part. Collective when there is something to
  /// hand over, which every rank sees alike. @return how many changed hands.
  std::int64_t even_out();
  /// The labels of some entries, and with them their centres, on rank 0; shape (positions,) of
  /// bytes. Collective.
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(
      const std::vector<std::size_t>& positions, bool with_centres) const;

 private:
  /// With any content: one that left the list, or a new one.
  [[nodiscard]] EntryPointer make_entry();
  [[nodiscard]] std::size_t packed_bytes() const;
  [[nodiscard]] std::vector<std::byte> pack(const Entry& entry) const;
  void unpack(Entry& entry, const std::vector<std::byte>& bytes) const;

  const parallel::Comm& team_;
  const Problem& problem_;
  std::size_t centre_values_;  ///< numbers that the centres of an entry are
  pareto::Points points_;
  pareto::Front front_;  ///< the nondominated part of the list
  std::vector<int> owner_;
  std::vector<EntryPointer> entries_;  ///< null where another rank is the owner
  std::vector<EntryPointer> spare_;    ///< entries that left the list, to be used again
};

extern template class EntryList<std::uint8_t>;
extern template class EntryList<std::uint16_t>;

}  // namespace fairfront::clustering
