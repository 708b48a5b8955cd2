#include "solvers/training/rounded_lead.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/elementary.hpp"

namespace fairfront::training {

LastLayerPoint lead_rounded(LastLayer& layer, std::span<const double> start,
                            const RoundedLead& lead, const LastLayerOptions& options,
                            LastLayerResult& best) {
  constexpr double narrowest = 0.01, narrower = 0.3;
  const std::int64_t end = std::min(best.evaluations + lead.evaluations, options.evaluations);
  Descent descent(layer, options, best);
  descent.price(lead.price);
  if (lead.aim > 0) descent.aim_at(lead.aim);
  std::int64_t stages = 0;
  for (double width = lead.widest; width > narrowest; width *= narrower) ++stages;
  LastLayerPoint at{.v = {start.begin(), start.end()}};
  for (double width = lead.widest; stages > 0 && end - best.evaluations > 1; width *= narrower) {
    at = descent.look(std::move(at.v));
    layer.round_hinge(width);
    descent.damp(1e-2);
    const std::int64_t left = end - best.evaluations;
    at = descent.run(at.v, (left + stages - 1) / stages);
    layer.bend_hinge();
    --stages;
  }
  return at;
}

LastLayerPoint follow_path(LastLayer& layer, std::span<const double> start, const RoundedLead& lead,
                           const LastLayerOptions& options, LastLayerResult& best) {
  constexpr double no_bound = 1e300;
  const std::int64_t end = std::min(best.evaluations + lead.evaluations, options.evaluations);
  const auto left = [&] { return end - best.evaluations; };
  Descent descent(layer, options, best);
  descent.price(lead.price);
  LastLayerPoint at = descent.look({start.begin(), start.end()});
  layer.round_hinge(lead.widest);
  descent.aim_at(no_bound);
  at = descent.run(at.v, left() / 5);
  layer.bend_hinge();
  const std::int64_t steps = std::clamp<std::int64_t>(left() / 5, 1, 12);
  const double largest = at.decided_gap();
  for (std::int64_t k = 1; k <= steps && left() > 1; ++k) {
    at = descent.look(std::move(at.v));
    layer.round_hinge(lead.widest);
    const double share = static_cast<double>(k) / static_cast<double>(steps);
    descent.aim_at(largest > options.delta
                       ? largest * base::exp(share * base::log(options.delta / largest))
                       : options.delta);
    descent.damp(1e-2);
    at = descent.run(at.v, std::max<std::int64_t>(1, left() / (steps - k + 1)));
    layer.bend_hinge();
  }
  return at;
}

}  // namespace fairfront::training
