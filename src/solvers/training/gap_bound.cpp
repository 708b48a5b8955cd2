#include "solvers/training/gap_bound.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/training/gap_cell.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;

/// Cuts a box into parts of one size along a coordinate, the first that was free or one of its own.
void cut(const GapBox& box, Index along, double low, double high, int parts,
         std::vector<GapBox>& to) {
  for (int i = 0; i < parts; ++i) {
    GapBox part = box;
    if (along == box.mid.size()) {
      part.mid.conservativeResize(along + 1);
      part.half.conservativeResize(along + 1);
    }
    part.half[along] = (high - low) / (2 * parts);
    part.mid[along] = low + (2 * i + 1) * part.half[along];
    to.push_back(std::move(part));
  }
}

/// How much the size of a cell along a coordinate matters.
double importance(Index coordinate) {
  constexpr double first[] = {1, 1, 0.6, 0.3};
  return coordinate < 4 ? first[coordinate] : 0.2;
}

void split(GapBox box, const GapCells::Seen& seen, std::vector<GapBox>& to) {
  const Index k = box.mid.size();
  Index longest = 0;
  for (Index j = 1; j < k; ++j) {
    if (importance(j) * box.half[j] > importance(longest) * box.half[longest]) longest = j;
  }
  box.near = seen.centre;
  box.ratio = seen.ratio;
  box.within = seen.within;
  if (0.7 * importance(k) * seen.extent > importance(longest) * box.half[longest]) {
    cut(box, k, seen.centre[k] - seen.extent, seen.centre[k] + seen.extent, 4, to);
  } else {
    cut(box, longest, box.mid[longest] - box.half[longest], box.mid[longest] + box.half[longest], 2,
        to);
  }
}

/// Cells that are left to look at are counted down.
class Search {
 public:
  Search(GapCells& cells, std::int64_t left) : cells_{cells}, left_{left} {}

  /// Whether no point is better than the target: slices of the first coordinate to begin with at
  /// the next target, or nothing once no cell is left or so many were used up. Boxes in more
  /// coordinates hold R of this target alone.
  std::optional<std::vector<GapBox>> prove(double target, std::vector<GapBox> open,
                                           std::int64_t most) {
    std::vector<GapBox> slices;
    for (; !open.empty(); --left_) {
      if (left_ == 0 || most-- == 0) return std::nullopt;
      GapBox box = std::move(open.back());
      open.pop_back();
      const GapCells::Seen seen = cells_.examine(box, target);
      const bool proven = seen.answer == GapCells::Answer::proven;
      const std::size_t others = open.size();
      if (!proven) split(box, seen, open);
      const bool sliced = !proven && open[others].mid.size() == 1;
      if (box.mid.size() == 1 && !sliced) slices.push_back(std::move(box));
    }
    return slices;
  }
  [[nodiscard]] std::int64_t left() const { return left_; }

 private:
  GapCells& cells_;
  std::int64_t left_;
};

}  // namespace

GapBound raise_lower_bound(const GapTask& task, const GapBoundStart& start, std::int64_t cells,
                           const std::function<void()>& beat) {
  GapBound found{start.lower, 0};
  const bool helps = start.multiplier > task.smaller_share && start.upper > start.lower;
  if (!helps || cells == 0 || start.w.size() > most_bounded_weights) return found;
  GapCells all(task, start.multiplier, beat);
  if (!all.prepare(start.w, start.upper)) return found;
  constexpr int slices = 24;
  const GapBox everything = all.everything();
  std::vector<GapBox> first;
  cut(everything, 0, everything.near[0] - all.extent(), everything.near[0] + all.extent(), slices,
      first);
  Search search(all, cells);
  constexpr double largest_share = 1.0 / 2, least_share = 1.0 / 512;
  double share = largest_share;
  while (search.left() > 0 && share >= least_share) {
    const double target = found.lower + share * (start.upper - found.lower);
    if (!(target - found.lower > 1e-6 * std::abs(start.upper))) break;
    // Of what was used so far, not of what is left: so that more cells only go further.
    const std::int64_t used = cells - search.left();
    auto proven = search.prove(target, first, 60 + used);
    if (proven) {
      first = std::move(*proven);
      found.lower = target;
    } else {
      share /= 2;
    }
  }
  found.cells = cells - search.left();
  return found;
}

}  // namespace fairfront::training
