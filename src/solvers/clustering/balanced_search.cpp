#include "solvers/clustering/balanced_search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

constexpr double tolerance = 1e-9;   ///< of shortfalls, in members
constexpr double forbidden = 1e200;  ///< weight of a cluster that a point may not enter

using base::at;

/// A change of N f1 that rounding alone cannot cause, at costs of up to `scale` per point.
double least_gain(double scale) { return -1e-12 * scale; }

/// Moves that make both the cost and the shortfall smaller come first, then those with the least
/// cost per unit of shortfall.
double score_of(double change, double relief) { return change <= 0 ? change : change / relief; }

bool greater_gain(const Candidate& a, const Candidate& b) {
  return a.gain != b.gain ? a.gain > b.gain : a.point < b.point;
}

}  // namespace

double shortfall(std::span<const std::int32_t> counts, double floor) {
  const double needed = floor * *std::ranges::max_element(counts);
  double sum = 0;
  for (const std::int32_t count : counts) sum += std::max(0.0, needed - count);
  return sum;
}

template <class Label>
BalancedSearch<Label>::BalancedSearch(const Problem& problem, std::function<void()> between)
    : problem_{problem},
      between_{std::move(between)},
      partition_{problem},
      means_{problem},
      shortfalls_(at(problem.clusters())),
      enter_weights_(at(problem.groups()) * means_.padded(), forbidden),
      may_leave_(at(problem.clusters() * problem.groups())),
      changed_(at(problem.clusters())),
      members_(at(problem.clusters() * problem.groups())),
      counts_(at(problem.groups())),
      distances_(means_.padded()),
      direction_(at(problem.columns())),
      middle_(at(problem.columns())) {
  for (std::int64_t i = 0; i < problem.columns(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      least = std::min(least, problem.point(p)[i]);
      greatest = std::max(greatest, problem.point(p)[i]);
    }
    squared_diameter_ += (greatest - least) * (greatest - least);
  }
}

template <class Label>
void BalancedSearch<Label>::assign(std::span<const Label> labels) {
  gains_are_bounded_ = false;
  partition_.assign(problem_, labels);
  ++changes_;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    partition_.mean(problem_, k, means_);
    changed_[at(k)] = changes_;
  }
}

/// What cluster k's shortfall would be with one member of group j more (+1) or less (-1).
template <class Label>
double BalancedSearch<Label>::shortfall_after(std::int64_t k, std::int64_t j, int change) {
  for (std::int64_t i = 0; i < problem_.groups(); ++i) counts_[at(i)] = partition_.count(k, i);
  counts_[at(j)] += change;
  return shortfall(counts_, floor_);
}

/// By how much the sum of all shortfalls falls when a member of group j goes.
template <class Label>
double BalancedSearch<Label>::relief(std::int64_t j, std::int64_t from, std::int64_t to) {
  return shortfalls_[at(from)] - shortfall_after(from, j, -1) + shortfalls_[at(to)] -
         shortfall_after(to, j, 1);
}

template <class Label>
void BalancedSearch<Label>::set_floor(double floor) {
  floor_ = floor;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    shortfalls_[at(k)] = shortfall_after(k, 0, 0);
  }
}

template <class Label>
bool BalancedSearch<Label>::repair(double floor, const Seen& seen, double share) {
  set_floor(floor);
  for (;;) {
    const auto worst = std::ranges::max_element(shortfalls_);
    if (*worst <= tolerance) return true;
    if (!mend(worst - shortfalls_.begin(), seen, share)) return false;
  }
}

/// Leaves the best moves into and out of a cluster in moves_, in order.
template <class Label>
void BalancedSearch<Label>::rank(std::int64_t worst, std::int64_t most) {
  moves_.clear();
  if (between_) between_();
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    rank_entering(worst, j);
    rank_leaving(worst, j);
  }
  const auto count = std::min<std::int64_t>(most, std::ssize(moves_));
  std::ranges::nth_element(moves_, moves_.begin() + count, std::less<>{});
  moves_.resize(at(count));
  std::ranges::sort(moves_, std::less<>{});
}

/// One ranking of moves, and the best of them. @return whether there was any.
template <class Label>
bool BalancedSearch<Label>::mend(std::int64_t worst, const Seen& seen, double share) {
  rank(worst, 1 + static_cast<std::int64_t>(shortfalls_[at(worst)] * share));
  for (const Move& move : moves_) take_if_useful(move, seen);
  return !moves_.empty();
}

