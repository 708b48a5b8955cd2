/// @file
/// Clusterings that follow from one another by changes of single labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {

/// The labels that a search begins with, and all its changes in order: eight bytes a change, where
/// a clustering of its own takes one or two for every point. Marks name those that matter.
template <class Label>
struct ClusteringTrail {
  struct Mark {
    double cost = 0;
    double balance = 0;
    std::uint64_t changes = 0;  ///< that lead there from the first labels
  };
  std::vector<Label> labels;         ///< the first ones, shape (N,), in the problem's order
  std::vector<Relabelling> changes;  ///< in order
  std::vector<Mark> marks;           ///< by ascending `changes`
  std::int64_t comparisons = 0;      ///< that it took, where nothing else counts them

  /// Drops the changes after the last mark.
  void end_at_last_mark() { changes.resize(marks.empty() ? 0 : marks.back().changes); }

  /// Calls `use(place, labels)` with the labels of some marks, in order.
  /// @param places  of marks, ascending.
  template <class Use>
  void replay(std::span<const std::size_t> places, Use&& use) const {
    std::vector<Label> now = labels;
    std::uint64_t done = 0;
    for (const std::size_t place : places) {
      for (; done < marks[place].changes; ++done) {
        now[changes[done].point] = static_cast<Label>(changes[done].to);
      }
      use(place, std::span<const Label>{now});
    }
  }

  void pack(solvers::Packer& packer) const {
    packer.array(std::span{labels});
    packer.array(std::span{changes});
    packer.array(std::span{marks});
    packer.number(comparisons);
  }

  /// @throws base::CheckpointError  there are fewer bytes.
  [[nodiscard]] static ClusteringTrail unpack(solvers::Unpacker& unpacker) {
    ClusteringTrail trail;
    trail.labels = unpacker.array<std::vector<Label>>();
    trail.changes = unpacker.array<std::vector<Relabelling>>();
    trail.marks = unpacker.array<std::vector<Mark>>();
    trail.comparisons = unpacker.number<std::int64_t>();
    return trail;
  }

  /// Whether it is of clusterings of the problem, and its marks say what they are. O(N d).
  [[nodiscard]] bool fits(const Problem& problem) const {
    const auto is_cluster = [&](std::int64_t k) { return k < problem.clusters(); };
    if (std::ssize(labels) != problem.points() || !std::ranges::all_of(labels, is_cluster)) {
      return false;
    }
    const bool are_changes = std::ranges::all_of(changes, [&](const Relabelling& change) {
      return change.point < labels.size() && is_cluster(change.to);
    });
    return may_be_comparisons(comparisons) && are_changes && marks_are_true(problem);
  }

 private:
  /// Cost and balance are functions of the labels, bit for bit.
  [[nodiscard]] bool marks_are_true(const Problem& problem) const {
    Partition<Label> partition(problem);
    partition.assign(problem, labels);
    std::uint64_t done = 0;
    for (const Mark& mark : marks) {
      if (mark.changes < done || mark.changes > changes.size()) return false;
      for (; done < mark.changes; ++done) {
        partition.relabel(problem, changes[done].point, static_cast<Label>(changes[done].to));
      }
      if (partition.has_empty_cluster() || mark.cost != partition.cost(problem) ||
          mark.balance != partition.bottleneck().balance.value()) {
        return false;
      }
    }
    return done == changes.size();
  }
};

}  // namespace fairfront::clustering
