/// @file
/// Coverage of the known fronts by [epsilon_constraint], by [pf_smg] and by NSGA-II of pagmo2
/// (K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, 2002), the latter two with as many evaluations of
/// single objectives, values and gradients alike. Prints a table; the worst of five seeds.
///
///     compare_alternating [gradients of PF-SMG]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <string>
#include <utility>
#include <vector>

#include "parallel/comm.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"
#include "solvers/alternating/pf_smg.hpp"
#include "solvers/alternating/test_problems.hpp"

namespace {

using namespace fairfront;
using namespace fairfront::alternating;

constexpr std::int64_t population_size = 100;  // a multiple of four
constexpr std::uint64_t seeds = 5;

/// A test problem as pagmo sees it.
struct PagmoProblem {
  const AnyProblem* problem = nullptr;

  [[nodiscard]] pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    return values_at(view_of(*problem), x);
  }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const Box& box = view_of(*problem).box();
    return {{box.lower().begin(), box.lower().end()}, {box.upper().begin(), box.upper().end()}};
  }
  [[nodiscard]] pagmo::vector_double::size_type get_nobj() const { return 2; }
  template <class Archive>
  void serialize(Archive& /*archive*/, unsigned /*version*/) {}  // never is
};

/// The share of the front within 0.02 of a point found, in units of the front's ranges.
double coverage_of(const pareto::Points& found, const pareto::Points& front) {
  std::array<double, 2> least{std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};
  std::array<double, 2> greatest{-least[0], -least[1]};
  for (std::size_t k = 0; k < front.size(); ++k) {
    for (const std::size_t i : {0U, 1U}) {
      least[i] = std::min(least[i], front[k][i]);
      greatest[i] = std::max(greatest[i], front[k][i]);
    }
  }
  std::int64_t covered = 0;
  for (std::size_t k = 0; k < front.size(); ++k) {
    for (std::size_t p = 0; p < found.size(); ++p) {
      const double first = (front[k][0] - found[p][0]) / (greatest[0] - least[0]);
      const double second = (front[k][1] - found[p][1]) / (greatest[1] - least[1]);
      if (std::hypot(first, second) > 0.02) continue;
      ++covered;
      break;
    }
  }
  return static_cast<double>(covered) / static_cast<double>(front.size());
}

/// @param evaluations  of single objectives.
pareto::Points nsga2(const AnyProblem& problem, std::int64_t evaluations, std::uint64_t seed) {
  const auto generations =
      static_cast<unsigned>(std::max<std::int64_t>(1, evaluations / 2 / population_size - 1));
  pagmo::algorithm algorithm{
      pagmo::nsga2(generations, 0.95, 10, 0.01, 50, static_cast<unsigned>(seed))};
  pagmo::population population(pagmo::problem{PagmoProblem{&problem}},
                               static_cast<std::size_t>(population_size),
                               static_cast<unsigned>(seed));
  population = algorithm.evolve(population);
  pareto::Points found(2);
  for (const auto& values : population.get_f()) found.add(values, found.size());
  return pareto::Front(found).points();
}

struct Worst {
  double coverage = 1;
  std::int64_t evaluations = 0;
  void take(double of, std::int64_t count) {
    coverage = std::min(coverage, of);
    evaluations = std::max(evaluations, count);
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(std::lround(1000 * coverage)) + " permille, " +
           std::to_string(evaluations);
  }
};

void compare(const TestProblem& entry, std::int64_t gradients) {
  const AnyProblem problem = make_problem(entry, 0, 2);
  const pareto::Points front = analytic_front(problem, 2001);
  const parallel::Comm alone(MPI_COMM_SELF);
  Worst traced;
  Worst moved;
  Worst evolved_as_traced;
  Worst evolved_as_moved;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ProblemView p = view_of(problem);
    const auto levels = epsilon_constraint(p, EpsilonConstraintOptions{}, seed, "compare");
    pareto::Points points(2);
    for (const TracedPoint& point : levels.front) points.add(point.values, points.size());
    const std::int64_t spent = levels.gradients + levels.values;
    traced.take(coverage_of(points, front), spent);
    evolved_as_traced.take(coverage_of(nsga2(problem, spent, seed), front), spent);
    const auto list = pf_smg(alone, p, reference_point(entry, problem),
                             {.most_gradients = gradients}, seed, "compare");
    const std::int64_t more = list.gradients + list.values;
    moved.take(coverage_of(list.front.points(), front), more);
    evolved_as_moved.take(coverage_of(nsga2(problem, more, seed), front), more);
  }
  std::cout << "| " << entry.name << " | " << traced.text() << " | " << evolved_as_traced.text()
            << " | " << moved.text() << " | " << evolved_as_moved.text() << " |\n";
  if (!(traced.coverage > 0.8)) throw std::runtime_error("a traced front is not covered");
}

}  // namespace

int main(int argc, char** argv) {
  const parallel::Session session(argc, argv);
  const std::int64_t gradients = argc > 1 ? std::atoll(argv[1]) : 60'000;
  std::cout
      << "| problem | epsilon_constraint | NSGA-II | pf_smg | NSGA-II |\n|---|---|---|---|---|\n";
  for (const TestProblem& entry : test_problems()) {
    if (entry.objectives == 2 && !entry.any_objectives) compare(entry, gradients);
  }
}
