/// @file
/// The exchanges of BalancedSearch, for balanced_search.cpp, which makes them of both kinds of
/// label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "solvers/clustering/balanced_search.hpp"

namespace fairfront::clustering {
namespace detail {

/// A change of N f1 that rounding alone cannot cause, at costs of up to `scale` per point.
[[nodiscard]] constexpr double least_gain(double scale) { return -1e-12 * scale; }

[[nodiscard]] inline bool greater_gain(const Candidate& a, const Candidate& b) {
  return a.gain != b.gain ? a.gain > b.gain : a.point < b.point;
}

}  // namespace detail

template <class Label>
void BalancedSearch<Label>::bound_gains() {
  if (!GainBounds::are_of_use(problem_)) return;
  if (!gain_bounds_) gain_bounds_.emplace(problem_, squared_diameter_);
  gain_bounds_->begin(means_);
  gains_are_bounded_ = true;
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    if (between_) between_();
    bound_gains_of(p, partition_.label(p));
  }
}

template <class Label>
void BalancedSearch<Label>::bound_gains_of(std::int64_t point, std::int64_t cluster) {
  gain_bounds_->add(point, cluster);
  comparisons_ += problem_.clusters();
}

template <class Label>
bool BalancedSearch<Label>::exchange_points() {
  look_around();
  return near_ ? exchange_nearby() : exchange_everywhere();
}

template <class Label>
bool BalancedSearch<Label>::exchange_everywhere() {
  list_members();
  bound_gains();
  settled_.resize(base::at(problem_.clusters() * problem_.clusters()));
  bool changed = false;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    for (std::int64_t l = k + 1; l < problem_.clusters(); ++l) {
      const bool now =
          exchange_unless_settled(k, l, settled_[base::at(k * problem_.clusters() + l)]);
      changed = changed || now;
    }
  }
  gains_are_bounded_ = false;
  return changed;
}

/// Of all clusters with those around them, each pair once.
template <class Label>
bool BalancedSearch<Label>::exchange_nearby() {
  bool changed = false;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    std::int64_t* settled = settled_.data() + k * NearClusters::length;
    for (const std::uint16_t l : near_->of(k)) {
      std::int64_t& of_pair = *settled++;
      if (l < k && near_->lists(l, k)) continue;
      const bool now = exchange_unless_settled(k, l, of_pair);
      changed = changed || now;
    }
  }
  return changed;
}

/// Nothing is looked at again that had no exchange and has not changed since.
template <class Label>
bool BalancedSearch<Label>::exchange_unless_settled(std::int64_t k, std::int64_t l,
                                                    std::int64_t& settled) {
  if (std::max(changed_[base::at(k)], changed_[base::at(l)]) <= settled) return false;
  if (between_) between_();
  if (exchange_between(k, l)) return true;
  settled = changes_;
  return false;
}

template <class Label>
bool BalancedSearch<Label>::exchange_between(std::int64_t k, std::int64_t l) {
  bool changed = false;
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    if (exchange_in_group(k, l, j)) changed = true;
  }
  return changed;
}

/// Every member of group j in cluster k with how far it lies past the middle of both means.
/// @param sign  1 for the cluster that direction_ comes from, -1 for the other.
/// @return the greatest of these.
template <class Label>
double BalancedSearch<Label>::collect(std::int64_t k, std::int64_t j, double sign,
                                      std::vector<Candidate>& all) {
  const std::vector<std::int64_t>& list = members(k, j);
  comparisons_ += std::ssize(list);
  const std::size_t columns = direction_.size();
  const double* direction = direction_.data();
  double from_middle = 0;
  for (std::size_t i = 0; i < columns; ++i) from_middle -= middle_[i] * direction[i];
  double greatest = -std::numeric_limits<double>::infinity();
  all.resize(list.size());
  Candidate* to = all.data();
  for (const std::int64_t p : list) {
    const double* x = problem_.point(p);
    double along = from_middle;
    for (std::size_t i = 0; i < columns; ++i) along += x[i] * direction[i];
    *to++ = {sign * along, p};
    greatest = std::max(greatest, sign * along);
  }
  return greatest;
}

/// Adds `weight` |x - c|^2 with c the middle of both means. @return the greatest sum.
template <class Label>
double BalancedSearch<Label>::add_squares(double weight, std::vector<Candidate>& all) {
  comparisons_ += std::ssize(all);
  double greatest = -std::numeric_limits<double>::infinity();
  for (Candidate& candidate : all) {
    const double* x = problem_.point(candidate.point);
    double squares = 0;
    for (std::size_t i = 0; i < middle_.size(); ++i) {
      squares += (x[i] - middle_[i]) * (x[i] - middle_[i]);
    }
    candidate.gain += weight * squares;
    greatest = std::max(greatest, candidate.gain);
  }
  return greatest;
}

