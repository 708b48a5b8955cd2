#include "solvers/clustering/row_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "base/stop.hpp"

namespace fairfront::clustering {

using base::at;

RowBounds::RowBounds(const AssignmentCosts& costs, const OpenRows& open,
                     const BalanceLimits& limits)
    : costs_{costs},
      open_{open},
      limits_{limits},
      clusters_{costs.clusters},
      groups_{std::ssize(limits.group_counts())},
      // Sums of N costs less prices stay below 2^63.
      largest_price_{(std::int64_t{1} << 62) / std::max<std::int64_t>(1, std::ssize(costs.group))},
      begin_(at(clusters_ * groups_) + 1),
      row_(open.clusters.size()),
      open_entry_(open.clusters.size()),
      offers_(at(groups_)),
      taken_(costs.group.size()) {
  const auto list = [&](std::size_t i, std::int64_t e) {
    return at(std::int64_t{open.clusters[at(e)]} * groups_ + costs.group[at(open.rows[i])]);
  };
  for (std::size_t i = 0; i < open.rows.size(); ++i) {
    for (std::int64_t e = open.first[i]; e < open.first[i + 1]; ++e) ++begin_[list(i, e) + 1];
  }
  for (std::size_t m = 1; m < begin_.size(); ++m) begin_[m] += begin_[m - 1];
  std::vector<std::int64_t> next = begin_;
  for (std::size_t i = 0; i < open.rows.size(); ++i) {
    for (std::int64_t e = open.first[i]; e < open.first[i + 1]; ++e) {
      const std::size_t entry = at(next[list(i, e)]++);
      row_[entry] = open.rows[i];
      open_entry_[entry] = e;
    }
  }
}

std::vector<std::int64_t> RowBounds::prices_between(std::span<const std::int64_t> prices) const {
  std::vector<std::int64_t> between(costs_.group.size(), 0);
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    const std::int64_t row = open_.rows[i];
    const std::int64_t* of_group = prices.data() + costs_.group[at(row)] * clusters_;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t second = least;
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      const std::int64_t k = open_.clusters[at(e)];
      const std::int64_t value =
          std::clamp(costs_.cost(row, k) - of_group[k], -largest_price_, largest_price_);
      second = std::min(second, std::max(least, value));
      least = std::min(least, value);
    }
    if (second > largest_price_) second = least;
    between[at(row)] = least + (second - least) / 2;
  }
  return between;
}

/// @param counts  that may be taken: between them the offers are in order.
void RowBounds::list_offers(std::int64_t k, std::int64_t j, std::span<const std::int64_t> prices,
                            Range counts) {
  Offers& offers = offers_[at(j)];
  offers.offers.clear();
  const std::size_t m = at(k * groups_ + j);
  for (std::int64_t entry = begin_[m]; entry < begin_[m + 1]; ++entry) {
    const std::int64_t row = row_[at(entry)];
    offers.offers.push_back({costs_.cost(row, k) - prices[at(row)], entry});
  }
  const auto before = [](const Offer& a, const Offer& b) {
    return a.value != b.value ? a.value < b.value : a.entry < b.entry;
  };
  const std::int64_t all = std::ssize(offers.offers);
  offers.settled = open_.settled[at(j * clusters_ + k)];
  offers.first = std::clamp<std::int64_t>(counts.least - offers.settled, 0, all);
  const std::int64_t last =
      std::clamp<std::int64_t>(counts.most - offers.settled, offers.first, all);
  const auto begin = offers.offers.begin();
  if (offers.first > 0 && offers.first < all) {
    std::nth_element(begin, begin + offers.first, offers.offers.end(), before);
  }
  if (last > offers.first && last < all) {
    std::nth_element(begin + offers.first, begin + last, offers.offers.end(), before);
  }
  std::sort(begin + offers.first, begin + last, before);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < offers.first; ++i) sum += offers.offers[at(i)].value;
  offers.sums.assign(1, sum);
  offers.gainful = offers.first;
  for (std::int64_t i = offers.first; i < last; ++i) {
    const std::int64_t value = offers.offers[at(i)].value;
    if (value < 0) ++offers.gainful;
    offers.sums.push_back(offers.sums.back() + value);
  }
}

