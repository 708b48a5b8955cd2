#include "experiments/alternating_measures.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "base/error.hpp"
#include "experiments/measured.hpp"
#include "solvers/alternating/data_minimum.hpp"

namespace fairfront::experiments {
namespace {

using alternating::DataProblem;

/// The solutions of that name, each of them real numbers. @throws base::DamagedError  they are not.
std::vector<std::vector<double>> vectors_of(const results::Findings& findings,
                                            const std::string& name) {
  std::vector<std::vector<double>> vectors;
  const auto found = findings.solutions.find(name);
  if (found == findings.solutions.end()) return vectors;
  for (const results::SolutionValues& values : found->second) {
    const auto* const numbers = std::get_if<std::vector<double>>(&values);
    if (numbers == nullptr) throw base::DamagedError("solution " + name + " is no real numbers");
    vectors.push_back(*numbers);
  }
  return vectors;
}

/// The largest one of the task's points, each for the weighted sum that it was found for.
std::optional<double> certified_gap(const DataProblem& problem, const results::Findings& findings) {
  const auto points = vectors_of(findings, "x");
  auto weights = vectors_of(findings, "weights");
  if (const auto weight = findings.metrics.find("weight"); weight != findings.metrics.end()) {
    weights = {{weight->second, 1 - weight->second}};
  }
  if (points.empty() || points.size() != weights.size()) return std::nullopt;
  double largest = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto gap = alternating::certified_gap(problem, weights[k], points[k]);
    if (!gap) return std::nullopt;
    largest = std::max(largest, *gap);
  }
  return largest;
}

}  // namespace

results::Measures measures_of(const AlternatingProblem& problem,
                              const results::Findings& findings) {
  const auto* const data = std::get_if<DataProblem>(&problem.problem);
  if (data == nullptr) return {};
  sweep::TaskResult result;
  if (const auto gap = certified_gap(*data, findings)) {
    add_value(result, "certified_gap", "train", *gap);
  }
  return std::move(result.measured);
}

std::vector<sweep::MeasuredQuantity> alternating_measures() {
  return {
      {{"certified_gap",
        "S at the point exceeds its minimum over the box by at most this much, proven by strong "
        "convexity; of a front the largest one of its points; for fairness = covariance, as "
        "loss_gap is not convex",
        "", base::Direction::minimise, "Nesterov (2004), definition 2.1.2"},
       {"train"}}};
}

}  // namespace fairfront::experiments
