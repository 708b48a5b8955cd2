/// @file
/// The epsilon-constraint method: a whole front of two objectives, level by level.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "optimise/box.hpp"
#include "solvers/alternating/problem.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::alternating {

struct EpsilonConstraintOptions {
  std::int64_t samples = 4000;           ///< points of the box whose values are compared, >= 1
  std::int64_t starts = 12;              ///< nondominated samples that levels start from, >= 1
  std::int64_t walk_levels = 40;         ///< of the walk down the first objective, >= 0
  double spacing = 0.03;                 ///< between neighbours, a share of the front's ranges, > 0
  std::int64_t most_gradients = 8000;    ///< of single objectives, >= 2
  std::int64_t descent_iterations = 30;  ///< for one multiplier, >= 1
  double constraint_error = 1e-4;        ///< |f_i - eps| allowed, a share of the range of f_i, > 0
};
[[nodiscard]] base::OptionTable options_of(EpsilonConstraintOptions& options);

/// @throws std::invalid_argument  a field out of range.
void validate(const EpsilonConstraintOptions& options);

/// One point of a traced front.
struct TracedPoint {
  std::vector<double> x;         ///< shape (n,)
  std::array<double, 2> values;  ///< f_1, f_2
  /// Of the weighted sum, weights >= 0 with sum 1, whose stationary point it nearly is: its slope
  /// on the front, from the multiplier.
  std::array<double, 2> weights{};
};

struct EpsilonConstraintResult {
  std::vector<TracedPoint> front;  ///< mutually nondominated, by ascending f_1
  std::int64_t gradients = 0;      ///< of single objectives
  std::int64_t values = 0;         ///< of single objectives
  std::int64_t levels = 0;         ///< tried, each from one or two neighbours
  std::int64_t dominated = 0;      ///< of them: placed, but behind a point found before
  std::int64_t unplaced = 0;       ///< of them: f_i = eps was not met, past the front's end aside
  double open_gap = 0;             ///< largest gap left, a share of the front's ranges, Euclidean
  bool exhausted = false;          ///< `most_gradients` ended it: gaps may be left that could close
};

/// The largest Euclidean distance of neighbours on a front, in units of its ranges.
/// @param front  as EpsilonConstraintResult has it.
[[nodiscard]] double widest_gap(std::span<const TracedPoint> front);

/// f_2 = a sum of squares of smooth differences, whose least value is 0 where all of them are 0.
struct ZeroDifferences {
  std::int64_t count = 0;  ///< 0: f_2 is no such sum
  std::function<void(std::span<const double>, std::span<double>)> values{};  ///< shape (count,)
  /// Of sum_k factors_k difference_k: (x, factors, out).
  std::function<void(std::span<const double>, std::span<const double>, std::span<double>)>
      gradient{};
};

/// Objectives as functions, so that a method is compiled once.
struct ObjectiveFunctions {
  std::reference_wrapper<const optimise::Box> box;
  std::function<double(std::int64_t, std::span<const double>)> value;
  std::function<void(std::int64_t, std::span<const double>, std::span<double>)> gradient;
  double convexity = 0;  ///< see KnowsConvexity
  ZeroDifferences differences{};
  /// Where the search of the least f_1 with all differences 0 starts, each of shape (n,); the first
  /// one's values are of the front's magnitude.
  std::vector<std::vector<double>> plain_points{};
};

/// A problem that knows of f_2 what ZeroDifferences are.
template <class P>
concept KnowsDifferences = requires(const P& problem, std::span<const double> x,
                                    std::span<double> out) {
  { problem.differences() } -> std::convertible_to<std::int64_t>;
  problem.differences_at(x, out);
  problem.differences_gradient(x, x, out);
  { problem.plain_points() } -> std::convertible_to<std::vector<std::vector<double>>>;
};

/// Those of a problem, which must outlive them: exact gradients, never estimates.
template <Objectives P>
[[nodiscard]] ObjectiveFunctions functions_of(const P& problem) {
  ObjectiveFunctions functions{
      problem.box(),
      [&problem](std::int64_t i, std::span<const double> x) { return problem.value(i, x); },
      [&problem](std::int64_t i, std::span<const double> x, std::span<double> out) {
        problem.gradient(i, x, out);
      }};
  if constexpr (KnowsConvexity<P>) functions.convexity = problem.convexity();
  if constexpr (KnowsDifferences<P>) {
    functions.differences = {
        problem.differences(),
        [&problem](std::span<const double> x, std::span<double> out) {
          problem.differences_at(x, out);
        },
        [&problem](std::span<const double> x, std::span<const double> factors,
                   std::span<double> out) { problem.differences_gradient(x, factors, out); }};
    functions.plain_points = problem.plain_points();
  }
  return functions;
}

/// Of two points whose f_2 differ by less than this share of its range, what is more is rounding,
/// or of no use to anyone: the one with the less f_1 dominates the other.
inline constexpr double fair_end_tolerance = 1e-12;

/// Traces the front of two objectives that are smooth, convex or not, level by level: min f_k
/// subject to f_i = eps, an equality with a multiplier of any sign (Y. Y. Haimes, L. S. Lasdon, D.
/// A. Wismer, IEEE Trans. SMC 1(3), 1971, with an inequality), by augmented Lagrangians (J.
/// Nocedal, S. J. Wright, "Numerical Optimization" (2006), Algorithm 17.4) minimised with
/// ProjectedLbfgs.
///
/// 0. Where f_2 is a sum of squares of differences, its least value 0 is taken all over a surface,
///    on which a descent of f_2 stops wherever it meets it. Both ends are searched first: the least
///    f_1, and the least f_1 with every difference 0, from the plain points and from the least f_1
///    (fair_end.hpp). Where that end is found, samples beyond it are left out, and no level is
///    walked past it.
/// 1. `samples` points are drawn in the box and their values compared. From the nondominated ones
/// come
///    both ends of the front and `starts` levels.
/// 2. Levels of f_1 follow each other in steps of 1 / (walk_levels + 1) of its range, also where
/// their
///    points are dominated: first past the end of the front, then down to its beginning.
/// 3. Until all gaps are closed or tried: the middle of the largest gap, in the objective that is
///    farther apart there, is solved from both neighbours, in an inner box of 15 % of the intervals
///    around each and in steps no longer than the neighbours are apart. Ends that moved are
///    minimised again.
///
/// Points inside concave parts of a front are found like any others, and holes of a front stay. The
/// front's last point has the least f_1 of all whose f_2 is within `fair_end_tolerance` of the
/// least. Local: never communicates. But for the samples nothing is drawn. Has checkpoints, behind
/// every level from a start.
///
/// @param seed, task_key  address of the samples' streams.
/// @throws std::invalid_argument  options out of range.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] EpsilonConstraintResult epsilon_constraint(const ObjectiveFunctions& problem,
                                                         const EpsilonConstraintOptions& options,
                                                         std::uint64_t seed,
                                                         const std::string& task_key,
                                                         const solvers::Control& control = {});

/// The same for any problem with two objectives; draws exact gradients, never estimates.
template <Objectives P>
[[nodiscard]] EpsilonConstraintResult epsilon_constraint(const P& problem,
                                                         const EpsilonConstraintOptions& options,
                                                         std::uint64_t seed,
                                                         const std::string& task_key,
                                                         const solvers::Control& control = {}) {
  return epsilon_constraint(functions_of(problem), options, seed, task_key, control);
}

}  // namespace fairfront::alternating
