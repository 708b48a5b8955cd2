#include "solvers/clustering/minibatch_kmeans.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/common/subset_sampler.hpp"

namespace fairfront::clustering {
namespace {

template <class Label>
class MinibatchRun {
 public:
  MinibatchRun(const Problem& problem, const MinibatchOptions& options)
      : problem_{problem},
        options_{options},
        solution_{problem},
        sampler_{problem.points()},
        weights_(static_cast<std::size_t>(problem.clusters()), 0) {}

  MinibatchResult run(base::StreamKey start_key, base::StreamKey batch_key,
                      const solvers::Control& control) {
    base::Stream start(start_key, 0);
    solvers::Heartbeat inner(control);
    place_first_centres(start, [&inner] { inner.beat(); });
    solvers::Heartbeat heart(control);
    for (std::int64_t t = 0; t < options_.iterations; ++t) {
      base::Stream stream(batch_key, static_cast<std::uint64_t>(t));
      take_batch(stream, inner);
      heart.beat([&] { return solvers::progress("iteration", t + 1, options_.iterations); });
    }
    assign_nearest(inner);
    return {clustering_of(problem_, solution_.partition), comparisons_};
  }

 private:
  void place_first_centres(base::Stream& stream, const Between& between) {
    if (options_.first_centres == FirstCentres::kmeans_plus_plus) {
      const auto labels = kmeans_plus_plus_labels<Label>(problem_, stream, between);
      solution_.partition.assign(problem_, labels);
      solution_.set_exact_centres(problem_);
      comparisons_ += kmeans_plus_plus_comparisons(problem_);
      return;
    }
    std::int64_t k = 0;
    for (const std::int64_t point : sampler_.draw(problem_.clusters(), stream)) {
      solution_.centres.set(k++, problem_.coordinates(point));
    }
  }

  void take_batch(base::Stream& stream, solvers::Heartbeat& heart) {
    pulls_.clear();
    for (const std::int64_t point : sampler_.draw(options_.batch, stream)) {
      pulls_.push_back({point, solution_.centres.nearest(problem_.point(point))});
      heart.beat();
    }
    comparisons_ += options_.batch * problem_.clusters();
    for (const Pull& pull : pulls_) ++weights_[static_cast<std::size_t>(pull.cluster)];
    solution_.centres.pull(problem_, pulls_, weights_);
  }

  void assign_nearest(solvers::Heartbeat& heart) {
    std::vector<Label> labels;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      labels.push_back(static_cast<Label>(solution_.centres.nearest(problem_.point(p))));
      heart.beat();
    }
    solution_.partition.assign(problem_, labels);
    comparisons_ += comparisons_of_all(problem_);
    comparisons_ += refill_empty_clusters(problem_, solution_.centres, solution_.partition,
                                          [&heart] { heart.beat(); });
  }

  const Problem& problem_;
  const MinibatchOptions& options_;
  Solution<Label> solution_;
  solvers::SubsetSampler sampler_;
  std::vector<Pull> pulls_;
  std::vector<std::int64_t> weights_;  ///< N_k
  std::int64_t comparisons_ = 0;
};

}  // namespace

base::OptionTable options_of(MinibatchOptions& options) {
  base::OptionTable table("minibatch_kmeans");
  table
      .add("iterations", options.iterations, base::between<std::int64_t>(1, 2'000'000'000), "",
           "The run draws this many mini-batches.")
      .add("batch", options.batch, base::between<std::int64_t>(1, 2'000'000'000), "points",
           "An iteration draws |B_t| points without replacement.")
      .add_choice(
          "first_centres", options.first_centres,
          {{"points", FirstCentres::points}, {"kmeans_plus_plus", FirstCentres::kmeans_plus_plus}},
          "First centres are K random points, or the means of the labels of k-means++ seeds.");
  return table;
}

void validate_for(const Problem& problem, const MinibatchOptions& options) {
  base::validate(options);
  if (options.batch <= problem.points()) return;
  throw std::invalid_argument(fmt::format("minibatch_kmeans.batch = {} exceeds the {} points",
                                          options.batch, problem.points()));
}

MinibatchResult minibatch_kmeans(const Problem& problem, const MinibatchOptions& options,
                                 std::uint64_t seed, const std::string& task_key,
                                 const solvers::Control& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return MinibatchRun<Label>(problem, options)
        .run({seed, task_key, "minibatch_kmeans/start"}, {seed, task_key, "minibatch_kmeans/batch"},
             control);
  });
}

}  // namespace fairfront::clustering
