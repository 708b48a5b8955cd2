// The front of (x - 1)^2 and (x + 1)^2 over [-2, 2].
#include <cmath>
#include <fairfront/fairfront.hpp>
#include <iostream>

int main() {
  namespace alternating = fairfront::alternating;
  const fairfront::optimise::Box box(1, -2, 2);
  const auto value = [](auto i, auto x) { return std::pow(x[0] - (i == 0 ? 1 : -1), 2); };
  const auto gradient = [](auto i, auto x, auto out) { out[0] = 2 * (x[0] - (i == 0 ? 1 : -1)); };
  const auto found = alternating::epsilon_constraint({box, value, gradient}, {}, 1, "example");
  for (const auto& [x, f, weights] : found.front) std::cout << f[0] << ' ' << f[1] << '\n';
}
