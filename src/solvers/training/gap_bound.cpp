#include "solvers/training/gap_bound.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
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

constexpr std::string_view name_of_state = "gap_bound 1\n";
constexpr double largest_share = 1.0 / 2, least_share = 1.0 / 512;

/// Of a search between two cells.
struct SearchState {
  double lower = 0;              ///< proven
  double share = largest_share;  ///< of what lacks, that the next target is higher
  std::int64_t left = 0;         ///< cells, counted down
  std::vector<GapBox> first;     ///< slices of the first coordinate to begin with
  bool is_trying = false;        ///< to prove a target; the rest is of that
  double target = 0;
  std::int64_t most = 0;  ///< cells for it, counted down
  std::vector<GapBox> open, slices;
};
template <solvers::MaybeConst<SearchState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.lower, self.share, self.left, self.first, self.is_trying, self.target, self.most,
        self.open, self.slices);
}

class Search {
 public:
  Search(GapCells& cells, const GapBoundStart& start, std::int64_t most,
         const solvers::Control& control)
      : cells_{cells}, start_{start}, most_{most}, control_{control} {}

  GapBound run() {
    if (control_.resume) {
      restore(*control_.resume);
    } else {
      begin();
    }
    while (now_.is_trying || aim()) {
      now_.is_trying = false;
      if (prove()) {
        now_.first = std::move(now_.slices);
        now_.lower = now_.target;
      } else {
        now_.share /= 2;
      }
    }
    return {now_.lower, most_ - now_.left};
  }

 private:
  void begin() {
    constexpr int slices = 24;
    now_.lower = start_.lower;
    now_.left = most_;
    const GapBox everything = cells_.everything();
    cut(everything, 0, everything.near[0] - cells_.extent(), everything.near[0] + cells_.extent(),
        slices, now_.first);
  }

  /// At the next target. @return false: there is none.
  bool aim() {
    if (now_.left == 0 || now_.share < least_share) return false;
    now_.target = now_.lower + now_.share * (start_.upper - now_.lower);
    if (!(now_.target - now_.lower > 1e-6 * std::abs(start_.upper))) return false;
    // Of what was used so far, not of what is left: so that more cells only go further.
    now_.most = 60 + most_ - now_.left;
    now_.open = now_.first;
    now_.slices.clear();
    return true;
  }

  /// Whether no point is better than the target: then `slices` become those to begin with at the
  /// next target. Not so once no cell is left, or too many were used up. Boxes in more coordinates
  /// hold R of this target alone.
  bool prove() {
    for (; !now_.open.empty(); --now_.left) {
      if (now_.left == 0 || now_.most-- == 0) return false;
      look(now_.open, now_.slices);
      solvers::obey(control_.wanted(), control_, [this] { return state(); });
    }
    return true;
  }

  /// Looks at the last box, and puts its parts in its place where nothing is proven.
  void look(std::vector<GapBox>& open, std::vector<GapBox>& slices) {
    GapBox box = std::move(open.back());
    open.pop_back();
    const GapCells::Seen seen = cells_.examine(box, now_.target);
    const bool proven = seen.answer == GapCells::Answer::proven;
    const std::size_t others = open.size();
    if (!proven) split(box, seen, open);
    const bool sliced = !proven && open[others].mid.size() == 1;
    if (box.mid.size() == 1 && !sliced) slices.push_back(std::move(box));
  }

  [[nodiscard]] std::string state() const {
    SearchState kept = now_;
    kept.is_trying = true;
    --kept.left;
    return solvers::packed_state(name_of_state, kept);
  }

  void restore(const std::string& bytes) {
    solvers::unpack_whole_state(name_of_state, bytes, now_);
    bool fits = now_.left >= 0 && now_.left <= most_;
    for (const auto* boxes : {&now_.first, &now_.open, &now_.slices}) {
      for (const GapBox& box : *boxes) fits = fits && is_of_this(box);
    }
    if (!fits) throw base::CheckpointError("a checkpoint is of another search for a bound");
  }

  [[nodiscard]] bool is_of_this(const GapBox& box) const {
    const Index n = start_.w.size();
    const auto is_ball = [n](const GapBall& ball) {
      return ball.centre.size() == n && ball.root.rows() == n && ball.root.cols() == n;
    };
    return box.mid.size() >= 1 && box.mid.size() <= n && box.half.size() == box.mid.size() &&
           box.near.size() == n && (!box.within || is_ball(*box.within));
  }

  GapCells& cells_;
  const GapBoundStart& start_;
  std::int64_t most_;
  const solvers::Control& control_;
  SearchState now_;
};

}  // namespace

GapBound raise_lower_bound(const GapTask& task, const GapBoundStart& start, std::int64_t cells,
                           const std::function<void()>& beat, const solvers::Control& control) {
  const GapBound known{start.lower, 0};
  const bool helps = start.multiplier > task.smaller_share && start.upper > start.lower;
  if (!helps || cells == 0 || start.w.size() > most_bounded_weights) return known;
  GapCells all(task, start.multiplier, beat);
  if (!all.prepare(start.w, start.upper)) return known;
  return Search(all, start, cells, control).run();
}

}  // namespace fairfront::training
