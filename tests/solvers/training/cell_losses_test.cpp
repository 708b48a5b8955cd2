#include "solvers/training/cell_losses.hpp"

#include <gtest/gtest.h>

#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

TEST(CellLosses, DerivativesAreThoseByDifferences) {
  for (const auto loss : {models::LossKind::logistic, models::LossKind::square}) {
    const Data data(2, 270, 4, 3);
    const Problem problem = data.problem({}, Fairness::equalised_odds, loss);
    CellLosses losses(problem);
    std::vector<double> w{0.3, -0.2, 0.5, 0.1, -0.4};
    const std::size_t n = w.size();
    std::vector<double> v(losses.num_gaps());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 0.3 - 0.1 * static_cast<double>(i);
    const auto gradient_at = [&](std::span<const double> at) {
      losses.evaluate(at);
      std::vector<double> gradient(losses.gradient().begin(), losses.gradient().end());
      losses.add_pulled_back(v, gradient);
      return gradient;
    };
    const auto value_at = [&](std::span<const double> at) {
      losses.evaluate(at);
      double value = losses.loss();
      for (std::size_t i = 0; i < v.size(); ++i) value += v[i] * losses.gaps()[i];
      return value;
    };
    const std::vector<double> gradient = gradient_at(w);
    const Eigen::MatrixXd hessian = weighted_sum(losses.hessians(w), losses.weights(v));
    constexpr double h = 1e-5;  // errors h^2 and 1e-16 / h
    for (std::size_t a = 0; a < n; ++a) {
      std::vector<double> up = w, down = w;
      up[a] += h;
      down[a] -= h;
      EXPECT_NEAR(gradient[a], (value_at(up) - value_at(down)) / (2 * h), 1e-9);
      const auto g_up = gradient_at(up);
      const auto g_down = gradient_at(down);
      for (std::size_t b = 0; b < n; ++b) {
        EXPECT_NEAR(hessian(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)),
                    (g_up[b] - g_down[b]) / (2 * h), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::training
