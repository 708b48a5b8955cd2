/// @file
/// A problem of any type, for solvers that are to be compiled once.
#pragma once

#include "solvers/alternating/abreast.hpp"
#include "solvers/alternating/problem.hpp"

namespace fairfront::alternating {

/// What a solver asks of a problem, by calls through pointers: the same bits as of the problem
/// itself. A solver is code of its own for every type of problem, and there are many. Refers to the
/// problem, which must outlive it.
class ProblemView {
 public:
  template <Objectives P>
  [[nodiscard]] static ProblemView of(const P& problem) {
    return {&problem, problem.box(), functions_of_type<P>};
  }

  [[nodiscard]] std::int64_t objectives() const { return functions_->objectives(problem_); }
  [[nodiscard]] const optimise::Box& box() const { return *box_; }
  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    return functions_->value(problem_, objective, x);
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    functions_->gradient(problem_, objective, x, out);
  }
  /// See KnowsConvexity; 0 where the problem does not.
  [[nodiscard]] double convexity() const { return functions_->convexity(problem_); }
  /// The exact one where the problem is deterministic.
  void stochastic_gradient(std::int64_t objective, std::span<const double> x, base::Stream& stream,
                           std::span<double> out) const {
    functions_->draw(problem_, objective, x, stream, out);
  }
  /// alternating::draw_gradients(), in one call for all runs.
  void draw_abreast(const EachRun<std::int64_t>& objectives, const Pairs& x,
                    std::span<base::Stream> noise, Pairs& gradients) const {
    functions_->draw_abreast(problem_, objectives, x, noise, gradients);
  }

 private:
  struct Functions {
    std::int64_t (*objectives)(const void*);
    double (*value)(const void*, std::int64_t, std::span<const double>);
    void (*gradient)(const void*, std::int64_t, std::span<const double>, std::span<double>);
    double (*convexity)(const void*);
    void (*draw)(const void*, std::int64_t, std::span<const double>, base::Stream&,
                 std::span<double>);
    void (*draw_abreast)(const void*, const EachRun<std::int64_t>&, const Pairs&,
                         std::span<base::Stream>, Pairs&);
  };
  template <class P>
  static const P& as(const void* problem) {
    return *static_cast<const P*>(problem);
  }
  template <class P>
  static constexpr Functions functions_of_type{
      .objectives = [](const void* p) -> std::int64_t { return as<P>(p).objectives(); },
      .value = [](const void* p, std::int64_t i, std::span<const double> x) -> double {
        return as<P>(p).value(i, x);
      },
      .gradient = [](const void* p, std::int64_t i, std::span<const double> x,
                     std::span<double> out) { as<P>(p).gradient(i, x, out); },
      .convexity = [](const void* p) -> double {
        if constexpr (KnowsConvexity<P>) return as<P>(p).convexity();
        return 0;
      },
      .draw = [](const void* p, std::int64_t i, std::span<const double> x, base::Stream& stream,
                 std::span<double> out) { draw_gradient(as<P>(p), i, x, stream, out); },
      .draw_abreast =
          [](const void* p, const EachRun<std::int64_t>& objectives, const Pairs& x,
             std::span<base::Stream> noise,
             Pairs& gradients) { draw_gradients(as<P>(p), objectives, x, noise, gradients); }};

  ProblemView(const void* problem, const optimise::Box& box, const Functions& functions)
      : problem_{problem}, box_{&box}, functions_{&functions} {}

  const void* problem_;
  const optimise::Box* box_;
  const Functions* functions_;
};

}  // namespace fairfront::alternating
