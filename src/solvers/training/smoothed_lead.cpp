#include "solvers/training/smoothed_lead.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairfront::training {

void lead_smoothed(LastLayer& layer, std::span<const double> start, const LastLayerOptions& options,
                   LastLayerResult& best) {
  constexpr std::array<double, 3> widths{0.15, 0.1, 0.07};
  constexpr std::array<double, 3> shares{1, 0.5, 0.2};  // of the bound
  constexpr double cap = 10;  // evaluations are too few to find out that 1 does not lead within
  const std::vector<double> known = best.v;
  const std::int64_t spent = best.evaluations, left = options.evaluations - spent;
  const std::int64_t most = left * 85 / 100, each = most / std::ssize(shares);
  std::vector<double> v(start.begin(), start.end());
  for (std::size_t k = 0; k < shares.size() && (best.v == known || best.excess > 0); ++k) {
    if (each < 2 || best.evaluations + each - spent > most) break;
    const std::vector<double> rates = layer.smooth_decisions(v, widths[k]);
    ++best.evaluations;
    Descent descent(layer, options, best);
    descent.aim_at(layer.constraints().inside(options.delta, shares[k], rates));
    descent.price(cap);
    v = descent.run(v, each - 1).v;
  }
  layer.count_decisions();
}

}  // namespace fairfront::training
