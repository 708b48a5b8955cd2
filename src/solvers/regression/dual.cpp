#include "solvers/regression/dual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/stop.hpp"

namespace fairfront::regression {
namespace {

constexpr std::int64_t rows_between_stops = 256;

void require(bool holds, std::string_view what) {
  if (!holds) throw std::invalid_argument(std::string{what});
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// sums[s, l] += pi[l] t_s.
void add_products(std::span<const double> tilt, std::span<const double> pi,
                  std::span<double> sums) {
  const std::size_t n = pi.size();
  for (std::size_t s = 0; s < tilt.size(); ++s) {
    const double t = tilt[s];
    double* const of_group = sums.data() + s * n;
    for (std::size_t l = 0; l < n; ++l) of_group[l] += t * pi[l];
  }
}

}  // namespace

PredictedRows predicted_rows(std::span<const double> eta, std::span<const double> tau,
                             std::span<const double> p) {
  require(!p.empty() && tau.size() == eta.size() * p.size(),
          "predicted_rows: tau must have a row for each of eta and a column for each of p");
  require(all_finite(eta) && all_finite(tau) && all_finite(p),
          "predicted_rows: every value must be finite");
  require(std::ranges::all_of(p, [](double share) { return share > 0; }),
          "predicted_rows: every share p must be > 0");
  PredictedRows rows{std::ssize(p),
                     {eta.begin(), eta.end()},
                     std::vector<double>(tau.size()),
                     {p.begin(), p.end()}};
  for (std::size_t i = 0; i < tau.size(); ++i) rows.tilt[i] = models::tilt(tau[i], p[i % p.size()]);
  return rows;
}

std::vector<double> mean_shares(std::span<const double> tau, std::int64_t groups) {
  const auto columns = static_cast<std::size_t>(groups);
  std::vector<double> shares(columns, 0.0);
  for (std::size_t i = 0; i < tau.size(); ++i) shares[i % columns] += tau[i];
  const double rows = static_cast<double>(tau.size()) / static_cast<double>(groups);
  for (double& share : shares) share /= rows;
  return shares;
}

double gradient_variance(std::span<const double> p) {
  double sum = 0;
  for (const double share : p) sum += (1 - share) / share;
  return sum;
}

DualProblem::DualProblem(const PredictedRows& rows, const Grid& grid, double beta,
                         std::vector<double> epsilon)
    : rows_{&rows}, prediction_{grid, rows.groups, beta}, epsilon_{std::move(epsilon)} {
  require(rows.rows() >= 1, "DualProblem: no rows");
  require(std::ssize(rows.tilt) == rows.rows() * rows.groups,
          "DualProblem: PredictedRows::tilt must have shape (N, K)");
  require(std::ssize(epsilon_) == rows.groups, "DualProblem: epsilon must have a value a group");
  require(all_finite(epsilon_) && std::ranges::all_of(epsilon_, [](double e) { return e >= 0; }),
          "DualProblem: every epsilon must be >= 0");
}

/// @param moments  gets the sums of pi(l | x) t_s(x), shape (K, n), if it is not empty.
double DualProblem::accumulate(std::span<const double> w, std::span<double> moments) const {
  const std::vector<double> d = difference_of(w);
  std::vector<double> pi(static_cast<std::size_t>(atoms()));
  double sum = 0;
  for (std::int64_t row = 0; row < rows_->rows(); ++row) {
    if (row % rows_between_stops == 0) base::stop_point();
    const auto tilt = rows_->tilts(row);
    sum += prediction_(rows_->eta[static_cast<std::size_t>(row)], tilt, d, pi);
    if (!moments.empty()) add_products(tilt, pi, moments);
  }
  double slack = 0;
  const auto half = static_cast<std::size_t>(half_size());
  for (std::size_t i = 0; i < half; ++i) {
    slack += epsilon_[i / pi.size()] * (w[i] + w[half + i]);
  }
  return sum / static_cast<double>(rows_->rows()) + slack;
}

double DualProblem::value(std::span<const double> w) const { return accumulate(w, {}); }

double DualProblem::value_and_gradient(std::span<const double> w,
                                       std::span<double> gradient) const {
  const auto half = static_cast<std::size_t>(half_size());
  const auto n = static_cast<std::size_t>(atoms());
  const auto moments = gradient.first(half);
  std::ranges::fill(moments, 0.0);
  const double value = accumulate(w, moments);
  for (std::size_t i = 0; i < half; ++i) {
    const double moment = moments[i] / static_cast<double>(rows_->rows());
    gradient[half + i] = epsilon_[i / n] - moment;
    gradient[i] = epsilon_[i / n] + moment;
  }
  return value;
}

void DualProblem::stochastic_gradient(std::span<const double> w, std::int64_t row,
                                      std::span<double> gradient) const {
  const std::vector<double> d = difference_of(w);
  std::vector<double> pi(static_cast<std::size_t>(atoms()));
  const auto tilt = rows_->tilts(row);
  prediction_(rows_->eta[static_cast<std::size_t>(row)], tilt, d, pi);
  const auto half = static_cast<std::size_t>(half_size());
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t s = i / pi.size();
    const double moment = pi[i % pi.size()] * tilt[s];
    gradient[i] = moment + epsilon_[s];
    gradient[half + i] = -moment + epsilon_[s];
  }
}

std::vector<double> atom_gaps(const PredictedRows& rows, const SoftPrediction& prediction,
                              std::span<const double> d) {
  std::vector<double> gaps(d.size(), 0.0);
  std::vector<double> pi(prediction.atoms().size());
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    if (row % rows_between_stops == 0) base::stop_point();
    const auto tilt = rows.tilts(row);
    prediction(rows.eta[static_cast<std::size_t>(row)], tilt, d, pi);
    add_products(tilt, pi, gaps);
  }
  for (double& gap : gaps) gap /= static_cast<double>(rows.rows());
  return gaps;
}

double gradient_map_norm(std::span<const double> w, std::span<const double> gradient,
                         double alpha) {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    // (w - max(0, w - alpha g)) / alpha, without the cancellation
    const double component = std::min(gradient[i], w[i] / alpha);
    sum += component * component;
  }
  return std::sqrt(sum);
}

std::vector<double> least_epsilon(const PredictedRows& rows, const Grid& grid) {
  std::vector<double> means(static_cast<std::size_t>(rows.groups), 0.0);
  for (std::size_t i = 0; i < rows.tilt.size(); ++i) means[i % means.size()] += rows.tilt[i];
  for (double& mean : means) {
    mean = std::abs(mean) / (static_cast<double>(rows.rows()) * static_cast<double>(grid.atoms()));
  }
  return means;
}

}  // namespace fairfront::regression
