#include "solvers/clustering/vfairkm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/list_starts.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/soft_assignment.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/common/lasting_wish.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::clustering {
namespace {

bool settled(double now, double before, double tolerance) {
  return std::abs(now - before) <= tolerance * std::abs(before);
}

/// Beyond what rounding does to a sum of N terms.
bool worse(double now, double before) { return now > before + 1e-10 * std::abs(before); }

/// The run with the smaller objective, of equal ones the first, with the counts of both.
VfairWeight better_of(const VfairWeight& first, const VfairWeight& second) {
  VfairWeight best = second.objective < first.objective ? second : first;
  best.outer_iterations = first.outer_iterations + second.outer_iterations;
  best.inner_iterations = first.inner_iterations + second.inner_iterations;
  best.taken_back = first.taken_back + second.taken_back;
  best.refills = first.refills + second.refills;
  return best;
}

/// How long the inner steps are. The first one that makes the objective worse ends the explicit
/// slopes. From then on L is doubled when a step is refused, and halved once E has settled or after
/// some good steps: a large L may have been needed by the first memberships alone, and how far E is
/// from its end goes with 1 over the sum of all 1 / L so far, so that equal steps take long to
/// settle. Each halving that fails doubles how many steps there are until the next one.
class StepLength {
 public:
  /// @param shortest  explicit slopes have no smaller L; implicit ones have, to a half.
  StepLength(SoftAssignment& soft, double shortest) : soft_{soft}, least_{shortest} {}

  /// After a step that made the objective worse.
  /// @return false: L has been doubled so often that there is no descent left.
  bool shorten() {
    constexpr int most_doublings = 60;
    refused_ = true;
    good_steps_ = 0;
    if (!soft_.is_implicit()) {
      begin_implicit();
      return true;
    }
    if (++doublings_ > most_doublings) return false;
    soft_.set_lipschitz(2 * soft_.lipschitz());
    if (tried_) patience_ = std::min(2 * patience_, most_patience);
    return true;
  }
  /// Whether a smaller L has not just failed.
  [[nodiscard]] bool may_lengthen() const { return !refused_ && soft_.lipschitz() > least_; }
  /// After a good step.
  void taken(bool at_rest) {
    if (!at_rest) refused_ = false;
    if (soft_.lipschitz() <= least_ || (!at_rest && ++good_steps_ < patience_)) return;
    soft_.set_lipschitz(soft_.lipschitz() / 2);
    --doublings_;
    tried_ = true;
    good_steps_ = 0;
  }

 private:
  static constexpr int most_patience = 128;

  /// Where distances are large, memberships that follow them at once are hard ones, which then move
  /// slowly: the first L is in their unit.
  void begin_implicit() {
    soft_.use_implicit_slopes();
    least_ /= 2;
    soft_.set_lipschitz(std::max(soft_.lipschitz(), soft_.mean_distance()));
  }

  SoftAssignment& soft_;
  double least_;
  int doublings_ = 0;
  int good_steps_ = 0;  ///< since L changed
  int patience_ = 8;    ///< good steps before a smaller L is tried
  bool tried_ = false;  ///< a smaller L, ever
  bool refused_ = false;
};

constexpr std::string_view name_of_state = "vfairkm 2\n";

/// One that no other dominates.
template <class Label>
struct VfairMember {
  double cost = 0, balance = 0;
  std::vector<Label> labels;  ///< in the data set's row order
};
template <solvers::MaybeConstOf<VfairMember> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.cost, self.balance, self.labels);
}

/// Of the iterations for one weight.
template <class Label>
struct VfairIterations {
  VfairWeight weight;
  std::vector<Label> labels;
  std::vector<std::string> seen;  ///< digests of labels, the last one at the end
  double best_objective = std::numeric_limits<double>::infinity();
  std::vector<Label> best;
};
template <solvers::MaybeConstOf<VfairIterations> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.weight, self.labels, self.seen, self.best_objective, self.best);
}

