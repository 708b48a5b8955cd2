#include "solvers/clustering/mean_boxes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "solvers/clustering/box_queue.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

class Search {
 public:
  Search(ClusterPricing& pricing, double best, const MeanBoxesOptions& options,
         const std::function<void()>& between)
      : pricing_{pricing},
        options_{options},
        between_{between},
        known_{best},
        centre_(dimension()) {
    result_.best = best;
  }

  MeanBoxesResult run() {
    keep(around_all_points());
    while (queue_.least_open() < target()) {
      if (result_.boxes >= options_.boxes || std::ssize(result_.met) >= options_.enough) break;
      const Box box = queue_.take();
      if (halved_++ % options_.stride == 0) descend_from(box);
      auto [lower, upper] = halves_of(box);
      keep(std::move(lower));
      keep(std::move(upper));
    }
    result_.complete = queue_.least_open() >= target();
    result_.lower = queue_.least() - pricing_.rounding();
    return std::move(result_);
  }

 private:
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
    box.bound = std::max(box.bound, pricing_.least(centre_.data(), slack));
    if (box.bound >= target()) {
      queue_.close(box);
    } else {
      queue_.open(std::move(box));
    }
  }

  void descend_from(const Box& box) {
    static_cast<void>(set_centre(box.low, box.high, centre_));
    ClusterPricing::Descent found = pricing_.descend(centre_);
    result_.best = std::min(result_.best, found.value);
    if (found.value < known_ - 0.5 * options_.tolerance &&
        seen_.insert(found.cluster.bits).second) {
      result_.met.push_back(std::move(found.cluster));
    }
  }

  ClusterPricing& pricing_;
  const MeanBoxesOptions& options_;
  const std::function<void()>& between_;
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
                                    const std::function<void()>& between) {
  return Search(pricing, best, options, between).run();
}

}  // namespace fairfront::clustering