/// The moves before have changed the counts. @return whether the move was taken.
template <class Label>
bool BalancedSearch<Label>::take_if_useful(const Move& move, const Seen& seen) {
  const std::int64_t from = partition_.label(move.point);
  if (partition_.size(from) == 1) return false;
  if (relief(problem_.group_of(move.point), from, move.to) <= tolerance) return false;
  take(move.point, move.to);
  shortfalls_[at(from)] = shortfall_after(from, 0, 0);
  shortfalls_[at(move.to)] = shortfall_after(move.to, 0, 0);
  if (seen) seen(partition_);
  return true;
}

template <class Label>
bool BalancedSearch<Label>::repair_in_turns(double floor, const Seen& seen, double share) {
  set_floor(floor);
  turns_.assign(at(problem_.clusters()), {});
  for (;;) {
    const auto worst = std::ranges::max_element(shortfalls_);
    if (*worst <= tolerance) return true;
    if (!take_turn(worst - shortfalls_.begin(), seen, share)) return false;
  }
}

/// Takes the next move of a cluster's ranking that is still of use, or of a new one.
/// @return whether there was any.
template <class Label>
bool BalancedSearch<Label>::take_turn(std::int64_t worst, const Seen& seen, double share) {
  Turn& turn = turns_[at(worst)];
  for (const bool is_new : {false, true}) {
    if (is_new) {
      rank(worst, 1 + static_cast<std::int64_t>(share * partition_.size(worst)));
      turn.moves.assign(moves_.begin(), moves_.end());
      turn.from.clear();
      for (const Move& move : moves_) turn.from.push_back(partition_.label(move.point));
      turn.next = 0;
    }
    for (; turn.next < turn.moves.size(); ++turn.next) {
      const Move& move = turn.moves[turn.next];
      if (partition_.label(move.point) != turn.from[turn.next]) continue;
      if (take_if_useful(move, seen)) return true;
    }
  }
  return false;
}

template <class Label>
void BalancedSearch<Label>::rank_entering(std::int64_t worst, std::int64_t j) {
  if (shortfall_after(worst, j, 1) >= shortfalls_[at(worst)]) return;
  std::vector<double>& reliefs = distances_;
  for (std::int64_t l = 0; l < problem_.clusters(); ++l) {
    const bool usable = l != worst && partition_.size(l) > 1 && partition_.count(l, j) > 0;
    reliefs[at(l)] = usable ? relief(j, l, worst) : 0;
  }
  const double size = partition_.size(worst);
  for (std::int64_t p = problem_.group_begin(j); p < problem_.group_begin(j + 1); ++p) {
    const std::int64_t l = partition_.label(p);
    if (reliefs[at(l)] <= tolerance) continue;
    const double* x = problem_.point(p);
    const double members = partition_.size(l);
    const double change = size / (size + 1) * means_.squared_distance(worst, x) -
                          members / (members - 1) * means_.squared_distance(l, x);
    moves_.push_back({score_of(change, reliefs[at(l)]), p, worst});
  }
}

template <class Label>
void BalancedSearch<Label>::rank_leaving(std::int64_t worst, std::int64_t j) {
  if (partition_.size(worst) == 1 || partition_.count(worst, j) == 0) return;
  if (shortfall_after(worst, j, -1) >= shortfalls_[at(worst)]) return;
  open_.clear();
  for (std::int64_t l = 0; l < problem_.clusters(); ++l) {
    const double mended = l == worst ? 0 : relief(j, worst, l);
    const double size = partition_.size(l);
    if (mended > tolerance) open_.push_back({l, mended, size / (size + 1)});
  }
  if (open_.empty()) return;
  const double size = partition_.size(worst);
  leaving_.clear();
  partition_.append_members(problem_, worst, j, leaving_);
  for (const std::int64_t p : leaving_) {
    if (between_) between_();
    means_.squared_distances(problem_.point(p), distances_.data());
    const double saved = size / (size - 1) * distances_[at(worst)];
    Move best{std::numeric_limits<double>::infinity(), p, 0};
    for (const Opening& target : open_) {
      const double change = target.weight * distances_[at(target.cluster)] - saved;
      const double score = score_of(change, target.relief);
      if (score < best.score) best = {score, p, target.cluster};
    }
    moves_.push_back(best);
  }
}

