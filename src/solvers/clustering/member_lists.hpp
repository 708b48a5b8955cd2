/// @file
/// Internal: where the members of some clusters are and how far from a centre, found once for many
/// steps from one clustering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// A step moved `point` from one cluster to another one.
template <class Label>
struct LabelChange {
  std::int64_t point;
  Label from;
  Label to;
};

/// The members of a cluster in some groups, and how far they are from where a centre was.
struct MemberList {
  std::vector<std::int32_t> members;  ///< in order
  std::vector<float> squared;         ///< of each: its squared distance from there
  std::vector<double> from;           ///< there: shape (d,)

  /// The greatest of `squared` with which a member can be nearest to `towards` when `least` is the
  /// least of them all: by the triangle inequality, with more room than rounding takes.
  [[nodiscard]] float within_reach(float least, std::span<const double> towards) const;
  /// The least of `squared`; there must be one.
  [[nodiscard]] float least() const noexcept;
};

/// Which members a swap chooses from, and the centre that it brings one to.
struct SwapSide {
  std::int64_t cluster;
  std::span<const std::int64_t> groups;  ///< as Attributes::groups_with() has them
  std::int64_t towards;                  ///< the cluster of that centre
  std::span<const double> centre;        ///< shape (d,)
};

/// The lists of one clustering, made when they are first asked for. Owns only scratch space.
template <class Label>
class MemberLists {
 public:
  explicit MemberLists(const Problem& problem) : problem_{problem} {}

  /// For another clustering.
  void clear() noexcept { count_ = 0; }

  /// The list of what `partition` is after `changes` of the clustering. Valid until the next call.
  const MemberList& find(const Partition<Label>& partition, const SwapSide& side,
                         std::span<const LabelChange<Label>> changes);

 private:
  struct Kept {
    std::int64_t cluster;
    const std::int64_t* groups;
    std::int64_t towards;
    MemberList list;  ///< before any change
  };
  void fill(MemberList& list, const Partition<Label>& partition, const SwapSide& side) const;
  void follow(MemberList& list, const SwapSide& side, std::int64_t point, Label from,
              Label to) const;
  [[nodiscard]] float squared_from(const MemberList& list, std::int64_t point) const;
  [[nodiscard]] bool concerns(const SwapSide& side, const LabelChange<Label>& change) const;

  const Problem& problem_;
  std::vector<Kept> kept_;  ///< the first count_ are of this clustering
  std::size_t count_ = 0;
  MemberList changed_;
};

extern template class MemberLists<std::uint8_t>;
extern template class MemberLists<std::uint16_t>;

}  // namespace fairfront::clustering
