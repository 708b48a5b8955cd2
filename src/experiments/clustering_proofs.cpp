#include "experiments/clustering_proofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "base/stop.hpp"
#include "base/text.hpp"
#include "experiments/front_claim.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/lower_bound.hpp"
#include "solvers/clustering/partition.hpp"

namespace fairfront::experiments {
namespace {

using clustering::Problem;
using results::Findings;
using results::SolutionValues;
using sweep::Claim;

/// What is stored by rows as labels of the problem's points; empty where it is none. An archive
/// stores the labels of all its tasks as wide as its most clusters need, this problem may have
/// fewer.
template <class Label>
std::vector<Label> labels_by_point(const Problem& problem, const SolutionValues& by_row) {
  return std::visit(
      [&]<class Stored>(const std::vector<Stored>& stored) {
        std::vector<Label> labels;
        if constexpr (std::integral<Stored>) {
          const auto is_cluster = [&](Stored k) { return k < problem.clusters(); };
          if (std::ssize(stored) != problem.points() || !std::ranges::all_of(stored, is_cluster)) {
            return labels;
          }
          for (std::int64_t p = 0; p < problem.points(); ++p) {
            labels.push_back(static_cast<Label>(stored[static_cast<std::size_t>(problem.row(p))]));
          }
        }
        return labels;
      },
      by_row);
}

/// The cost and the balances of labels of rows, in the units of a front; empty where they are no
/// labels of the problem.
template <class Label>
std::vector<double> objectives_of(const Problem& problem, const SolutionValues& by_row) {
  const std::vector<Label> labels = labels_by_point<Label>(problem, by_row);
  if (labels.empty()) return {};
  clustering::Partition<Label> partition(problem);
  partition.assign(problem, labels);
  std::vector<double> values = partition.objectives(problem);
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = 0.0 - values[i];
  return values;
}

Claim labels_claim(const Problem& problem, const Findings& findings) {
  return front_claim({.solutions = "labels",
                      .have = "costs and balances",
                      .objectives = static_cast<std::size_t>(problem.objectives()),
                      .objectives_of =
                          [&](const SolutionValues& labels) {
                            return clustering::with_label_type(problem, [&]<class Label>(Label) {
                              return objectives_of<Label>(problem, labels);
                            });
                          }},
                     findings);
}

Claim bound_claim(const Problem& problem, const sweep::Task& task, const Findings& findings) {
  const auto options = sweep::read_section<clustering::LowerBoundOptions>(task, task.method);
  const auto metric = findings.metrics.find("cost_lower");
  const double lower = metric == findings.metrics.end() ? std::nan("") : metric->second;
  Claim claim{fmt::format("no clustering with a balance of at least {} costs less than {}",
                          base::format_double(options.floor), base::format_double(lower)),
              ""};
  const auto stored = findings.solutions.find("potentials");
  const std::vector<double>* potentials = nullptr;
  if (stored != findings.solutions.end() && stored->second.size() == 1) {
    potentials = std::get_if<std::vector<double>>(&stored->second.front());
  }
  const double most = std::numeric_limits<double>::max() / static_cast<double>(problem.points());
  if (potentials == nullptr || std::ssize(*potentials) != problem.points() || !(lower >= 0) ||
      !std::isfinite(lower) ||
      !std::ranges::all_of(*potentials, [&](double pi) { return std::abs(pi) <= most; })) {
    claim.refuted =
        "there is not one potential for every row, or a number or their sum is not finite";
    return claim;
  }
  const solvers::Control control{.request = [] {
    base::stop_point();
    return solvers::Request::go_on;
  }};
  // Where the run's own proof ended at its last box, that box is looked at once more.
  constexpr std::int64_t more = 1000;
  const clustering::ProvenBound proven = clustering::prove_lower_bound(
      problem, options.floor, lower, *potentials, options.boxes + more, control);
  if (proven.cost_lower >= lower) return claim;
  claim.refuted = fmt::format("{} is proven, with {} boxes", base::format_double(proven.cost_lower),
                              proven.boxes);
  return claim;
}

}  // namespace

std::vector<Claim> clustering_claims(const Problem& problem, const sweep::Task& task,
                                     const Findings& findings) {
  std::vector<Claim> claims{labels_claim(problem, findings)};
  if (task.method == "lower_bound") claims.push_back(bound_claim(problem, task, findings));
  return claims;
}

}  // namespace fairfront::experiments