void RowBounds::list_offers(std::int64_t k, std::span<const std::int64_t> prices, Range levels) {
  const Range counts{levels.least, limits_.most(levels.most)};
  for (std::int64_t j = 0; j < groups_; ++j) list_offers(k, j, prices, counts);
}

void RowBounds::list_all_offers(std::int64_t k, std::span<const std::int64_t> prices) {
  const Range counts{0, std::numeric_limits<std::int64_t>::max()};
  for (std::int64_t j = 0; j < groups_; ++j) list_offers(k, j, prices, counts);
}

/// How many offers a level allows.
RowBounds::Range RowBounds::counts_of(const Offers& offers, std::int64_t level) const noexcept {
  return {std::max<std::int64_t>(level - offers.settled, 0),
          std::min<std::int64_t>(limits_.most(level) - offers.settled, std::ssize(offers.offers))};
}

/// Of the cluster whose offers are listed.
WideInteger RowBounds::cost_of_level(std::int64_t level) const noexcept {
  WideInteger cost = 0;
  for (const Offers& offers : offers_) {
    const Range counts = counts_of(offers, level);
    if (counts.is_empty()) return impossible;
    cost += offers.sum(std::clamp(offers.gainful, counts.least, counts.most));
  }
  return cost;
}

/// What is cheapest at a level.
void RowBounds::take(std::int64_t level) {
  for (const Offers& offers : offers_) {
    const Range counts = counts_of(offers, level);
    const std::int64_t count = std::clamp(offers.gainful, counts.least, counts.most);
    for (std::int64_t i = 0; i < count; ++i) {
      ++taken_[at(row_[at(offers.offers[at(i)].entry)])];
    }
  }
}

RowBound RowBounds::of_prices(const LevelBox& box, std::vector<std::int64_t> prices) {
  RowBound bound;
  bound.prices = std::move(prices);
  bound.value = open_.settled_cost;
  for (const std::int64_t row : open_.rows) bound.value += bound.prices[at(row)];
  std::ranges::fill(taken_, 0);
  for (std::int64_t k = 0; k < clusters_; ++k) {
    const std::int64_t low = box.low[at(k)];
    const std::int64_t high = box.high[at(k)];
    list_offers(k, bound.prices, {low, high});
    std::vector<WideInteger>& levels = bound.levels.emplace_back();
    for (std::int64_t level = low; level <= high; ++level) levels.push_back(cost_of_level(level));
    const auto least = std::ranges::min_element(levels);
    if (*least >= impossible) {
      bound.value = impossible;
      return bound;
    }
    bound.value += *least;
    take(low + (least - levels.begin()));
  }
  return bound;
}

RowBound RowBounds::improved(const LevelBox& box, RowBound start, std::int64_t enough,
                             int most_steps) {
  constexpr double longest = 0.7;  // part of the way to `enough`, where the bound were linear
  constexpr double shortest = 0.01;
  constexpr double memory = 0.5;
  constexpr int patience = 8;
  RowBound best = std::move(start);
  RowBound now = of_prices(box, best.prices);
  std::vector<double> direction(taken_.size(), 0.0);
  double part = longest;
  int in_vain = 0;
  for (int step = 0; step < most_steps && best.value < enough && part > shortest; ++step) {
    base::stop_point();
    double square = 0;
    for (const std::int64_t row : open_.rows) {
      double& of_row = direction[at(row)];
      of_row = memory * of_row + (1 - memory) * static_cast<double>(1 - taken_[at(row)]);
      square += of_row * of_row;
    }
    if (square == 0) break;
    const double length = part * static_cast<double>(enough - now.value) / square;
    const auto farthest = static_cast<double>(largest_price_ / 2);
    std::vector<std::int64_t> prices = std::move(now.prices);
    for (const std::int64_t row : open_.rows) {
      const std::int64_t change =
          std::llround(std::clamp(length * direction[at(row)], -farthest, farthest));
      prices[at(row)] = std::clamp(prices[at(row)] + change, -largest_price_, largest_price_);
    }
    now = of_prices(box, std::move(prices));
    if (now.value > best.value) {
      best = now;
      in_vain = 0;
    } else if (++in_vain == patience) {
      part /= 2;
      in_vain = 0;
    }
  }
  return best;
}

