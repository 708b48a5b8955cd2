#include "metrics/auc_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stop.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::metrics {
namespace {

using Cells = std::vector<bool>;

/// weight AUC(alone_above, alone_below), two sets without a common row, and the sets from whose
/// AUC its error is taken: where one set is a part of the other, these, since the rows tell how
/// large a part.
struct DisjointTerm {
  double weight;
  Cells alone_above, alone_below;
  Cells above, below;
  double share = 1;  ///< of the pairs of `above` and `below` that are without a common row
};

Cells difference(const Cells& a, const Cells& b) {
  Cells left = a;
  for (std::size_t c = 0; c < a.size(); ++c) left[c] = a[c] && !b[c];
  return left;
}

bool share_rows(const Cells& a, const Cells& b) {
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c] && b[c]) return true;
  }
  return false;
}

/// The terms of a signed AUC of two sets: what they share is taken out, and is one half against
/// itself, which goes to the constant.
void add_disjoint(const RowsInOrder& rows, double sign, const Cells& above, const Cells& below,
                  std::vector<DisjointTerm>& terms, double& constant) {
  const Cells above_alone = difference(above, below);
  const Cells below_alone = difference(below, above);
  const Cells shared = difference(above, above_alone);
  const double pairs = rows.size_of(above) * rows.size_of(below);
  const bool part = rows.size_of(above_alone) == 0 || rows.size_of(below_alone) == 0;
  const auto add = [&](const Cells& a, const Cells& b) {
    const double share = rows.size_of(a) * rows.size_of(b) / pairs;
    if (share == 0) return;
    const bool whole = part || rows.size_of(shared) == 0;
    terms.push_back({sign * share, a, b, whole ? above : a, whole ? below : b, whole ? share : 1});
  };
  add(above_alone, below_alone);
  add(above_alone, shared);
  add(shared, below_alone);
  constant += sign * rows.size_of(shared) * rows.size_of(shared) / (2 * pairs);
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// The squared error of a term, by the two sets without a common row, and all in all.
struct Variance {
  double of_above = 0, of_below = 0;
  double above, below;  ///< rows of the sets

  [[nodiscard]] double all() const { return of_above + of_below; }
  /// Of freedom: Satterthwaite (1946).
  [[nodiscard]] double degrees() const {
    const auto part = [](double variance, double rows) {
      return variance > 0 ? variance * variance / (rows - 1) : 0;
    };
    return all() * all() / (part(of_above, above) + part(of_below, below));
  }
};

/// The sums of what every row adds over all its roles, squared.
Variance variance_of(const RowsInOrder& rows, const DisjointTerm& term,
                     const Influence& influence) {
  Variance found{0, 0, rows.size_of(term.alone_above), rows.size_of(term.alone_below)};
  if (!share_rows(term.above, term.below)) {
    found.of_above = sum_of_squares(influence.of_above);
    found.of_below = sum_of_squares(influence.of_below);
    return found;
  }
  std::vector<double> of_row(rows.rows(), 0.0);
  influence.add_to(of_row, 1);
  const bool above_is_part = term.above == term.alone_above;
  double of_part = 0;
  for (const std::uint32_t row : above_is_part ? influence.above : influence.below) {
    of_part += of_row[row] * of_row[row];
  }
  const double of_rest = std::max(0.0, sum_of_squares(of_row) - of_part);
  found.of_above = above_is_part ? of_part : of_rest;
  found.of_below = above_is_part ? of_rest : of_part;
  return found;
}

Estimate estimate_of(const DisjointTerm& term, double auc, const Variance& variance) {
  const double least = std::min(variance.above, variance.below);
  const double square = variance.all() / (term.share * term.share);
  Estimate estimate{auc, Law::proportion, least};
  if (!(square > 0)) return estimate;
  estimate.size = std::clamp(auc * (1 - auc) / square, least, variance.above + variance.below);
  estimate.degrees = variance.degrees();
  estimate.least_size = least;
  return estimate;
}

/// Of two AUCs: the products of what each row adds to both, over both errors.
double correlation(const RowsInOrder& rows, const Influence& a, const Influence& b, double error_a,
                   double error_b) {
  if (!(error_a > 0 && error_b > 0)) return 0;
  std::vector<double> of_row(rows.rows(), 0.0);
  a.add_to(of_row, 1);
  double products = 0;
  for (std::size_t i = 0; i < b.above.size(); ++i) products += of_row[b.above[i]] * b.of_above[i];
  for (std::size_t i = 0; i < b.below.size(); ++i) products += of_row[b.below[i]] * b.of_below[i];
  return std::clamp(products / (error_a * error_b), -1.0, 1.0);
}

bool share_rows(const DisjointTerm& a, const DisjointTerm& b) {
  return share_rows(a.above, b.above) || share_rows(a.above, b.below) ||
         share_rows(a.below, b.above) || share_rows(a.below, b.below);
}

}  // namespace

EstimatedSum estimated(const RowsInOrder& rows, const AucSum& sum) {
  EstimatedSum found;
  found.sum.constant = sum.constant;
  std::vector<DisjointTerm> terms;
  for (const AucTerm& term : sum.terms) {
    for (const RowSet& set : {term.above, term.below}) {
      if (rows.size_of(rows.cells_of(set)) == 0) return {{}, fmt::format("no {}", set.name())};
    }
    add_disjoint(rows, term.sign, rows.cells_of(term.above), rows.cells_of(term.below), terms,
                 found.sum.constant);
  }
  // Of one set with itself: what other rows would tell is not known.
  if (terms.empty()) return {{}, "the same rows on both sides"};
  std::vector<Influence> influences;
  std::vector<double> errors;
  for (const DisjointTerm& term : terms) {
    const Influence& influence = influences.emplace_back(rows.influence(term.above, term.below));
    const Variance variance = variance_of(rows, term, influence);
    errors.push_back(std::sqrt(variance.all()));
    // What is shared is one half against itself.
    const double auc = std::clamp((influence.auc - (1 - term.share) / 2) / term.share, 0.0, 1.0);
    found.sum.weights.push_back(term.weight);
    found.sum.estimates.push_back(estimate_of(term, auc, variance));
  }
  const std::size_t count = terms.size();
  found.sum.correlations.assign(count * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!share_rows(terms[i], terms[j])) continue;
      found.sum.correlations[i * count + j] =
          correlation(rows, influences[i], influences[j], errors[i], errors[j]);
    }
  }
  return found;
}

Interval interval_of(const Scored& scored, const AucSum& sum, double level, double lowest,
                     double highest) {
  const EstimatedSum found = ordered(scored)->estimate(sum);
  if (!found.missing.empty()) return {.undefined_reason = found.missing};
  const Limits limits = outer_limits_of(found.sum, (1 - level) / 2);
  return {std::max(lowest, limits.low()), std::min(highest, limits.high()), {}};
}

Interval interval_of_largest(const Scored& scored, const std::vector<AucSum>& sums, double level) {
  const auto sample = ordered(scored);
  std::vector<WeightedSum> weighted;
  for (const AucSum& sum : sums) {
    base::stop_point();
    EstimatedSum found = sample->estimate(sum);
    if (!found.missing.empty()) return {.undefined_reason = std::move(found.missing)};
    weighted.push_back(std::move(found.sum));
  }
  return interval_of_largest(absolute_values(std::move(weighted)), level);
}

}  // namespace fairfront::metrics
