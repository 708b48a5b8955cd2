/// @file
/// The rankings of moves of BalancedSearch, for balanced_search.cpp, which makes them of both kinds
/// of label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "solvers/clustering/balanced_search.hpp"

namespace fairfront::clustering {
namespace detail {

inline constexpr double tolerance = 1e-9;   ///< of shortfalls, in members
inline constexpr double forbidden = 1e200;  ///< weight of a cluster that a point may not enter

/// Moves that make both the cost and the shortfall smaller come first, then those with the least
/// cost per unit of shortfall.
[[nodiscard]] inline double score_of(double change, double relief) {
  return change <= 0 ? change : change / relief;
}

}  // namespace detail

/// Leaves the best moves into and out of a cluster in moves_, in order.
template <class Label>
void BalancedSearch<Label>::rank(std::int64_t worst, std::int64_t most) {
  moves_.clear();
  if (between_) between_();
  constexpr std::size_t next_to_it = NearClusters::length / 2;
  if (near_) {
    rank_among(worst, near_->of(worst).first(next_to_it));
    if (moves_.empty()) rank_among(worst, all_);
  } else {
    rank_everywhere(worst);
  }
  const auto count = std::min<std::int64_t>(most, std::ssize(moves_));
  std::ranges::nth_element(moves_, moves_.begin() + count, std::less<>{});
  moves_.resize(base::at(count));
  std::ranges::sort(moves_, std::less<>{});
}

template <class Label>
void BalancedSearch<Label>::rank_everywhere(std::int64_t worst) {
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    rank_entering(worst, j);
    rank_leaving(worst, j);
  }
}

/// Of those others with which a move is of use, the nearest ones.
template <class Label>
void BalancedSearch<Label>::rank_among(std::int64_t worst, Clusters others) {
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    open_entering(worst, j, others);
    keep_nearest_open(worst);
    for (const Opening& source : open_) {
      const std::vector<std::int64_t>& list = members(source.cluster, j);
      for (const std::int64_t p : list) add_entering(worst, p, source.relief);
      comparisons_ += 2 * std::ssize(list);
    }
    open_leaving(worst, j, others);
    keep_nearest_open(worst);
    add_leaving(worst, j);
  }
}

/// Leaves those in open_ that a member of group j may come from.
template <class Label>
void BalancedSearch<Label>::open_entering(std::int64_t worst, std::int64_t j, Clusters others) {
  open_.clear();
  if (shortfall_after(worst, j, 1) >= shortfalls_[base::at(worst)]) return;
  for (const std::int64_t l : others) {
    const double mended = entering_relief(worst, j, l);
    if (mended > detail::tolerance) open_.push_back({l, mended, 0});
  }
}

/// Leaves those in open_ that a member of group j may go to.
template <class Label>
void BalancedSearch<Label>::open_leaving(std::int64_t worst, std::int64_t j, Clusters others) {
  open_.clear();
  if (partition_.size(worst) == 1 || partition_.count(worst, j) == 0) return;
  if (shortfall_after(worst, j, -1) >= shortfalls_[base::at(worst)]) return;
  for (const std::int64_t l : others) {
    const double mended = l == worst ? 0 : relief(j, worst, l);
    const double size = partition_.size(l);
    if (mended > detail::tolerance) open_.push_back({l, mended, size / (size + 1)});
  }
}

template <class Label>
void BalancedSearch<Label>::keep_nearest_open(std::int64_t worst) {
  constexpr std::int64_t most = NearClusters::length / 2;
  if (std::ssize(open_) <= most) return;
  for (std::size_t i = 0; i < middle_.size(); ++i) {
    middle_[i] = means_.coordinate(worst, static_cast<std::int64_t>(i));
  }
  const bool of_all = 8 * std::ssize(open_) > problem_.clusters();
  if (of_all) means_.squared_distances(middle_.data(), distances_.data());
  const auto keep = [this] {
    std::ranges::nth_element(nearest_, nearest_.begin() + (most - 1), std::less<>{});
    nearest_.resize(base::at(most));
    return nearest_.back().square;
  };
  nearest_.clear();
  double greatest = std::numeric_limits<double>::infinity();
  for (const Opening& other : open_) {
    const double square = of_all ? distances_[base::at(other.cluster)]
                                 : means_.squared_distance(other.cluster, middle_.data());
    if (square > greatest) continue;
    nearest_.push_back({square, other});
    if (std::ssize(nearest_) == 4 * most) greatest = keep();
  }
  if (std::ssize(nearest_) > most) keep();
  std::ranges::sort(nearest_, std::less<>{});
  open_.clear();
  for (const NearOpening& near : nearest_) open_.push_back(near.opening);
}

