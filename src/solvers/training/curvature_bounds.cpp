#include "solvers/training/curvature_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/elementary.hpp"

namespace fairfront::training {
namespace {

constexpr double step = 0.05;  ///< of z and of reach
constexpr double largest_z = 14;
constexpr auto z_points = static_cast<std::size_t>(largest_z / step + 1.5);
constexpr auto reach_points =
    static_cast<std::size_t>(FourthDerivatives::largest_reach / step + 1.5);

/// Of |sigma''| and |sigma''''|: 1 / (6 sqrt 3) = 0.09623 and 0.12770.
constexpr double most_second = 0.0963;
constexpr double most_fourth = 0.128;

double third_derivative(double z) {
  const double s = base::sigmoid(z);
  const double u = s * (1 - s);
  return u * (1 - 6 * u);
}

/// r(z, t) by Simpson's rule: error below 1e-6 for |t| <= 4.
double averaged_third(double z, double t) {
  constexpr int intervals = 48;
  double sum = 0;
  for (int i = 0; i < intervals; ++i) {  // the weight at s = 1 is 0
    const double s = static_cast<double>(i) / intervals;
    const double left = 1 - s;
    sum += (i == 0 ? 1 : 2 + 2 * (i % 2)) * left * left * left * third_derivative(z + s * t);
  }
  return 4 * sum / (3 * intervals);
}

}  // namespace

Range averaged_curvature(double z, double reach) {
  const double a = std::abs(z);
  const double s = base::sigmoid(a);
  constexpr double small = 0.01;  // below it the formula loses too many digits
  if (reach < small) {
    const double at = s * (1 - s);
    const double change = most_second * reach / 3 + 1e-15;
    return {std::max(0.0, at - change), at + change};
  }
  const double at = base::softplus(a);
  const auto k = [&](double t) { return 2 * (base::softplus(a + t) - at - s * t) / (t * t); };
  // Three rounded terms of the size of a + reach, over t^2 >= 1e-4.
  const auto margin = [&](double t) { return 4e-15 * (1 + a + std::abs(t)) / (t * t); };
  const double highest = 2 * a;
  double most = s * (1 - s);
  if (highest >= small) {
    const double t = std::min(reach, highest);
    most = k(-t) + margin(t);
  } else {
    most += most_second * highest / 3 + 1e-15;  // the maximum is that near
  }
  return {std::max(0.0, k(reach) - margin(reach)), most};
}

FourthDerivatives::FourthDerivatives() : table_(z_points * reach_points) {
  constexpr double between =
      most_fourth * (step / 2 + step / 10) + 1e-5;  // z, t and Simpson's rule
  for (std::size_t i = 0; i < z_points; ++i) {
    const double z = step * static_cast<double>(i);
    Range seen{third_derivative(z), third_derivative(z)};
    for (std::size_t j = 0; j < reach_points; ++j) {
      const double t = step * static_cast<double>(j);
      for (const double value : {averaged_third(z, t), averaged_third(z, -t)}) {
        seen = {std::min(seen.least, value), std::max(seen.most, value)};
      }
      table_[i * reach_points + j] = {seen.least - between, seen.most + between};
    }
  }
}

Range FourthDerivatives::operator()(double z, double reach) const {
  const double a = std::abs(z);                   // sigma''' is even
  if (!(a <= largest_z)) return {-0.125, 0.042};  // of sigma''' everywhere: -1/8 to 1/24
  const auto i = static_cast<std::size_t>(a / step + 0.5);
  const auto j = static_cast<std::size_t>(std::ceil(reach / step));
  return table_[i * reach_points + std::min(j, reach_points - 1)];
}

}  // namespace fairfront::training
