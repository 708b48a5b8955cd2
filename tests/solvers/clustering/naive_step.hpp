/// @file
/// The rules of a step, written plainly over label vectors: sections 2.3 of the method card and
/// Algorithm 2 of the paper. Only for tests; every quantity is found by a pass over the points.
#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/step.hpp"

namespace fairfront::clustering {

class NaiveStep {
 public:
  using Centre = std::vector<double>;

  NaiveStep(const Problem& problem, const StepOptions& options, std::vector<int> start)
      : labels{std::move(start)}, problem_{problem}, options_{options} {
    for (int k = 0; k < clusters(); ++k) centres.push_back(mean(k));
  }

  void advance(Effort effort, std::int64_t batch, base::Stream& stream) {
    if (options_.step_order == StepOrder::kmeans_first) kmeans(effort.kmeans, stream);
    if (options_.swap_unit == SwapUnit::exchange) exchanges(effort.swaps, batch, stream);
    if (options_.swap_unit == SwapUnit::move) moves(effort.swaps, batch, stream);
    if (options_.step_order == StepOrder::swaps_first) kmeans(effort.kmeans, stream);
  }

  std::vector<int> labels;  ///< in the problem's order
  std::vector<Centre> centres;
  std::int64_t comparisons = 0;  ///< of drawn points, each with the centres that it may go to

 private:
  struct Pull {
    int point;
    int cluster;
  };
  struct Worst {
    int cluster;
    int rare;
    int common;
    int attribute;
  };

  int clusters() const { return static_cast<int>(problem_.clusters()); }
  int attributes() const { return static_cast<int>(problem_.attributes().count()); }
  int levels(int a) const { return static_cast<int>(problem_.attributes().levels(a)); }
  int level(int p, int a) const {
    return static_cast<int>(problem_.attributes().level_of(a, problem_.group_of(p)));
  }
  int& label(int p) { return labels[static_cast<std::size_t>(p)]; }
  Centre& centre(int k) { return centres[static_cast<std::size_t>(k)]; }
  bool exact() const { return options_.centres == CentreRule::exact; }

  std::vector<int> members(int k, int a, int j) {
    std::vector<int> found;
    for (int p = 0; p < problem_.points(); ++p) {
      if (label(p) == k && level(p, a) == j) found.push_back(p);
    }
    return found;
  }
  int count(int k, int a, int j) {
    int found = 0;
    for (int p = 0; p < problem_.points(); ++p) found += label(p) == k && level(p, a) == j ? 1 : 0;
    return found;
  }
  int size(int k) {
    int sum = 0;
    for (int j = 0; j < levels(0); ++j) sum += count(k, 0, j);
    return sum;
  }
  Centre mean(int k) {
    Centre sum(static_cast<std::size_t>(problem_.columns()), 0);
    for (int p = 0; p < problem_.points(); ++p) {
      for (std::size_t i = 0; i < sum.size() && label(p) == k; ++i) sum[i] += problem_.point(p)[i];
    }
    for (double& value : sum) value /= size(k);
    return sum;
  }
  double distance(const double* x, const Centre& c) const {
    double sum = 0;
    for (std::size_t i = 0; i < c.size(); ++i) sum += (x[i] - c[i]) * (x[i] - c[i]);
    return sum;
  }

  void relabel(int point, int to) {
    if (size(label(point)) > 1) label(point) = to;  // no cluster runs empty
  }

  void refresh_centres() {
    for (int k = 0; k < clusters() && exact(); ++k) centre(k) = mean(k);
  }
  void pull(const std::vector<Pull>& pulls, const std::vector<int>& weights) {
    const std::vector<Centre> before = centres;
    for (const Pull& p : pulls) {
      const Centre& old = before[static_cast<std::size_t>(p.cluster)];
      for (std::size_t i = 0; i < old.size(); ++i) {
        centre(p.cluster)[i] += 1.0 / weights[static_cast<std::size_t>(p.cluster)] *
                                (problem_.point(p.point)[i] - old[i]);
      }
    }
  }
  std::vector<int> sizes() {
    std::vector<int> result;
    for (int k = 0; k < clusters(); ++k) result.push_back(size(k));
    return result;
  }

