#include "solvers/ranking/score_starts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/index.hpp"
#include "base/random.hpp"

namespace fairfront::ranking {

using base::at;

ScoreStarts::ScoreStarts(const ExactAuc& exact)
    : exact_{exact},
      narrowest_kappa_{exact.losses().surrogate().infeasible_kappa()},
      void_kappa_{exact.void_kappa()} {}

std::optional<ScorePlane> ScoreStarts::plane(const std::vector<double>& from,
                                             const std::vector<double>& by) const {
  const Eigen::MatrixXd& matrix = exact_.losses().objective_matrix();
  Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(from.data(), std::ssize(from));
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(by.data(), std::ssize(by));
  const auto norm = [&](const Eigen::VectorXd& x) {
    return std::sqrt(std::max(0.0, x.dot(matrix * x)));
  };
  u /= norm(u);
  v /= norm(v);
  v -= u.dot(matrix * v) * u;
  const double apart = norm(v);
  if (!(apart > 1e-6)) return {};
  v /= apart;
  return ScorePlane{{u.begin(), u.end()}, {v.begin(), v.end()}};
}

std::optional<ScorePlane> ScoreStarts::plane_of_means() const {
  const std::vector<double> unfair = best_surrogate();
  std::vector<double> by = exact_.tilted(1);
  const std::vector<double> whole = exact_.tilted(0);
  for (std::size_t j = 0; j < by.size(); ++j) by[j] -= whole[j];
  auto found = plane(unfair, by);
  return found ? found : plane(unfair, any_direction(-1));
}

std::vector<double> ScoreStarts::any_direction(std::int64_t index) const {
  base::Stream stream(base::StreamKey(1, "direct_auc", "directions"),
                      static_cast<std::uint64_t>(index));
  std::vector<double> z(at(exact_.rank()));
  for (double& value : z) value = stream.normal();
  return exact_.weights(z);
}

std::vector<double> ScoreStarts::best_surrogate() const {
  std::vector<double> w = exact_.tilted(0);
  const bool is_constant = std::ranges::all_of(w, [](double value) { return value == 0; });
  return is_constant ? any_direction(-2) : w;
}

std::vector<double> ScoreStarts::optimum(double at) const {
  const double kappa = narrowest_kappa_ + (void_kappa_ - narrowest_kappa_) * at * at;
  return kappa > narrowest_kappa_ ? exact_.solve(kappa).w : exact_.unconstrained().w;
}

std::vector<double> ScoreStarts::without_features(std::int64_t count) const {
  std::vector<double> w = exact_.tilted(0);
  const Eigen::VectorXd& slope = exact_.losses().constraints()[0].slope;
  std::vector<std::int64_t> order(w.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::int64_t j) { return std::abs(slope[j] * w[at(j)]); });
  for (std::int64_t k = 0; k < count; ++k) w[at(order[at(k)])] = 0;
  return w;
}

double radical_inverse(std::int64_t number) {
  double inverse = 0;
  for (double digit = 0.5; number > 0; number /= 2, digit /= 2) {
    inverse += static_cast<double>(number % 2) * digit;
  }
  return inverse;
}

}  // namespace fairfront::ranking
