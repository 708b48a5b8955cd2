#include "solvers/alternating/test_problems.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::alternating {
namespace {

constexpr const char* collection =
    "box of the collection of Custodio, Madeira, Vaz, Vicente, SIAM J. Optim. 21 (2011)";

/// f_1 = x_1 with n variables in [0, 1].
template <class P>
TestProblem zdt_entry(std::string name, std::string second, std::string source, std::string front,
                      std::int64_t variables, int revision = 1) {
  return {.name = std::move(name),
          .title = "f1 = x1, " + std::move(second) + ", g = 1 + 9/(n-1) sum_(j>1) x_j on [0, 1]^n",
          .source = std::move(source),
          .front = std::move(front),
          .variables = variables,
          .any_variables = true,
          .least_variables = 2,
          .reference = {1.1, 1.1},
          .make = [](std::int64_t n, std::int64_t) { return P(n); },
          .revision = revision};
}

template <class P>
TestProblem fixed_entry(std::string name, std::string title, std::string source, std::string front,
                        std::vector<double> reference) {
  return {.name = std::move(name),
          .title = std::move(title),
          .source = std::move(source),
          .front = std::move(front),
          .reference = std::move(reference),
          .make = [](std::int64_t, std::int64_t) { return P(); }};
}

template <class P>
TestProblem separable_entry(std::string name, std::string term, std::string front) {
  return {.name = std::move(name),
          .title = "f_i = sum_j " + std::move(term) + " of x_j - p_ij on [-1, 1]^n, p_ij = -+1/2",
          .source = "minimisers and constants of the convergence theorems in closed form",
          .front = std::move(front),
          .variables = 10,
          .any_variables = true,
          .any_objectives = true,
          .reference = {},
          .make = [](std::int64_t n, std::int64_t m) { return P(n, m); }};
}

std::vector<TestProblem> literature() {
  const std::string zdt = "Zitzler, Deb, Thiele, Evolutionary Computation 8(2) (2000), ";
  return {
      fixed_entry<Sp1>("sp1", "f1 = (x1-1)^2 + (x1-x2)^2, f2 = (x2-3)^2 + (x1-x2)^2 on [-1, 5]^2",
                       std::string("Sefrioui, Periaux (2000); ") + collection, "convex", {5, 5}),
      fixed_entry<Ff1>(
          "ff1", "f_i = 1 - exp(-|x -+ (1, -1)|^2) on [-4, 4]^2",
          std::string("Fonseca, Fleming, IEEE Trans. SMC A 28(1) (1998); ") + collection, "concave",
          {1.1, 1.1}),
      {.name = "jos1",
       .title = "f1 = mean x_j^2, f2 = mean (x_j-2)^2 on [0, 1]^n",
       .source = std::string("Jin, Olhofer, Sendhoff, GECCO 2001, F1; ") + collection,
       .front = "convex",
       .any_variables = true,
       .reference = {1.1, 4.1},
       .make = [](std::int64_t n, std::int64_t) { return MeanSquares(n, 0, 1); }},
      zdt_entry<Jos2>("jos2", "f2 = g (1 - (x1/g)^(1/4) - (x1/g)^4)",
                      std::string("Jin, Olhofer, Sendhoff, GECCO 2001, F4; ") + collection,
                      "convex, then concave", 2, 2),
      zdt_entry<Zdt1>("zdt1", "f2 = g (1 - sqrt(x1/g))", zdt + "T1", "convex", 30),
      zdt_entry<Zdt2>("zdt2", "f2 = g (1 - (x1/g)^2)", zdt + "T2", "concave", 30),
      zdt_entry<Zdt3>("zdt3", "f2 = g (1 - sqrt(x1/g) - (x1/g) sin(10 pi x1))", zdt + "T3",
                      "disconnected, five convex pieces", 30),
      {.name = "mop1",
       .title = "f1 = x^2, f2 = (x-2)^2 on [-10^5, 10^5]",
       .source = "Schaffer (1985); box of Huband, Hingston, Barone, While (2006)",
       .front = "convex",
       .variables = 1,
       .reference = {4.1, 4.1},
       .make = [](std::int64_t n, std::int64_t) { return MeanSquares(n, -1e5, 1e5); }},
      fixed_entry<Deb41>("deb41",
                         "f1 = x1, f2 = g(x2)/x1, g with a narrow global well on "
                         "[0.1, 1] x [0, 1]",
                         "Deb, Evolutionary Computation 7(3) (1999), example 4.1",
                         "convex; beside it a local front that attracts nearly all starts",
                         {1.1, 12}),
      fixed_entry<Im1>(
          "im1", "f1 = 2 sqrt(x1), f2 = x1 (1-x2) + 5 on [1, 4] x [1, 2]",
          std::string("Ishibuchi, Murata, IEEE Trans. SMC C 28(3) (1998); ") + collection,
          "concave", {4.1, 4.1}),
      {.name = "dtlz2",
       .title =
           "f1 = (1+g) cos a cos b, f2 = (1+g) cos a sin b, f3 = (1+g) sin a, a, b = x1, x2 pi/2, "
           "g = sum_(j>2) (x_j-1/2)^2 on [0, 1]^n",
       .source = "Deb, Thiele, Laumanns, Zitzler (2005), DTLZ2",
       .front = "concave, an eighth of the unit sphere",
       .variables = 12,
       .any_variables = true,
       .least_variables = 3,
       .objectives = 3,
       .reference = {1.1, 1.1, 1.1},
       .make = [](std::int64_t n, std::int64_t) { return Dtlz2(n); }},
  };
}

std::vector<TestProblem> make_test_problems() {
  std::vector<TestProblem> entries = literature();
  entries.push_back(separable_entry<Quadratic>("quadratic", "h_ij u^2/2, 1 <= h_ij <= 4,",
                                               "convex; smooth, strongly convex objectives"));
  entries.push_back(separable_entry<Elastic>("elastic", "u^2/2 + |u|",
                                             "convex; non-smooth, strongly convex objectives"));
  entries.push_back(
      separable_entry<Absolute>("absolute", "|u|", "linear; non-smooth, convex objectives"));
  entries.push_back(separable_entry<Huber>("huber", "the Huber function, threshold 3/4,",
                                           "convex; smooth, convex objectives"));
  return entries;
}

}  // namespace