  void kmeans(std::int64_t points, base::Stream& stream) {
    if (points == 0) return;
    std::set<int> taken;  // Floyd: without replacement
    std::vector<Pull> pulls;
    for (auto last = static_cast<int>(problem_.points() - points); last < problem_.points();
         ++last) {
      int point = static_cast<int>(stream.below(static_cast<std::uint32_t>(last + 1)));
      if (taken.contains(point)) point = last;
      taken.insert(point);
      int nearest = 0;
      for (int k = 0; k < clusters(); ++k) ++comparisons;
      for (int k = 1; k < clusters(); ++k) {
        const double* x = problem_.point(point);
        if (distance(x, centre(k)) < distance(x, centre(nearest))) nearest = k;
      }
      pulls.push_back({point, nearest});
    }
    std::vector<int> weights = sizes();
    for (const Pull& p : pulls) ++weights[static_cast<std::size_t>(p.cluster)];
    if (!exact()) pull(pulls, weights);
    for (const Pull& p : pulls) relabel(p.point, p.cluster);
    refresh_centres();
  }

  Worst worst(base::Stream& stream) {
    const auto choices = static_cast<std::uint32_t>(attributes());
    const int a = choices == 1 ? 0 : static_cast<int>(stream.below(choices));
    Worst result{0, 0, 0, a};
    double least = 2;
    for (int k = 0; k < clusters(); ++k) {
      int rare = 0;
      int common = 0;
      for (int j = 1; j < levels(a); ++j) {
        if (count(k, a, j) < count(k, a, rare)) rare = j;
        if (count(k, a, j) > count(k, a, common)) common = j;
      }
      const double balance = count(k, a, rare) / (count(k, a, common) + 1e-16);
      if (balance < least) {
        least = balance;
        result = {k, rare, common, a};
      }
    }
    return result;
  }

  int target(const Worst& l) {
    int best = -1;
    double best_value = 0;
    for (int h = 0; h < clusters(); ++h) {
      if (h == l.cluster || count(h, l.attribute, l.rare) == 0) continue;
      const double value =
          options_.target == Target::local
              ? -distance(centre(h).data(), centre(l.cluster))
              : count(h, l.attribute, l.rare) / (count(h, l.attribute, l.common) + 1e-16);
      if (best >= 0 && value <= best_value) continue;
      best = h;
      best_value = value;
    }
    return best;
  }

  int choose(const std::vector<int>& eligible, int towards, std::int64_t batch,
             base::Stream& stream) {
    std::vector<int> drawn;
    for (std::int64_t i = 0; i < batch && batch < std::ssize(eligible); ++i) {
      drawn.push_back(eligible[stream.below(static_cast<std::uint32_t>(eligible.size()))]);
    }
    if (batch >= std::ssize(eligible)) drawn = eligible;
    int best = drawn.front();
    for (const int p : drawn) {
      ++comparisons;
      if (distance(problem_.point(p), centre(towards)) <
          distance(problem_.point(best), centre(towards))) {
        best = p;
      }
    }
    return best;
  }

  void exchanges(std::int64_t swaps, std::int64_t batch, base::Stream& stream) {
    std::vector<Pull> pulls;
    for (std::int64_t r = 0; r < swaps; ++r) {
      const Worst l = worst(stream);
      const int h = target(l);
      if (l.rare == l.common || h < 0) break;
      const int in = choose(members(h, l.attribute, l.rare), l.cluster, batch, stream);
      const int out = choose(members(l.cluster, l.attribute, l.common), h, batch, stream);
      // Two clusters of one member each would only change names.
      if (size(h) > 1 || size(l.cluster) > 1) {
        label(in) = l.cluster;
        label(out) = h;
      }
      pulls.push_back({in, l.cluster});
      pulls.push_back({out, h});
      refresh_centres();
    }
    if (!exact()) pull(pulls, sizes());
  }

  void moves(std::int64_t count_of_moves, std::int64_t batch, base::Stream& stream) {
    std::vector<Pull> pulls;
    Worst l{};
    for (std::int64_t r = 0; r < count_of_moves; ++r) {
      const bool in = r % 2 == 0;
      if (!in || r == 0) l = worst(stream);
      const int h = target(l);
      if (l.rare == l.common || h < 0) break;
      const int to = in ? l.cluster : h;
      const std::vector<int> eligible =
          in ? members(h, l.attribute, l.rare) : members(l.cluster, l.attribute, l.common);
      const int point = choose(eligible, to, batch, stream);
      relabel(point, to);
      pulls.push_back({point, to});
    }
    refresh_centres();
    if (!exact()) pull(pulls, sizes());
  }

  const Problem& problem_;
  StepOptions options_;
};

}  // namespace fairfront::clustering