template <class Label>
void BalancedSearch<Label>::take(std::int64_t point, std::int64_t to) {
  const std::int64_t from = partition_.label(point);
  partition_.relabel(problem_, point, static_cast<Label>(to));
  if (log_ != nullptr) {
    log_->push_back({static_cast<std::uint32_t>(point), static_cast<std::uint32_t>(to)});
  }
  ++changes_;
  for (const std::int64_t k : {from, to}) {
    partition_.mean(problem_, k, means_);
    changed_[at(k)] = changes_;
  }
  if (gains_are_bounded_) gain_bounds_->add(point, to);
}

/// What a single move may do with cluster k at the floor.
template <class Label>
void BalancedSearch<Label>::set_rules(std::int64_t k) {
  const double size = partition_.size(k);
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    may_leave_[at(k * problem_.groups() + j)] = partition_.size(k) > 1 &&
                                                partition_.count(k, j) > 0 &&
                                                shortfall_after(k, j, -1) <= tolerance;
    enter_weights_[at(j) * means_.padded() + at(k)] =
        shortfall_after(k, j, 1) <= tolerance ? size / (size + 1) : forbidden;
  }
}

template <class Label>
bool BalancedSearch<Label>::move_points(double floor) {
  floor_ = floor;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) set_rules(k);
  bool changed = false;
  const auto clusters = at(problem_.clusters());
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    if (between_) between_();
    const std::int64_t from = partition_.label(p);
    const std::int64_t j = problem_.group_of(p);
    if (!may_leave_[at(from * problem_.groups() + j)]) continue;
    means_.squared_distances(problem_.point(p), distances_.data());
    const double* weights = enter_weights_.data() + at(j) * means_.padded();
    std::size_t to = 0;
    double least = forbidden;
    for (std::size_t l = 0; l < clusters; ++l) {
      const double entering =
          static_cast<std::int64_t>(l) == from ? forbidden : distances_[l] * weights[l];
      to = entering < least ? l : to;
      least = entering < least ? entering : least;
    }
    const double size = partition_.size(from);
    const double leaving = size / (size - 1) * distances_[at(from)];
    // A point on the very mean of a forbidden cluster has entering = 0.
    if (weights[to] == forbidden || !(least - leaving < least_gain(leaving))) continue;
    take(p, static_cast<std::int64_t>(to));
    set_rules(from);
    set_rules(static_cast<std::int64_t>(to));
    changed = true;
  }
  return changed;
}

template <class Label>
void BalancedSearch<Label>::list_members() {
  for (auto& list : members_) list.clear();
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    members(partition_.label(p), problem_.group_of(p)).push_back(p);
  }
}

template <class Label>
void BalancedSearch<Label>::bound_gains() {
  if (!GainBounds::are_of_use(problem_)) return;
  if (!gain_bounds_) gain_bounds_.emplace(problem_, squared_diameter_);
  gain_bounds_->begin(means_);
  gains_are_bounded_ = true;
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    if (between_) between_();
    gain_bounds_->add(p, partition_.label(p));
  }
}

template <class Label>
bool BalancedSearch<Label>::exchange_points() {
  list_members();
  bound_gains();
  settled_.resize(at(problem_.clusters() * problem_.clusters()));
  bool changed = false;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    for (std::int64_t l = k + 1; l < problem_.clusters(); ++l) {
      std::int64_t& settled = settled_[at(k * problem_.clusters() + l)];
      if (std::max(changed_[at(k)], changed_[at(l)]) <= settled) continue;
      if (between_) between_();
      if (exchange_between(k, l)) {
        changed = true;
      } else {
        settled = changes_;
      }
    }
  }
  gains_are_bounded_ = false;
  return changed;
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
double BalancedSearch<Label>::add_squares(double weight, std::vector<Candidate>& all) const {
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
double BalancedSearch<Label>::exchange_change(std::int64_t p, std::int64_t q) const {
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
  std::ranges::sort(here_, greater_gain);
  std::ranges::sort(there_, greater_gain);
  if (!exchange_in_order(k, l) && !exchange_best(k, l)) return false;
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
    if (!(exchange_change(p, q) < least_gain(problem_.total_variance()))) return taken > 0;
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
  double least = least_gain(problem_.total_variance());
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

template class BalancedSearch<std::uint8_t>;
template class BalancedSearch<std::uint16_t>;

}  // namespace fairfront::clustering
