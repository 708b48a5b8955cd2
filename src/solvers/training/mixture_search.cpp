#include "solvers/training/mixture_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "optimise/decomposition.hpp"

namespace fairfront::training {
namespace {

using Vector = LastLayer::Vector;

class MixtureSearch {
 public:
  MixtureSearch(LastLayer& layer, ClassifierPool& pool, std::int64_t evaluations)
      : layer_{layer}, pool_{pool}, left_{evaluations}, evaluations_{evaluations} {}

  std::int64_t run() {
    constexpr int most_idle = 8;
    constexpr double least_gain = 1e-6, price_of_excess = 100;
    layer_.offer_to(&pool_);
    solve();
    prices_ = pool_.prices();
    double least = std::numeric_limits<double>::infinity();
    for (int idle = 0, round = 0; left_ > kept() + 2 && idle < most_idle; ++round) {
      const auto start = start_of(round);
      if (!start) break;
      descend(*start);
      solve();
      for (std::size_t k = 0; k < prices_.size(); ++k) {
        prices_[k] = 0.5 * (prices_[k] + pool_.prices()[k]);
      }
      const double value = mixture_.error + price_of_excess * mixture_.excess;
      idle = value < least - least_gain ? 0 : idle + 1;
      least = std::min(least, value);
    }
    make_sure();
    layer_.offer_to(nullptr);
    return evaluations_ - left_;
  }

 private:
  void solve() {
    mixture_ = pool_.best();
    unsure_ = 0;
    for (std::size_t m = 0; m < pool_.members().size(); ++m) unsure_ += is_unsure(m) ? 1 : 0;
  }
  /// Only until the pool changes.
  [[nodiscard]] bool has_share(std::size_t m) const { return mixture_.shares[m] > 0; }
  /// Whether a member of the mixture is one whose own scores have not been counted.
  [[nodiscard]] bool is_unsure(std::size_t m) const {
    return has_share(m) && !pool_.members()[m].is_certain;
  }
  /// Of the evaluations, for make_sure().
  [[nodiscard]] std::int64_t kept() const {
    constexpr std::int64_t some = 12;
    return std::max(unsure_, std::min(some, evaluations_ / 4));
  }
  /// Whether a member is of this layer, and not constant.
  [[nodiscard]] bool may_start(std::size_t m) const {
    const std::vector<double>& w = pool_.members()[m].w;
    return w.size() == layer_.size() &&
           std::any_of(w.begin(), w.end() - 1, [](double weight) { return weight != 0; });
  }

  /// The one that costs least, and in every second round those that have shares in turn.
  [[nodiscard]] std::optional<std::vector<double>> start_of(int round) const {
    std::vector<std::size_t> shared;
    std::optional<std::size_t> least;
    double least_cost = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < pool_.members().size(); ++m) {
      if (!may_start(m)) continue;
      if (has_share(m)) shared.push_back(m);
      const double cost = ClassifierPool::cost(pool_.members()[m], prices_);
      if (cost < least_cost) {
        least_cost = cost;
        least = m;
      }
    }
    if (!least) return std::nullopt;
    if (round % 2 == 0 || shared.empty()) return pool_.members()[*least].w;
    return pool_.members()[shared[static_cast<std::size_t>(round / 2) % shared.size()]].w;
  }

  void descend(std::vector<double> v) {
    constexpr int most_steps = 2;  // the prices are another draw's before long
    constexpr double narrowest = 0.2, widest = 0.8;
    --left_;
    at_ = layer_.at(std::move(v));
    double width = width_;
    for (int steps = 0; steps < most_steps && left_ > kept() && width >= narrowest;) {
      if (improve(width)) {
        ++steps;
      } else {
        width *= 0.5;
      }
    }
    width_ = std::clamp(2 * width, 2 * narrowest, widest);
  }

  /// To the best point along one direction. @return false: that is here.
  bool improve(double width) {
    const double size = layer_.root_mean_square();
    if (!(size > 0)) return false;
    const auto step = direction(width * size);
    if (!step) return false;
    layer_.begin_line();
    std::vector<double> to = at_.v;
    for (std::size_t j = 0; j < to.size(); ++j) to[j] -= (*step)[static_cast<Eigen::Index>(j)];
    --left_;
    (void)layer_.at(std::move(to));
    layer_.end_line();
    const double t = layer_.stretch_line(width * size) ? best_on_line() : 0;
    LastLayerPoint next = layer_.on_line(t);
    if (t > 0) at_ = std::move(next);
    return t > 0;
  }

  /// Down the costs, of a length that does not count.
  [[nodiscard]] std::optional<Vector> direction(double width) {
    constexpr double damping = 0.01, least = 1e-12;
    const Vector gradient = layer_.gradient_of_costs({1, prices_}, width);
    Eigen::MatrixXd metric;
    layer_.curvature(std::vector<double>(prices_.size(), 0.0), metric);
    const double mean =
        layer_.is_linear() ? 0 : metric.trace() / static_cast<double>(metric.rows());
    for (Eigen::Index j = 0; j < metric.rows(); ++j) {
      metric(j, j) += damping * (metric(j, j) + mean) + least;
    }
    const optimise::Cholesky factor(metric);
    if (!factor.is_definite()) return std::nullopt;
    Vector step = factor.solve(gradient);
    if (!step.allFinite()) return std::nullopt;
    return step;
  }

  /// @return 0: that is its begin.
  [[nodiscard]] double best_on_line() {
    constexpr double last = 2, least_gain = 1e-7;
    constexpr int count = 64;
    const auto line = layer_.count_line(last, count);
    double least = cost_of(at_.error, at_.cells) - least_gain, best = 0;
    for (int k = 0; k < count; ++k) {
      const LinePoint& point = line[static_cast<std::size_t>(k)];
      const double cost = cost_of(point.error, point.cells);
      if (!(cost < least)) continue;
      least = cost;
      best = last * (k + 1) / count;
    }
    return best;
  }
  [[nodiscard]] double cost_of(double error, const std::vector<double>& cells) const {
    return std::inner_product(prices_.begin(), prices_.end(), cells.begin(), error);
  }

  /// Until all that have a share are certain.
  void make_sure() {
    for (solve(); unsure_ > 0; solve()) {
      if (left_ < unsure_) {
        pool_.keep_certain();
        continue;
      }
      std::vector<std::vector<double>> counted_on_lines;
      for (std::size_t m = pool_.members().size(); m-- > 0;) {
        if (!is_unsure(m)) continue;
        counted_on_lines.push_back(pool_.members()[m].w);
        pool_.drop(m);
      }
      for (std::vector<double>& v : counted_on_lines) {
        --left_;
        (void)layer_.at(std::move(v));  // offers itself, unless a score is next to 0
      }
    }
  }

  LastLayer& layer_;
  ClassifierPool& pool_;
  std::int64_t left_, evaluations_;
  std::int64_t unsure_ = 0;
  PoolMixture mixture_;
  std::vector<double> prices_;
  LastLayerPoint at_;
  double width_ = 0.4;  ///< of decisions smoothed, in units of the scores' root mean square
};

}  // namespace

std::int64_t search_mixture(LastLayer& layer, ClassifierPool& pool, std::int64_t evaluations) {
  return MixtureSearch(layer, pool, evaluations).run();
}

}  // namespace fairfront::training
