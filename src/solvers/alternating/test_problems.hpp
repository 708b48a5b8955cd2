/// @file
/// The test problems by name.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "solvers/alternating/data_problem.hpp"
#include "solvers/alternating/problem_view.hpp"
#include "solvers/alternating/problems_nonconvex.hpp"
#include "solvers/alternating/problems_quadratic.hpp"
#include "solvers/alternating/problems_separable.hpp"
#include "solvers/alternating/problems_zdt.hpp"

namespace fairfront::alternating {

/// Any problem; view_of() is what solvers take.
using AnyProblem = std::variant<Sp1, Ff1, MeanSquares, Jos2, Zdt1, Zdt2, Zdt3, Deb41, Im1, Dtlz2,
                                Quadratic, Elastic, Absolute, Huber, DataProblem>;

struct TestProblem {
  std::string name;
  std::string title;           ///< one line: objectives and box
  std::string source;          ///< where it was published
  std::string front;           ///< shape of the Pareto front
  std::int64_t variables = 2;  ///< default
  bool any_variables = false;  ///< other numbers of variables are welcome
  std::int64_t least_variables = 1;
  std::int64_t objectives = 2;
  bool any_objectives = false;    ///< other numbers of objectives are welcome
  std::vector<double> reference;  ///< of the hypervolume, where there is one number of objectives
  std::function<AnyProblem(std::int64_t variables, std::int64_t objectives)> make;
  int revision = 1;  ///< raised when values or gradients of the same point change
};

/// All test problems, in the order in which they are listed.
[[nodiscard]] std::span<const TestProblem> test_problems();

/// @throws base::InputError  no such name, with the nearest valid one.
[[nodiscard]] const TestProblem& test_problem(std::string_view name);

/// @param variables  0: the problem's default.
/// @throws base::InputError  the problem does not come with so many variables or objectives.
[[nodiscard]] AnyProblem make_problem(const TestProblem& entry, std::int64_t variables,
                                      std::int64_t objectives);

/// @param problem  must outlive the view.
[[nodiscard]] ProblemView view_of(const AnyProblem& problem);

/// The reference point of the hypervolume, shape (objectives,).
[[nodiscard]] std::vector<double> reference_point(const TestProblem& entry,
                                                  const AnyProblem& problem);

/// As the problem's own analytic_front, shape (about count, m); empty where it is not known.
[[nodiscard]] pareto::Points analytic_front(const AnyProblem& problem, std::int64_t count);

/// A minimiser of the weighted sum, if the problem knows one.
[[nodiscard]] std::optional<std::vector<double>> minimiser(const AnyProblem& problem,
                                                           std::span<const double> weights);

/// The constants of the convergence theorems, if the problem knows them and they apply.
[[nodiscard]] std::optional<RateConstants> rate_constants(const AnyProblem& problem,
                                                          const RunReach& reach);

}  // namespace fairfront::alternating