/// N f1 after minus before, if p and q change their clusters k and l, with v = x_q - x_p:
/// 2 v (m_l - m_k) - |v|^2 (1 / n_k + 1 / n_l).
template <class Label>
double BalancedSearch<Label>::exchange_change(std::int64_t p, std::int64_t q) {
  ++comparisons_;
  const std::int64_t k = partition_.label(p);
  const std::int64_t l = partition_.label(q);
  double along = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < problem_.columns(); ++i) {
    const double v = problem_.point(q)[i] - problem_.point(p)[i];
    along += v * (means_.coordinate(l, i) - means_.coordinate(k, i));
    squares += v * v;
  }
  return 2 * along - squares * (1.0 / partition_.size(k) + 1.0 / partition_.size(l));
}

/// With v = x_q - x_p, w = 1 / n_k + 1 / n_l and the middle c of both means, exchanging p and q
/// gains 2 v (m_k - m_l) + w |v|^2, which is at most twice the sum over both of their way past the
/// middle and w |x - c|^2: few pairs need their exact change. Those with the greatest bounds change
/// places in order, as long as they gain; when the first two do not, the best of all pairs does.
template <class Label>
bool BalancedSearch<Label>::exchange_in_group(std::int64_t k, std::int64_t l, std::int64_t j) {
  for (std::size_t i = 0; i < direction_.size(); ++i) {
    const double here = means_.coordinate(k, static_cast<std::int64_t>(i));
    const double there = means_.coordinate(l, static_cast<std::int64_t>(i));
    direction_[i] = there - here;
    middle_[i] = 0.5 * (here + there);
  }
  const double weight = 1.0 / partition_.size(k) + 1.0 / partition_.size(l);
  const auto keep_hopeful = [this](double here, double there, double more) {
    if (here + there + more <= 0) return false;
    std::erase_if(here_, [=](const Candidate& c) { return c.gain + there + more <= 0; });
    std::erase_if(there_, [=](const Candidate& c) { return c.gain + here + more <= 0; });
    return true;
  };
  const double more = 0.5 * weight * squared_diameter_;
  if (gains_are_bounded_ && !gain_bounds_->may_gain(means_, k, l, j, more)) return false;
  const double past_here = collect(k, j, 1, here_);
  const double past_there = collect(l, j, -1, there_);
  if (!keep_hopeful(past_here, past_there, more)) return false;
  const double most_here = add_squares(weight, here_);
  const double most_there = add_squares(weight, there_);
  if (!keep_hopeful(most_here, most_there, 0)) return false;
  std::ranges::sort(here_, detail::greater_gain);
  std::ranges::sort(there_, detail::greater_gain);
  if (!exchange_in_order(k, l) && !exchange_best(k, l)) return false;
  if (near_) return true;  // lists follow every move
  for (const std::int64_t cluster : {k, l}) {
    std::vector<std::int64_t>& list = members(cluster, j);
    list.clear();
    partition_.append_members(problem_, cluster, j, list);
  }
  return true;
}

template <class Label>
bool BalancedSearch<Label>::exchange_in_order(std::int64_t k, std::int64_t l) {
  const std::size_t most = std::min(here_.size(), there_.size());
  for (std::size_t taken = 0; taken < most; ++taken) {
    const std::int64_t p = here_[taken].point;
    const std::int64_t q = there_[taken].point;
    if (!(exchange_change(p, q) < detail::least_gain(problem_.total_variance()))) return taken > 0;
    take(p, l);
    take(q, k);
  }
  return most > 0;
}

template <class Label>
bool BalancedSearch<Label>::exchange_best(std::int64_t k, std::int64_t l) {
  // Of points that coincide one is enough: tables of categories have thousands on a boundary.
  const auto coincide = [this](const Candidate& a, const Candidate& b) {
    return a.gain == b.gain &&
           std::ranges::equal(problem_.coordinates(a.point), problem_.coordinates(b.point));
  };
  for (auto* list : {&here_, &there_}) {
    list->erase(std::unique(list->begin(), list->end(), coincide), list->end());
  }
  double least = detail::least_gain(problem_.total_variance());
  std::pair<std::int64_t, std::int64_t> best{-1, -1};
  for (const Candidate& p : here_) {
    if (2 * (p.gain + there_.front().gain) <= -least) break;
    for (const Candidate& q : there_) {
      if (2 * (p.gain + q.gain) <= -least) break;
      const double change = exchange_change(p.point, q.point);
      if (!(change < least)) continue;
      least = change;
      best = {p.point, q.point};
    }
  }
  if (best.first < 0) return false;
  take(best.first, l);
  take(best.second, k);
  return true;
}

}  // namespace fairfront::clustering