/// Adds what a level of this cost allows. The q cheapest offers but one are those before it, and
/// it is followed by the others.
void RowBounds::see_forced(const Offers& offers, Range counts, WideInteger cost,
                           std::vector<Forced>& forced) const {
  const std::int64_t all = std::ssize(offers.offers);
  const std::int64_t count = std::clamp(offers.gainful, counts.least, counts.most);
  const WideInteger others = cost - offers.sum(count);
  for (std::int64_t place = 0; place < all; ++place) {
    const auto [value, entry] = offers.offers[at(place)];
    Forced& of_entry = forced[at(entry)];
    if (place >= count) {
      of_entry.out = std::min(of_entry.out, cost);
      if (counts.most < 1) continue;
      const std::int64_t beside =
          std::clamp(offers.gainful, std::max<std::int64_t>(counts.least - 1, 0), counts.most - 1);
      of_entry.in = std::min(of_entry.in, others + offers.sum(beside) + value);
      continue;
    }
    of_entry.in = std::min(of_entry.in, cost);
    const std::int64_t most = std::min(counts.most, all - 1);
    if (counts.least > most) continue;
    const std::int64_t gainful = offers.gainful - (place < offers.gainful ? 1 : 0);
    const std::int64_t without = std::clamp(gainful, counts.least, most);
    const std::int64_t sum =
        without <= place ? offers.sum(without) : offers.sum(without + 1) - value;
    of_entry.out = std::min(of_entry.out, others + sum);
  }
}

void RowBounds::see_forced(const LevelBox& box, const RowBound& bound, std::int64_t k,
                           WideInteger room, std::vector<Forced>& forced) {
  list_all_offers(k, bound.prices);
  const std::vector<WideInteger>& costs = bound.levels[at(k)];
  const WideInteger least = std::ranges::min(costs);
  for (std::int64_t level = box.low[at(k)]; level <= box.high[at(k)]; ++level) {
    const WideInteger cost = costs[at(level - box.low[at(k)])];
    if (cost - least >= room) continue;
    for (const Offers& offers : offers_) {
      see_forced(offers, counts_of(offers, level), cost - least, forced);
    }
  }
}

OpenRows RowBounds::narrowed(const LevelBox& box, const RowBound& bound, WideInteger room) {
  std::vector<Forced> forced(row_.size());
  for (std::int64_t k = 0; k < clusters_; ++k) see_forced(box, bound, k, room, forced);
  std::vector<WideInteger> nowhere(taken_.size(), 0);  // what a row costs more in no cluster
  for (std::size_t entry = 0; entry < row_.size(); ++entry) {
    nowhere[at(row_[entry])] += forced[entry].out;
  }
  std::vector<char> stays(row_.size());
  for (std::size_t entry = 0; entry < row_.size(); ++entry) {
    const WideInteger elsewhere = nowhere[at(row_[entry])] - forced[entry].out;
    stays[at(open_entry_[entry])] = forced[entry].in + elsewhere < room ? 1 : 0;
  }
  return left(stays);
}

/// @param stays  of every cluster of an open row.
OpenRows RowBounds::left(const std::vector<char>& stays) const {
  OpenRows left;
  left.settled = open_.settled;
  left.settled_cost = open_.settled_cost;
  left.first.push_back(0);
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      if (stays[at(e)] != 0) left.clusters.push_back(open_.clusters[at(e)]);
    }
    left.end_row(costs_, open_.rows[i]);
  }
  return left;
}

void leave_out_levels(const RowBound& bound, WideInteger room, LevelBox& box) {
  for (std::size_t k = 0; k < box.low.size(); ++k) {
    const std::vector<WideInteger>& costs = bound.levels[k];
    const WideInteger most = std::ranges::min(costs) + room;
    const auto is_left = [most](WideInteger cost) { return cost < most; };
    const auto first = std::ranges::find_if(costs, is_left);
    const auto last = std::find_if(costs.rbegin(), costs.rend(), is_left);
    box.high[k] -= last - costs.rbegin();
    box.low[k] += first - costs.begin();
  }
}

}  // namespace fairfront::clustering
