/// @file
/// SA2GD and weighted sums on problems with known fronts and on fair linear models.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/supervised.hpp"
#include "experiments/family.hpp"
#include "pareto/front.hpp"
#include "solvers/alternating/data_problem.hpp"
#include "solvers/alternating/sa2gd.hpp"
#include "solvers/alternating/test_problems.hpp"

namespace fairfront::experiments {

enum class DataMinimum { unknown, computed };

/// The [alternating] section: what all methods of the experiment share.
struct AlternatingOptions {
  std::string problem = "zdt1";   ///< a test problem, or "data"
  std::int64_t variables = 0;     ///< 0: the problem's default
  std::int64_t n_total = 200;     ///< steps of one iteration of SA2GD
  std::int64_t iterations = 300;  ///< T
  std::int64_t trace_points = 0;  ///< of the series, evenly spaced in log t
  DataMinimum data_minimum = DataMinimum::unknown;
};
[[nodiscard]] base::OptionTable options_of(AlternatingOptions& options);

enum class IterateKind { last, best, average };

/// What [sa2gd] and [weighted_sum] have in common: one weight, steps, noise, result.
struct WeightOptions {
  std::int64_t n_a = -1;         ///< steps on the first of two objectives; -1: half of them
  std::int64_t lattice = -1;     ///< place on the simplex lattice of n_total steps
  alternating::Efforts weights;  ///< (n_1,...,n_m) with sum n_total
  alternating::StepOptions step = {};
  double noise = 0;  ///< standard deviation of every gradient component
  IterateKind iterate = IterateKind::last;
};

/// The [sa2gd] section.
struct Sa2gdSection : WeightOptions {
  alternating::StepOrder order = alternating::StepOrder::block;
};
[[nodiscard]] base::OptionTable options_of(Sa2gdSection& options);

/// The [weighted_sum] section.
struct WeightedSumSection : WeightOptions {
  std::int64_t inner_steps = 0;  ///< 0: n_total
};
[[nodiscard]] base::OptionTable options_of(WeightedSumSection& options);

/// A problem with what its tasks share.
struct AlternatingProblem {
  AlternatingOptions options;
  alternating::AnyProblem problem;
  pareto::Points front;           ///< points of the analytic front; empty where it is not known
  std::vector<double> reference;  ///< of the hypervolume, shape (m,)
  /// The rows of a problem on data, of which `problem` has the training rows; null otherwise.
  std::shared_ptr<const data::SupervisedSet> rows{};
  std::optional<alternating::DataProblem> tested{};  ///< the same objectives of the test rows

  [[nodiscard]] std::int64_t objectives() const { return std::ssize(reference); }
  [[nodiscard]] std::int64_t variables() const;
};

/// @throws base::InputError  not exactly one way to give the weights, or a bad one.
void validate_for(const AlternatingProblem& problem, const Sa2gdSection& options);
void validate_for(const AlternatingProblem& problem, const WeightedSumSection& options);

/// @param front  the known front as AlternatingProblem has it, not empty.
[[nodiscard]] double distance_to_front(std::span<const double> point, const pareto::Points& front);

/// The linear model that a point of the problem is, as models::ModelText; a test problem's is none.
[[nodiscard]] std::string model_of(const alternating::AnyProblem& problem);

/// One task of [sa2gd] or [weighted_sum] is one run with one weight; its front is one point (S.
/// Liu, L. N. Vicente, 2022), and the front of a sweep is the nondominated set of the points of all
/// weights. One task of [epsilon_constraint] or [pf_smg] is a whole front.
///
/// An archive's fronts have a fixed number of objectives, so that there is one experiment for two
/// ("alternating") and one for three ("alternating3").
/// @param objectives  2 or 3.
[[nodiscard]] Family<AlternatingProblem> alternating_family(std::int64_t objectives);

}  // namespace fairfront::experiments