std::span<const TestProblem> test_problems() {
  static const std::vector<TestProblem> entries = make_test_problems();
  return entries;
}

const TestProblem& test_problem(std::string_view name) {
  std::vector<std::string> names;
  for (const TestProblem& entry : test_problems()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw base::InputError(
      fmt::format("there is no problem '{}'{}", name, base::name_hint(name, names)));
}

AnyProblem make_problem(const TestProblem& entry, std::int64_t variables, std::int64_t objectives) {
  if (variables == 0) variables = entry.variables;
  if (variables != entry.variables && !entry.any_variables) {
    throw base::InputError(
        fmt::format("alternating.variables: problem '{}' has {} variables, not {}", entry.name,
                    entry.variables, variables));
  }
  if (variables < entry.least_variables) {
    throw base::InputError(
        fmt::format("alternating.variables: problem '{}' needs at least {} variables, not {}",
                    entry.name, entry.least_variables, variables));
  }
  if (objectives != entry.objectives && !entry.any_objectives) {
    throw base::InputError(
        fmt::format("alternating.problem: problem '{}' has {} objectives, not {}", entry.name,
                    entry.objectives, objectives));
  }
  return entry.make(variables, objectives);
}

ProblemView view_of(const AnyProblem& problem) {
  return std::visit([](const auto& p) { return ProblemView::of(p); }, problem);
}

std::vector<double> reference_point(const TestProblem& entry, const AnyProblem& problem) {
  if (!entry.reference.empty()) return entry.reference;
  return std::visit(
      [](const auto& p) {
        std::vector<double> reference;
        if constexpr (requires { p.greatest(0); }) {
          for (std::int64_t i = 0; i < p.objectives(); ++i) reference.push_back(p.greatest(i));
        }
        return reference;
      },
      problem);
}

pareto::Points analytic_front(const AnyProblem& problem, std::int64_t count) {
  return std::visit(
      [count](const auto& p) {
        if constexpr (HasAnalyticFront<std::decay_t<decltype(p)>>) {
          return p.analytic_front(count);
        } else {
          return pareto::Points(static_cast<std::size_t>(p.objectives()));
        }
      },
      problem);
}

std::optional<std::vector<double>> minimiser(const AnyProblem& problem,
                                             std::span<const double> weights) {
  return std::visit(
      [weights](const auto& p) -> std::optional<std::vector<double>> {
        if constexpr (HasMinimiser<std::decay_t<decltype(p)>>) return p.minimiser(weights);
        return std::nullopt;
      },
      problem);
}

std::optional<RateConstants> rate_constants(const AnyProblem& problem, const RunReach& reach) {
  return std::visit(
      [&reach](const auto& p) -> std::optional<RateConstants> {
        if constexpr (requires { p.rate_constants(reach); }) return p.rate_constants(reach);
        return std::nullopt;
      },
      problem);
}

}  // namespace fairfront::alternating
