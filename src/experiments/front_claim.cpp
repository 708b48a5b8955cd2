#include "experiments/front_claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/stop.hpp"
#include "base/text.hpp"

namespace fairfront::experiments {
namespace {

std::string text_of(std::span<const double> values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(base::format_double(value));
  return base::join(texts, ", ");
}

}  // namespace

sweep::Claim front_claim(const PointsOf& points, const results::Findings& findings) {
  const std::size_t count = findings.front.points.size() / points.objectives;
  sweep::Claim claim{
      fmt::format("the {} of {} points have their {}", points.solutions, count, points.have), ""};
  const auto solutions = findings.solutions.find(points.solutions);
  if (solutions == findings.solutions.end() || solutions->second.size() != count) {
    claim.refuted = "there are not as many " + points.solutions;
    return claim;
  }
  for (std::size_t point = 0; point < count && claim.refuted.empty(); ++point) {
    base::stop_point();
    const auto stored =
        std::span(findings.front.points).subspan(point * points.objectives, points.objectives);
    const std::vector<double> found = points.objectives_of(solutions->second[point]);
    if (std::ranges::equal(found, stored)) continue;
    claim.refuted = found.empty()
                        ? fmt::format("point {} has no {} of this problem", point, points.solutions)
                        : fmt::format("point {} has {}, its {} {}", point, text_of(stored),
                                      points.solutions, text_of(found));
  }
  return claim;
}

}  // namespace fairfront::experiments
