#include "solvers/clustering/safairkm.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/condition.hpp"
#include "solvers/clustering/starts.hpp"

namespace fairfront::clustering {
namespace {

template <class Label>
std::vector<Label> first_labels(const Problem& problem, FirstLabels kind, base::Stream& stream,
                                const Between& between) {
  if (kind == FirstLabels::kmeans_plus_plus) {
    return kmeans_plus_plus_labels<Label>(problem, stream, between);
  }
  return random_labels<Label>(
      problem, kind == FirstLabels::softmax ? RandomStart::softmax : RandomStart::by_group, stream,
      between);
}

template <class Label>
class SafairRun {
 public:
  SafairRun(const Problem& problem, const SafairOptions& options, const solvers::Control& control)
      : problem_{problem},
        options_{options},
        control_{control},
        inner_{control},
        solution_{problem},
        stepper_{problem, options.step, [this] { inner_.beat(); }},
        recorder_{{"cost", "balance"},
                  solvers::evenly_spaced(options.iterations, options.trace_points)} {}

  SafairResult run(base::StreamKey start_key, base::StreamKey step_key) {
    solvers::Heartbeat heart(control_);
    base::Stream start(start_key, 0);
    solution_.partition.assign(problem_, first_labels<Label>(problem_, options_.first_labels, start,
                                                             [this] { inner_.beat(); }));
    solution_.set_exact_centres(problem_);
    record(0);
    for (std::int64_t t = 0; t < options_.iterations; ++t) {
      base::Stream stream(step_key, static_cast<std::uint64_t>(t));
      stepper_.advance(solution_.partition, solution_.centres, options_.effort(),
                       swap_batch(options_.step, t, problem_.points()), stream);
      solution_.centres.values() = stepper_.centres().values();
      record(t + 1);
      heart.beat([&] { return solvers::progress("iteration", t + 1, options_.iterations); });
    }
    const bool is_seeded = options_.first_labels == FirstLabels::kmeans_plus_plus;
    return {clustering_of(problem_, solution_.partition),
            stepper_.comparisons() + (is_seeded ? kmeans_plus_plus_comparisons(problem_) : 0),
            std::move(recorder_).take()};
  }

 private:
  void record(std::int64_t iteration) {
    if (!recorder_.due(iteration)) return;
    recorder_.record(iteration, {solution_.partition.cost(problem_),
                                 solution_.partition.bottleneck().balance.value()});
  }

  const Problem& problem_;
  const SafairOptions& options_;
  const solvers::Control& control_;
  solvers::Heartbeat inner_;  ///< of what is not worth a report
  Solution<Label> solution_;
  Stepper<Label> stepper_;
  solvers::Recorder recorder_;
};

}  // namespace

base::OptionTable options_of(SafairOptions& options) {
  base::OptionTable table("safairkm");
  constexpr std::int64_t most = 2'000'000'000;
  table
      .add("iterations", options.iterations, base::between<std::int64_t>(1, most), "",
           "The run makes this many iterations; each relabels n_a points and makes n_b swaps.")
      .add("n_a", options.n_a, base::between<std::int64_t>(0, most), "points",
           "An iteration relabels so many points to their nearest centre.")
      .add("n_b", options.n_b, base::between<std::int64_t>(0, most), "swaps",
           "An iteration makes so many swaps.")
      .add("n_total", options.n_total, base::between<std::int64_t>(0, most), "",
           "Above 0, n_b is n_total - n_a, so that one axis n_a runs through all pairs.")
      .add_choice(
          "first_labels", options.first_labels,
          {{"softmax", FirstLabels::softmax},
           {"by_group", FirstLabels::by_group},
           {"kmeans_plus_plus", FirstLabels::kmeans_plus_plus}},
          "First labels are random by one softmax of normals or one uniform distribution per "
          "group, or those of k-means++ seeds.")
      .add("trace_points", options.trace_points, base::between<std::int64_t>(0, 1'000'000), "",
           "The series cost and balance have so many entries, evenly spaced; with 0 there are no "
           "series.");
  table.assign_role(base::Role::trade_off, {"n_a", "n_b"});
  describe(table, options.step);
  table.only_if({"n_b"}, base::is("n_total", {"0"}),
                "safairkm.n_total is given, and n_b is what n_a leaves");
  const base::Condition leaves_some = base::where(
      {"n_a", "n_total"}, [](auto values) { return values[0] != values[1]; }, "{} is below {}");
  const base::Condition swaps = ((base::is("n_total", {"0"}) && base::above("n_b", 0)) ||
                                 (base::above("n_total", 0) && leaves_some))
                                    .called("steps make swaps");
  add_conditions(table, swaps, swaps && base::above("n_a", 0));
  return table;
}

void validate_for(const Problem& problem, const SafairOptions& options) {
  base::validate(options);
  const Effort effort = options.effort();
  if (effort.kmeans > problem.points()) {
    throw std::invalid_argument(
        fmt::format("safairkm.n_a = {} exceeds the {} points", effort.kmeans, problem.points()));
  }
  if (effort.swaps < 0) {
    throw std::invalid_argument(
        fmt::format("safairkm.n_a = {}, must be <= n_total = {}", options.n_a, options.n_total));
  }
  if (effort.kmeans == 0 && effort.swaps == 0) {
    throw std::invalid_argument("safairkm: n_a and n_b are both 0");
  }
}

SafairResult safairkm(const Problem& problem, const SafairOptions& options, std::uint64_t seed,
                      const std::string& task_key, const solvers::Control& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return SafairRun<Label>(problem, options, control)
        .run({seed, task_key, "safairkm/start"}, {seed, task_key, "safairkm/step"});
  });
}

}  // namespace fairfront::clustering
