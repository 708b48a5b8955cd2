#include "solvers/clustering/vfairkm.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "base/sha256.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/soft_assignment.hpp"
#include "solvers/clustering/starts.hpp"

namespace fairfront::clustering {
namespace {

bool settled(double now, double before, double tolerance) {
  return std::abs(now - before) <= tolerance * std::abs(before);
}

/// An inner loop that still finds no descent with L times 2^60 has none left.
constexpr int most_doublings = 60;

/// Beyond what rounding does to a sum of N terms.
bool worse(double now, double before) { return now > before + 1e-10 * std::abs(before); }

/// One weight after another on one problem.
template <class Label>
class VfairRun {
 public:
  VfairRun(const Problem& problem, const VfairOptions& options, const solvers::Control& control)
      : problem_{problem},
        options_{options},
        control_{control},
        heart_{control},
        solution_{problem},
        soft_{problem, options.lipschitz, [this] { heart_.beat(); }},
        labels_(static_cast<std::size_t>(problem.points())) {}

  VfairResult run(base::StreamKey start_key) {
    base::Stream stream(start_key, 0);
    const auto start = kmeans_plus_plus_labels<Label>(problem_, stream, [this] { heart_.beat(); });
    solution_.partition.assign(problem_, start);
    VfairResult result;
    std::vector<Clustering> all;
    for (const double mu : weights_of(problem_, options_)) {
      if (!options_.warm_start) solution_.partition.assign(problem_, start);
      VfairWeight weight = mu > 0 ? solve_fair(mu) : solve_plain();
      all.push_back(clustering_of(problem_, solution_.partition));
      weight.mu = mu;
      weight.cost = all.back().cost;
      weight.balance = all.back().balance;
      result.weights.push_back(weight);
      control_.tell(solvers::progress(
          "weight", std::ssize(result.weights), options_.mu_count,
          fmt::format("cost {:.6g}, balance {:.4g}", weight.cost, weight.balance)));
    }
    result.front = front_of(problem_, std::move(all));
    return result;
  }

 private:
  /// Lloyd's iterations on the labels at hand.
  VfairWeight solve_plain() {
    const LloydIterations done =
        lloyd_iterations(problem_, solution_, options_.outer_iterations, [this] { heart_.beat(); });
    VfairWeight weight;
    weight.outer_iterations = done.count;
    weight.objective = static_cast<double>(problem_.points()) * solution_.partition.cost(problem_);
    weight.stop = done.fixed_point ? VfairStop::converged : VfairStop::iterations_done;
    return weight;
  }

  /// Replaces the labels at hand by those of weight mu.
  VfairWeight solve_fair(double mu) {
    VfairWeight weight;
    std::set<std::string> seen{digest()};
    std::string last = *seen.begin();
    double best_objective = std::numeric_limits<double>::infinity();
    std::vector<Label> best;
    while (weight.outer_iterations < options_.outer_iterations) {
      const double before = weight.objective;
      take_outer_iteration(mu, weight);
      const std::string now = digest();
      if (now == last || (weight.outer_iterations > 2 &&
                          settled(weight.objective, before, options_.outer_tolerance))) {
        weight.stop = VfairStop::converged;
        return weight;
      }
      if (weight.objective < best_objective) {
        best_objective = weight.objective;
        best.assign(solution_.partition.labels().begin(), solution_.partition.labels().end());
      }
      if (!seen.insert(now).second) {
        solution_.partition.assign(problem_, best);
        weight.objective = best_objective;
        weight.stop = VfairStop::cycle;
        return weight;
      }
      last = now;
    }
    return weight;
  }

  void take_outer_iteration(double mu, VfairWeight& weight) {
    solution_.set_exact_centres(problem_);
    soft_.start(solution_.centres);
    minimise_bound(mu, weight);
    weight.objective = soft_.objective(mu);
    ++weight.outer_iterations;
    soft_.hard_labels<Label>(labels_);
    solution_.partition.assign(problem_, labels_);
    if (!solution_.partition.has_empty_cluster()) return;
    refill_empty_clusters(problem_, solution_.centres, solution_.partition,
                          [this] { heart_.beat(); });
    ++weight.refills;
  }

  /// Updates the memberships until E settles, and with safe steps until it does so at the smallest
  /// L that still descends.
  void minimise_bound(double mu, VfairWeight& weight) {
    const bool safe = options_.step == VfairStep::descent;
    double energy = 0;
    std::int64_t taken = 0;
    int doublings = 0;
    bool refused = false;  // half of the present L made the objective worse
    for (std::int64_t i = 0; i < options_.inner_iterations; ++i) {
      heart_.beat();
      const double objective = soft_.objective(mu);
      const double before = energy;
      energy = soft_.update(mu);
      ++weight.inner_iterations;
      if (safe && worse(soft_.objective(mu), objective)) {
        soft_.take_back();
        energy = before;
        ++weight.taken_back;
        if (++doublings > most_doublings) return;
        soft_.set_lipschitz(2 * soft_.lipschitz());
        refused = true;
        continue;
      }
      if (++taken <= 2 || !settled(energy, before, options_.inner_tolerance)) {
        refused = false;
        continue;
      }
      if (refused || soft_.lipschitz() <= options_.lipschitz) return;
      soft_.set_lipschitz(soft_.lipschitz() / 2);
      --doublings;
    }
  }

  [[nodiscard]] std::string digest() const {
    base::Sha256 hash;
    hash.add_values(solution_.partition.labels());
    return hash.finish();
  }

  const Problem& problem_;
  const VfairOptions& options_;
  const solvers::Control& control_;
  solvers::Heartbeat heart_;
  Solution<Label> solution_;
  SoftAssignment soft_;
  std::vector<Label> labels_;
};

}  // namespace

VfairResult vfairkm(const Problem& problem, const VfairOptions& options, std::uint64_t seed,
                    const std::string& task_key, const solvers::Control& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return VfairRun<Label>(problem, options, control).run({seed, task_key, "vfairkm/start"});
  });
}

double vfairkm_bytes(const Problem& problem, const VfairOptions& options) {
  const double labels = static_cast<double>(problem.points() * options.mu_count) *
                        (problem.clusters() <= 256 ? 1 : 2);
  return SoftAssignment::bytes(problem) + labels + 2 * problem_bytes(problem);
}

}  // namespace fairfront::clustering
