#include "fitted_points.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "metrics/threshold_front.hpp"

namespace fairfront::bench {
namespace {

using experiments::DrawnThreshold;
using training::RateKind;

/// Of so many rows, each counted with that probability: for many rows a rounded normal number.
double binomial(double rows, double probability, base::Stream& stream) {
  if (!(probability > 0) || rows <= 0) return 0;
  if (probability > 0.5) return rows - binomial(rows, 1 - probability, stream);
  const double mean = rows * probability;
  if (mean >= 500) {
    const double drawn = mean + std::sqrt(mean * (1 - probability)) * stream.normal();
    return std::clamp(std::round(drawn), 0.0, rows);
  }
  // From one counted row to the next.
  const double scale = std::log1p(-probability);
  double counted = -1;
  for (double at = 0; at <= rows; counted += 1) {
    at += 1 + std::floor(std::log1p(-stream.uniform()) / scale);
  }
  return counted;
}

struct Rows {
  std::vector<double> score, label;
  std::vector<std::int32_t> group;
};

/// Of groups that are as large as each other exactly as many rows, so that their rates can be
/// equal.
Rows drawn_rows(const Scores& scores, std::size_t count, base::Stream& stream) {
  Rows rows;
  const std::size_t groups = scores.groups.size();
  const bool equal = scores.groups.front().share == scores.groups.back().share;
  for (std::size_t row = 0; row < count; ++row) {
    std::size_t g = row % groups;
    if (!equal) {
      double along = stream.uniform();
      for (g = 0; g + 1 < groups && along >= scores.groups[g].share; ++g) {
        along -= scores.groups[g].share;
      }
    }
    const Scores::Group& of = scores.groups[g];
    const double label = stream.uniform() < of.positive ? 1 : 0;
    rows.group.push_back(static_cast<std::int32_t>(g));
    rows.label.push_back(label);
    rows.score.push_back(of.mean + of.distance * (label - 0.5) + stream.normal());
  }
  return rows;
}

/// Of the point with the least gap.
std::vector<DrawnThreshold> fitted(const Rows& rows, std::size_t groups, const Fit& fit) {
  const metrics::Scored scored{rows.score, rows.label, rows.group,
                               static_cast<std::int64_t>(groups)};
  if (fit.draws) {
    return experiments::drawn_threshold_front(scored, fit.gap, 2).points.back().draw;
  }
  const metrics::ThresholdFront front = metrics::threshold_front(
      scored, fit.gap == RateKind::demographic_parity ? metrics::ThresholdGap::demographic_parity
                                                      : metrics::ThresholdGap::equalised_odds);
  std::vector<DrawnThreshold> thresholds;
  for (const double threshold : front.points.back().thresholds) {
    thresholds.push_back({static_cast<std::int32_t>(thresholds.size()), threshold, 1});
  }
  return thresholds;
}

}  // namespace

double Scores::above(std::size_t group, std::size_t label, double threshold) const {
  const Group& of = groups[group];
  const double share = of.share * (label == 1 ? of.positive : 1 - of.positive);
  const double mean = of.mean + of.distance * (static_cast<double>(label) - 0.5);
  return share * std::erfc((threshold - mean) / std::sqrt(2.0)) / 2;
}

Scores drawn_scores(std::size_t groups, bool equal, base::Stream& stream) {
  Scores scores;
  const double largest = groups > 4 ? 2 : 3;
  double sum = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const double along = static_cast<double>(g) / static_cast<double>(groups - 1);
    const double size = equal ? 1 : 1 + (largest - 1) * along;
    scores.groups.push_back(
        {size, 0.25 + 0.35 * stream.uniform(), 0.5 * stream.normal(), 0.8 + stream.uniform()});
    sum += size;
  }
  for (Scores::Group& of : scores.groups) of.share /= sum;
  return scores;
}

FittedPoint::FittedPoint(const Scores& scores, const Fit& fit, std::size_t rows,
                         base::Stream& stream)
    : gap_{fit.gap}, groups_{scores.groups.size()} {
  const Rows drawn = drawn_rows(scores, rows, stream);
  const std::vector<DrawnThreshold> draw = fitted(drawn, groups_, fit);
  on_fitted_ = none();
  for (std::size_t g = 0; g < groups_; ++g) {
    std::vector<DrawnThreshold> mine;
    std::ranges::copy_if(draw, std::back_inserter(mine), [&](const DrawnThreshold& one) {
      return one.group == static_cast<std::int32_t>(g);
    });
    mine.push_back({static_cast<std::int32_t>(g), -std::numeric_limits<double>::infinity(), 0});
    for (std::size_t label = 0; label < 2; ++label) {
      double above = 0, decided = 1;
      for (const DrawnThreshold& one : mine) {  // thresholds descend
        const double share = scores.above(g, label, one.threshold);
        cells_.push_back({g, label, share - above, decided});
        above = share;
        decided = std::max(0.0, decided - one.probability);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (drawn.group[row] != static_cast<std::int32_t>(g)) continue;
      double decided = 0;
      for (const DrawnThreshold& one : mine) {
        if (drawn.score[row] >= one.threshold) decided += one.probability;
      }
      add(on_fitted_, {g, static_cast<std::size_t>(drawn.label[row]), 0, decided}, 1);
    }
  }
}

Counts FittedPoint::on_new(double rows, base::Stream& stream) const {
  Counts counts = none();
  double left = rows, share = 1;
  for (const Cell& cell : cells_) {
    const double here = binomial(left, std::min(1.0, cell.share / share), stream);
    add(counts, cell, here);
    left -= here;
    share = std::max(1e-300, share - cell.share);
  }
  return counts;
}

Counts FittedPoint::in_truth() const {
  Counts shares = none();
  for (const Cell& cell : cells_) add(shares, cell, cell.share);
  return shares;
}

Counts FittedPoint::none() const {
  const std::size_t rates = gap_ == RateKind::equalised_odds ? 2 : 1;
  const std::vector<std::vector<double>> zeros(rates, std::vector<double>(groups_, 0.0));
  return {zeros, zeros};
}

void FittedPoint::add(Counts& counts, const Cell& cell, double rows) const {
  if (gap_ == RateKind::equal_opportunity && cell.label == 0) return;
  const std::size_t rate = gap_ == RateKind::equalised_odds ? cell.label : 0;
  counts.rows[rate][cell.group] += rows;
  counts.hits[rate][cell.group] += rows * cell.decided;
}

}  // namespace fairfront::bench