/// Of a member of group j that comes from cluster l; 0 where none may.
template <class Label>
double BalancedSearch<Label>::entering_relief(std::int64_t worst, std::int64_t j, std::int64_t l) {
  const bool usable = l != worst && partition_.size(l) > 1 && partition_.count(l, j) > 0;
  return usable ? relief(j, l, worst) : 0;
}

template <class Label>
void BalancedSearch<Label>::add_entering(std::int64_t worst, std::int64_t p, double mended) {
  const std::int64_t l = partition_.label(p);
  const double* x = problem_.point(p);
  const double size = partition_.size(worst);
  const double members = partition_.size(l);
  const double change = size / (size + 1) * means_.squared_distance(worst, x) -
                        members / (members - 1) * means_.squared_distance(l, x);
  moves_.push_back({detail::score_of(change, mended), p, worst});
}

template <class Label>
void BalancedSearch<Label>::rank_entering(std::int64_t worst, std::int64_t j) {
  if (shortfall_after(worst, j, 1) >= shortfalls_[base::at(worst)]) return;
  std::vector<double>& reliefs = distances_;
  for (std::int64_t l = 0; l < problem_.clusters(); ++l) {
    reliefs[base::at(l)] = entering_relief(worst, j, l);
  }
  const auto before = std::ssize(moves_);
  for (std::int64_t p = problem_.group_begin(j); p < problem_.group_begin(j + 1); ++p) {
    const double mended = reliefs[base::at(partition_.label(p))];
    if (mended > detail::tolerance) add_entering(worst, p, mended);
  }
  comparisons_ += 2 * (std::ssize(moves_) - before);
}

/// Members of group j in cluster k; until the next call.
template <class Label>
const std::vector<std::int64_t>& BalancedSearch<Label>::list_of(std::int64_t k, std::int64_t j) {
  if (near_) return members(k, j);
  leaving_.clear();
  partition_.append_members(problem_, k, j, leaving_);
  return leaving_;
}

/// Distances of a member of `worst` to it and to all that are open.
template <class Label>
void BalancedSearch<Label>::measure_openings(std::int64_t worst, std::int64_t p) {
  const double* x = problem_.point(p);
  if (!near_) return means_.squared_distances(x, distances_.data());
  distances_[base::at(worst)] = means_.squared_distance(worst, x);
  for (const Opening& target : open_) {
    distances_[base::at(target.cluster)] = means_.squared_distance(target.cluster, x);
  }
}

template <class Label>
void BalancedSearch<Label>::rank_leaving(std::int64_t worst, std::int64_t j) {
  open_leaving(worst, j, all_);
  add_leaving(worst, j);
}

/// The best way to one that is open, of every member of group j.
template <class Label>
void BalancedSearch<Label>::add_leaving(std::int64_t worst, std::int64_t j) {
  if (open_.empty()) return;
  const double size = partition_.size(worst);
  const std::vector<std::int64_t>& list = list_of(worst, j);
  comparisons_ += std::ssize(list) * (near_ ? 1 + std::ssize(open_) : problem_.clusters());
  for (const std::int64_t p : list) {
    if (between_) between_();
    measure_openings(worst, p);
    const double saved = size / (size - 1) * distances_[base::at(worst)];
    Move best{std::numeric_limits<double>::infinity(), p, 0};
    for (const Opening& target : open_) {
      const double change = target.weight * distances_[base::at(target.cluster)] - saved;
      const double score = detail::score_of(change, target.relief);
      if (score < best.score) best = {score, p, target.cluster};
    }
    moves_.push_back(best);
  }
}

}  // namespace fairfront::clustering
