#include "solvers/clustering/mean_boxes.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/box_queue.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::string_view name_of_mean_boxes = "mean_boxes 2\n";

/// Of a search between two boxes.
struct MeanBoxesState {
  BoxQueue queue;
  std::int64_t halved = 0;
  double best = 0;
  std::int64_t boxes = 0;
  std::vector<std::vector<std::int32_t>> met;  ///< members
};
template <solvers::MaybeConst<MeanBoxesState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.queue, self.halved, self.best, self.boxes, self.met);
}

class Search {
 public:
  Search(ClusterPricing& pricing, double best, const MeanBoxesOptions& options,
         const std::function<void()>& between, const solvers::Control& control)
      : pricing_{pricing},
        options_{options},
        between_{between},
        control_{control},
        known_{best},
        centre_(dimension()) {
    result_.best = best;
  }

  MeanBoxesResult run() {
    if (control_.resume) {
      restore(*control_.resume);
    } else {
      keep(around_all_points());
    }
    while (queue_.least_open() < target()) {
      if (result_.boxes >= options_.boxes || std::ssize(result_.met) >= options_.enough) break;
      solvers::obey(control_.wanted(), control_, [this] { return state(); });
      const Box box = queue_.take();
      if (halved_++ % options_.stride == 0) descend_from(box);
      auto [lower, upper] = halves_of(box);
      keep(std::move(lower));
      keep(std::move(upper));
    }
    result_.complete = queue_.least_open() >= target();
    result_.lower = queue_.least();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string state() const {
    return solvers::packed_state(
        name_of_mean_boxes,
        MeanBoxesState{queue_, halved_, result_.best, result_.boxes, members_of(result_.met)});
  }
  void restore(const std::string& bytes) {
    MeanBoxesState kept;
    solvers::unpack_whole_state(name_of_mean_boxes, bytes, kept);
    if (!kept.queue.has_sides(dimension())) {
      throw base::CheckpointError("a checkpoint has boxes of another problem");
    }
    queue_ = std::move(kept.queue);
    halved_ = kept.halved;
    result_.best = kept.best;
    result_.boxes = kept.boxes;
    for (auto& members : kept.met) {
      result_.met.push_back(pricing_.kept_cluster(std::move(members)));
      seen_.insert(result_.met.back().bits);
    }
  }

  [[nodiscard]] std::size_t dimension() const { return at(pricing_.columns()); }
  [[nodiscard]] double target() const { return result_.best - options_.tolerance; }

  [[nodiscard]] Box around_all_points() const {
    Box box;
    for (std::int64_t i = 0; i < pricing_.columns(); ++i) {
      const auto [low, high] = std::ranges::minmax(pricing_.column(i));
      box.low.push_back(low);
      box.high.push_back(high);
    }
    return box;
  }

  /// Bounds a box; one that may hold a better cluster stays open.
  void keep(Box box) {
    between_();
    ++result_.boxes;
    const double slack = set_centre(box.low, box.high, centre_);
    const double value = pricing_.least(centre_.data(), slack);
    box.bound = std::max(box.bound, value - pricing_.rounding(value, slack));
    if (box.bound >= target()) {
      queue_.close(box);
    } else {
      queue_.open(std::move(box));
    }
  }

  void descend_from(const Box& box) {
    static_cast<void>(set_centre(box.low, box.high, centre_));
    ClusterPricing::Descent found = pricing_.descend(centre_);
    if (found.value >= known_ - options_.margin) return;
    result_.best = std::min(result_.best, found.value);
    if (found.value < known_ - 0.5 * options_.tolerance &&
        seen_.insert(found.cluster.bits).second) {
      result_.met.push_back(std::move(found.cluster));
    }
  }

  ClusterPricing& pricing_;
  const MeanBoxesOptions& options_;
  const std::function<void()>& between_;
  const solvers::Control& control_;
  double known_;
  std::vector<double> centre_;  ///< scratch
  BoxQueue queue_;
  std::int64_t halved_ = 0;
  std::set<std::vector<std::uint64_t>> seen_;
  MeanBoxesResult result_;
};

}  // namespace

MeanBoxesResult bound_by_mean_boxes(ClusterPricing& pricing, double best,
                                    const MeanBoxesOptions& options,
                                    const std::function<void()>& between,
                                    const solvers::Control& control) {
  return Search(pricing, best, options, between, control).run();
}

}  // namespace fairfront::clustering