/// Of a run between two outer iterations.
template <class Label>
struct VfairState {
  std::vector<VfairWeight> weights;
  std::int64_t clusterings = 0;
  std::int64_t comparisons = 0;  ///< without those of seeds
  std::vector<VfairMember<Label>> front;
  std::int64_t restart = 0;
  std::size_t number = 0;     ///< of the weight
  bool is_cold_done = false;  ///< the clustering that starts from k-means++ is
  std::vector<Label> before;  ///< of the weight before; empty: none was
  std::optional<VfairIterations<Label>> iterations;
};
template <solvers::MaybeConstOf<VfairState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.weights, self.clusterings, self.comparisons, self.front, self.restart, self.number,
        self.is_cold_done, self.before, self.iterations);
}

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
        can_be_balanced_{can_be_balanced(problem)},
        labels_(static_cast<std::size_t>(problem.points())) {}

  VfairResult run(base::StreamKey start_key) {
    const std::vector<double> weights = weights_of(problem_, options_);
    if (control_.resume) restore(*control_.resume, weights.size());
    for (; at_.restart < options_.restarts; ++at_.restart) {
      base::Stream stream(start_key, static_cast<std::uint64_t>(at_.restart));
      const auto start =
          kmeans_plus_plus_labels<Label>(problem_, stream, [this] { heart_.beat(); });
      if (can_be_balanced_) {
        solve_all(weights, start);
      } else {
        solve_alike(weights, start);
      }
    }
    std::vector<Clustering> all;
    for (auto& [cost, balance, labels] : at_.front) {
      all.push_back({cost, balance, std::move(labels)});
    }
    const std::int64_t seeds = options_.restarts * kmeans_plus_plus_comparisons(problem_);
    return {front_of(problem_, std::move(all)), std::move(at_.weights), at_.clusterings,
            at_.comparisons + seeds};
  }

 private:
  [[nodiscard]] std::string state() {
    if (at_.iterations) at_.iterations->labels = labels_at_hand();
    return solvers::packed_state(name_of_state, at_);
  }
  void restore(const std::string& bytes, std::size_t weights) {
    solvers::unpack_whole_state(name_of_state, bytes, at_);
    bool fits = at_.restart >= 0 && may_be_comparisons(at_.comparisons) && at_.number <= weights &&
                at_.weights.size() <= weights &&
                at_.weights.size() >= (at_.restart > 0 ? weights : at_.number) &&
                (at_.before.empty() || are_labels(at_.before));
    for (const VfairMember<Label>& member : at_.front) fits = fits && are_labels(member.labels);
    if (at_.iterations) {
      const auto& [weight, labels, seen, objective, best] = *at_.iterations;
      fits = fits && are_labels(labels) && !seen.empty() && (best.empty() || are_labels(best));
    }
    if (!fits) throw base::CheckpointError("a checkpoint is of another problem or other options");
    if (at_.iterations) solution_.partition.assign(problem_, at_.iterations->labels);
  }
  [[nodiscard]] bool are_labels(const std::vector<Label>& labels) const {
    return std::ssize(labels) == problem_.points() && std::ranges::all_of(labels, [&](Label label) {
             return static_cast<std::int64_t>(label) < problem_.clusters();
           });
  }
  [[nodiscard]] std::vector<Label> labels_at_hand() const {
    return {solution_.partition.labels().begin(), solution_.partition.labels().end()};
  }

  /// One run over all weights.
  void solve_all(const std::vector<double>& weights, const std::vector<Label>& start) {
    if (at_.before.empty()) at_.before = start;
    const bool is_warm = options_.warm_start == VfairWarmStart::only;
    for (; at_.number < weights.size(); ++at_.number) {
      solvers::obey(control_.wanted(), control_, [this] { return state(); });
      const double mu = weights[at_.number];
      if (!is_warm && !at_.is_cold_done) take(mu, start);
      at_.is_cold_done = true;
      if (options_.warm_start != VfairWarmStart::none) {
        // The first weight has none before it.
        if (at_.number > 0 || is_warm) take(mu, at_.before);
        at_.before = labels_at_hand();
      }
      at_.is_cold_done = false;
    }
    at_.number = 0;
    at_.before.clear();
  }

  /// One run where a group has fewer rows than there are clusters: some cluster lacks it in every
  /// clustering. So all have balance 0, and with log(S_k / 0) all have the same penalty, however
  /// small the weight: no clustering is better than another but for its cost, and what solves
  /// weight 0 solves them all.
  void solve_alike(const std::vector<double>& weights, const std::vector<Label>& start) {
    solvers::obey(control_.wanted(), control_, [this] { return state(); });
    solution_.partition.assign(problem_, start);
    VfairWeight found = measured(solve_plain());
    keep(found);
    for (; at_.number < weights.size(); ++at_.number) {
      found.mu = weights[at_.number];
      note(found);
      found.outer_iterations = 0;  // counted once
    }
    at_.number = 0;
    ++at_.clusterings;
    tell(found, options_.restarts);
  }

  /// Solves the weight at hand from these labels and adds what comes of it.
  void take(double mu, const std::vector<Label>& from) {
    if (!at_.iterations) solution_.partition.assign(problem_, from);
    add(mu > 0 ? solve_fair(mu) : solve_plain(), mu);
  }

  /// Adds the clustering at hand, which is a run's answer to the weight of that number.
  void add(VfairWeight found, double mu) {
    found = measured(found);
    found.mu = mu;
    keep(found);
    note(found);
    ++at_.clusterings;
    tell(found, weights_solved(options_));
  }

  /// With cost and balance of the labels at hand.
  [[nodiscard]] VfairWeight measured(VfairWeight found) const {
    found.cost = solution_.partition.cost(problem_);
    found.balance = solution_.partition.bottleneck().balance.value();
    return found;
  }
  /// As one of the weight at hand.
  void note(const VfairWeight& found) {
    if (at_.number == at_.weights.size()) {
      at_.weights.push_back(found);
    } else {
      at_.weights[at_.number] = better_of(at_.weights[at_.number], found);
    }
  }
  void tell(const VfairWeight& found, std::int64_t total) const {
    control_.tell(
        solvers::progress(can_be_balanced_ ? "weight" : "run", at_.clusterings, total,
                          fmt::format("cost {:.6g}, balance {:.4g}", found.cost, found.balance)));
  }

  /// Only those that no other dominates stay, as labels take most of the memory.
  void keep(const VfairWeight& found) {
    const auto covers = [](const auto& a, const auto& b) {
      return a.cost <= b.cost && a.balance >= b.balance;
    };
    const auto is_covering = [&](const auto& one) { return covers(one, found); };
    if (std::ranges::any_of(at_.front, is_covering)) return;
    std::erase_if(at_.front, [&](const auto& one) { return covers(found, one); });
    at_.front.push_back(
        {found.cost, found.balance, labels_by_row(problem_, solution_.partition.labels())});
  }

 private:
  /// Lloyd's iterations on the labels at hand.
  VfairWeight solve_plain() {
    const LloydIterations done =
        lloyd_iterations(problem_, solution_, options_.outer_iterations, [this] { heart_.beat(); });
    at_.comparisons += done.comparisons;
    VfairWeight weight;
    weight.outer_iterations = done.count;
    weight.objective = static_cast<double>(problem_.points()) * solution_.partition.cost(problem_);
    weight.stop = done.fixed_point ? VfairStop::converged : VfairStop::iterations_done;
    return weight;
  }

  /// Replaces the labels at hand by those of weight mu.
  VfairWeight solve_fair(double mu) {
    if (!at_.iterations) at_.iterations.emplace().seen.push_back(digest());
    while (at_.iterations->weight.outer_iterations < options_.outer_iterations) {
      solvers::obey(control_.wanted(), control_, [this] { return state(); });
      if (!iterate(mu, *at_.iterations)) break;
    }
    VfairWeight weight = at_.iterations->weight;
    weight.objective = at_.iterations->best_objective;
    solution_.partition.assign(problem_, at_.iterations->best);
    at_.iterations.reset();
    return weight;
  }

  /// @return false: it was the last outer iteration.
  bool iterate(double mu, VfairIterations<Label>& at) {
    VfairWeight& weight = at.weight;
    const double before = weight.objective;
    take_outer_iteration(mu, weight);
    const std::string now = digest();
    if (at.best.empty() || weight.objective < at.best_objective) {
      at.best_objective = weight.objective;
      at.best = labels_at_hand();
    }
    if (now == at.seen.back() || (weight.outer_iterations > 2 &&
                                  settled(weight.objective, before, options_.outer_tolerance))) {
      weight.stop = VfairStop::converged;
      return false;
    }
    if (std::ranges::find(at.seen, now) != at.seen.end()) {
      weight.stop = VfairStop::cycle;
      return false;
    }
    at.seen.push_back(now);
    return true;
  }

  void take_outer_iteration(double mu, VfairWeight& weight) {
    solution_.set_exact_centres(problem_);
    soft_.start(solution_.centres);
    const std::int64_t updates_before = weight.inner_iterations;
    minimise_bound(mu, weight);
    at_.comparisons +=
        (1 + weight.inner_iterations - updates_before) * comparisons_of_all(problem_);
    weight.objective = soft_.objective(mu);
    ++weight.outer_iterations;
    soft_.hard_labels<Label>(labels_);
    solution_.partition.assign(problem_, labels_);
    if (!solution_.partition.has_empty_cluster()) return;
    at_.comparisons += refill_empty_clusters(problem_, solution_.centres, solution_.partition,
                                             [this] { heart_.beat(); });
    ++weight.refills;
  }

  /// Updates the memberships until E settles, and with safe steps until it does so at the smallest
  /// L that still descends.
  void minimise_bound(double mu, VfairWeight& weight) {
    const bool safe = options_.step == VfairStep::descent;
    StepLength length(soft_, options_.lipschitz);
    double energy = 0;
    std::int64_t taken = 0;
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
        if (!length.shorten()) return;
        continue;
      }
      const bool at_rest = ++taken > 2 && settled(energy, before, options_.inner_tolerance);
      if (at_rest && !length.may_lengthen()) return;
      length.taken(at_rest);
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
  bool can_be_balanced_;
  std::vector<Label> labels_;
  VfairState<Label> at_;
};

}  // namespace

VfairResult vfairkm(const Problem& problem, const VfairOptions& options, std::uint64_t seed,
                    const std::string& task_key, const solvers::Control& control) {
  validate_for(problem, options);
  const solvers::LastingWish wish(control);
  return with_label_type(problem, [&]<class Label>(Label) {
    return VfairRun<Label>(problem, options, wish.control()).run({seed, task_key, "vfairkm/start"});
  });
}

double vfairkm_bytes(const Problem& problem, const VfairOptions& options) {
  const double labels = static_cast<double>(problem.points()) *
                        static_cast<double>(weights_solved(options)) *
                        (problem.clusters() <= 256 ? 1 : 2);
  return SoftAssignment::bytes(problem) + labels;
}

}  // namespace fairfront::clustering
