#include "solvers/alternating/pf_smg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "optimise/least_norm.hpp"
#include "parallel/agree.hpp"
#include "parallel/reduce_front.hpp"
#include "pareto/hypervolume.hpp"
#include "solvers/alternating/pf_smg_state.hpp"

namespace fairfront::alternating {
namespace {

/// Says when a point was made: iteration (0: start list) and number of the candidate in it.
std::uint64_t birth_of(std::int64_t iteration, std::int64_t candidate) {
  return static_cast<std::uint64_t>(iteration) << 32 | static_cast<std::uint64_t>(candidate);
}

/// Multi-gradient steps from one point after another.
class MultiGradient {
 public:
  explicit MultiGradient(const StochasticFunctions& problem)
      : problem_{problem},
        n_{problem.exact.box.get().lower().size()},
        m_{static_cast<std::size_t>(problem.objectives)},
        gradients_(m_ * n_),
        products_(m_ * m_) {}

  void step(double alpha, base::Stream& stream, std::vector<double>& x) {
    for (std::size_t i = 0; i < m_; ++i) {
      problem_.draw(static_cast<std::int64_t>(i), x, stream, row(i));
    }
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        double product = 0;
        for (std::size_t j = 0; j < n_; ++j) product += row(i)[j] * row(k)[j];
        products_[i * m_ + k] = products_[k * m_ + i] = product;
      }
    }
    const std::vector<double> weights = optimise::least_norm_weights(products_);
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) x[j] -= alpha * weights[i] * row(i)[j];
    }
    problem_.exact.box.get().project(x);
  }

  /// @throws std::domain_error  the point or one of its values is not finite.
  [[nodiscard]] std::vector<double> values(std::span<const double> x) const {
    std::vector<double> all;
    double sum = 0;
    for (std::int64_t i = 0; i < problem_.objectives; ++i) {
      all.push_back(problem_.exact.value(i, x));
      sum += all.back();
    }
    for (const double component : x) sum += component;
    if (std::isfinite(sum)) return all;
    throw std::domain_error("pf_smg: a point is not finite: shorten the steps, see `step`");
  }

 private:
  std::span<double> row(std::size_t i) { return std::span{gradients_}.subspan(i * n_, n_); }

  const StochasticFunctions& problem_;
  std::size_t n_;
  std::size_t m_;
  std::vector<double> gradients_;  ///< shape (m, n)
  std::vector<double> products_;   ///< shape (m, m)
};

/// One rank's part of a run.
class SmgList {
 public:
  SmgList(const parallel::Comm& team, const StochasticFunctions& problem,
          std::span<const double> reference, const PfSmgOptions& options, std::uint64_t seed,
          const std::string& task_key, const solvers::Control& control)
      : team_{team},
        problem_{problem},
        box_{problem.exact.box.get()},
        reference_{reference},
        options_{options},
        control_{control},
        heart_{control},
        start_key_{seed, task_key, "pf_smg/start"},
        step_key_{seed, task_key, "pf_smg/step"},
        multi_gradient_{problem},
        list_{static_cast<std::size_t>(problem.objectives)},
        born_{static_cast<std::size_t>(problem.objectives)} {}

  PfSmgResult run() {
    if (parallel::all_reduce_max(team_, control_.resume ? 1 : 0) > 0) {
      restore();
    } else {
      if (!work([&] { draw_starts(); })) throw solvers::Interrupted();  // there is no state yet
      adopt();
    }
    for (std::int64_t candidates = affordable(); candidates > 0; candidates = affordable()) {
      obey();
      if (!work([&] { move(candidates); })) {  // the list is as it was
        obey();
      }
      gradients_ += candidates * cost();
      values_ += candidates * problem_.objectives;
      adopt();
    }
    return {list_, x_, trace_, gradients_, values_};
  }

 private:
  [[nodiscard]] std::int64_t iteration() const { return std::ssize(trace_); }
  /// Gradients of one candidate.
  [[nodiscard]] std::int64_t cost() const { return options_.steps * problem_.objectives; }
  /// Candidates of the next iteration: fewer than all where the gradients do not suffice.
  [[nodiscard]] std::int64_t affordable() const {
    const std::int64_t all =
        static_cast<std::int64_t>(list_.size()) * (options_.copies + 1) * options_.runs;
    return std::min(all, (options_.most_gradients - gradients_) / cost());
  }

  void draw_starts() {
    forget_born();
    for (std::int64_t k = team_.rank(); k < options_.starts; k += team_.size()) {
      base::Stream stream(start_key_, static_cast<std::uint64_t>(k));
      bear(k, box_.random_point(stream));
    }
    values_ = options_.starts * problem_.objectives;
  }

  /// This rank's share of the candidates.
  void move(std::int64_t candidates) {
    forget_born();
    const std::int64_t of_entry = (options_.copies + 1) * options_.runs;
    // Iteration 1, the first that moves, takes whole steps.
    const double shrink = 1 / std::sqrt(static_cast<double>(iteration()));
    for (std::int64_t c = team_.rank(); c < candidates; c += team_.size()) {
      base::Stream stream(step_key_, birth_of(iteration(), c));
      std::vector<double> x = x_[static_cast<std::size_t>(c / of_entry)];
      if (c % of_entry >= options_.runs) perturb(shrink * options_.perturbation, stream, x);
      for (std::int64_t k = 0; k < options_.steps; ++k) {
        pending_ = std::max(pending_, heart_.ask());
        if (pending_ == solvers::Request::stop) throw solvers::Interrupted();
        multi_gradient_.step(shrink * options_.step, stream, x);
      }
      bear(c, std::move(x));
    }
  }

  void perturb(double deviation, base::Stream& stream, std::vector<double>& x) const {
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] += deviation * (box_.upper()[j] - box_.lower()[j]) * stream.normal();
    }
    box_.project(x);
  }

  void forget_born() {
    born_.clear();
    born_x_.clear();
  }
  void bear(std::int64_t candidate, std::vector<double> x) {
    const std::vector<double> values = multi_gradient_.values(x);
    if (list_.covers(values)) return;
    born_.add(values, birth_of(iteration(), candidate));
    born_x_.emplace(birth_of(iteration(), candidate), std::move(x));
  }

  /// The list with what all ranks have borne becomes the list. Collective.
  void adopt() {
    pareto::Front next = merge(list_, parallel::merge_nondominated(team_, pareto::Front(born_)));
    const auto budget = static_cast<std::size_t>(options_.list_budget);
    if (next.size() > budget) next = next.subset(pareto::thin(next, budget, reference_).kept);
    const std::vector<std::string> fresh = fresh_points(next);
    std::vector<std::size_t> read(fresh.size(), 0);
    std::map<std::uint64_t, std::size_t> place;
    for (std::size_t k = 0; k < list_.size(); ++k) place.emplace(list_.origin(k), k);
    std::vector<std::vector<double>> points;
    for (std::size_t k = 0; k < next.size(); ++k) {
      const std::uint64_t origin = next.origin(k);
      if (const auto old = place.find(origin); old != place.end()) {
        points.push_back(std::move(x_[old->second]));
        continue;
      }
      const std::size_t owner = owner_of(origin);
      std::vector<double> x(box_.lower().size());
      const std::size_t bytes = x.size() * sizeof(double);
      std::memcpy(x.data(), fresh[owner].data() + read[owner], bytes);
      read[owner] += bytes;
      points.push_back(std::move(x));
    }
    list_ = std::move(next);
    x_ = std::move(points);
    record();
  }

  [[nodiscard]] std::size_t owner_of(std::uint64_t origin) const {
    return (origin & 0xffffffffULL) % static_cast<std::uint64_t>(team_.size());
  }

  /// Of every rank the points that it has borne and that stay, in the list's order. Collective.
  [[nodiscard]] std::vector<std::string> fresh_points(const pareto::Front& next) const {
    std::string mine;
    for (std::size_t k = 0; k < next.size(); ++k) {
      const auto found = born_x_.find(next.origin(k));
      if (found == born_x_.end()) continue;
      mine.append(reinterpret_cast<const char*>(found->second.data()),
                  found->second.size() * sizeof(double));
    }
    return parallel::broadcast(team_, 0, parallel::gather(team_, mine));
  }

  void record() {
    const double volume = pareto::hypervolume(list_, reference_);
    trace_.push_back({iteration(), gradients_, static_cast<std::int64_t>(list_.size()), volume});
    control_.tell(
        solvers::progress("gradient", gradients_, options_.most_gradients,
                          fmt::format("list {}, hypervolume {:.6g}", list_.size(), volume)));
  }

  /// Does this rank's part of something that a wish to stop may end.
  /// @return  whether it was done on every rank. Collective.
  [[nodiscard]] bool work(const std::function<void()>& local) {
    bool ended = false;
    parallel::agree(team_, "", [&] {
      try {
        local();
      } catch (const solvers::Interrupted&) {
        ended = true;
      }
    });
    return parallel::all_reduce_max(team_, ended ? 1 : 0) == 0;
  }

  /// Does what the most demanding rank wants. Collective.
  void obey() {
    using solvers::Request;
    const auto mine = static_cast<int>(std::max(pending_, control_.wanted()));
    pending_ = Request::go_on;
    const auto wanted = static_cast<Request>(parallel::all_reduce_max(team_, mine));
    if (wanted == Request::go_on) return;
    parallel::agree(team_, "", [&] {
      if (team_.is_root() && control_.save) {
        control_.save(pack_state(PfSmgState{list_.points(), x_, trace_, values_}));
      }
    });
    if (wanted == Request::stop) throw solvers::Interrupted();
  }

  /// Goes on from a state that rank 0 has. Collective.
  void restore() {
    const std::string bytes = parallel::broadcast(team_, 0, control_.resume.value_or(""));
    parallel::agree(team_, "", [&] { take_up(unpack_pf_smg_state(bytes)); });
  }

  /// Local. @throws base::CheckpointError  the state is not one of this run.
  void take_up(PfSmgState state) {
    const auto require = [](bool holds) {
      if (!holds)
        throw base::CheckpointError("a checkpoint is of another problem or other options");
    };
    const pareto::Front list(state.list);
    require(state.list.objectives() == list_.objectives() && list.size() == state.list.size() &&
            std::ssize(list.points().origins()) <= std::max(options_.list_budget, options_.starts));
    for (std::size_t k = 0; k < list.size(); ++k) {
      require(list.origin(k) == state.list.origin(k) &&
              box_.variables() == std::ssize(state.x[k]) && box_.contains(state.x[k]) &&
              std::ranges::equal(multi_gradient_.values(state.x[k]), list[k]));
    }
    require(state.trace.back().hypervolume == pareto::hypervolume(list, reference_) &&
            state.trace.back().gradients <= options_.most_gradients);
    list_ = list;
    x_ = std::move(state.x);
    trace_ = std::move(state.trace);
    gradients_ = trace_.back().gradients;
    values_ = state.values;
  }

  const parallel::Comm& team_;
  const StochasticFunctions& problem_;
  const optimise::Box& box_;
  std::span<const double> reference_;
  const PfSmgOptions& options_;
  const solvers::Control& control_;
  solvers::Heartbeat heart_;
  solvers::Request pending_ = solvers::Request::go_on;  ///< what was wanted between iterations
  base::StreamKey start_key_;
  base::StreamKey step_key_;
  MultiGradient multi_gradient_;

  pareto::Front list_;
  std::vector<std::vector<double>> x_;  ///< of the list, on every rank
  std::vector<PfSmgIteration> trace_;
  std::int64_t gradients_ = 0;
  std::int64_t values_ = 0;

  pareto::Points born_;  ///< this rank's candidates that no entry covers
  std::map<std::uint64_t, std::vector<double>> born_x_;
};

}  // namespace

base::OptionTable options_of(PfSmgOptions& options) {
  base::OptionTable table("pf_smg");
  table
      .add("starts", options.starts, base::between<std::int64_t>(1, 1'000'000), "",
           "This many points are drawn in the box; those that no other dominates begin the list.")
      .add("copies", options.copies, base::between<std::int64_t>(0, 1000), "",
           "This many perturbed copies of each entry are moved beside it in every iteration.")
      .add("runs", options.runs, base::between<std::int64_t>(1, 1000), "",
           "Each entry and each copy gets this many runs, with draws of their own: the paper's p1.")
      .add("steps", options.steps, base::between<std::int64_t>(1, 1'000'000), "steps",
           "A run has this many multi-gradient steps: the paper's p2.")
      .add("step", options.step, base::above(0.0), "",
           "A step of the first iteration is this long; iteration t takes step / sqrt(t).")
      .add("perturbation", options.perturbation, base::between(0.0, 1.0), "share",
           "Copies have this standard deviation in the first iteration, as a share of the box's "
           "intervals; it shrinks as the step size does.")
      .add("list_budget", options.list_budget, base::between<std::int64_t>(3, 1'000'000), "",
           "At most this many entries are kept; those with the least hypervolume contribution go "
           "first.")
      .add("most_gradients", options.most_gradients,
           base::between<std::int64_t>(1, 1'000'000'000'000), "gradients",
           "The run ends when it has drawn so many gradients of single objectives.")
      .assign_role(base::Role::tuning, {"step", "perturbation"});
  return table;
}

void validate(const PfSmgOptions& options) {
  const auto require = [](bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument(rule);
  };
  require(options.starts >= 1, "PfSmgOptions::starts must be >= 1");
  require(options.copies >= 0, "PfSmgOptions::copies must be >= 0");
  require(options.runs >= 1, "PfSmgOptions::runs must be >= 1");
  require(options.steps >= 1, "PfSmgOptions::steps must be >= 1");
  require(options.step > 0, "PfSmgOptions::step must be > 0");
  require(options.perturbation >= 0, "PfSmgOptions::perturbation must be >= 0");
  require(options.list_budget >= 3, "PfSmgOptions::list_budget must be >= 3");
  require(options.most_gradients >= 1, "PfSmgOptions::most_gradients must be >= 1");
  const auto of_entry = static_cast<double>(options.copies + 1) * static_cast<double>(options.runs);
  require(of_entry * static_cast<double>(options.list_budget) < 0x1p32,
          "PfSmgOptions: list_budget (copies + 1) runs must be below 2^32");
}

PfSmgResult pf_smg(const parallel::Comm& team, const StochasticFunctions& problem,
                   std::span<const double> reference, const PfSmgOptions& options,
                   std::uint64_t seed, const std::string& task_key,
                   const solvers::Control& control) {
  validate(options);
  return SmgList(team, problem, reference, options, seed, task_key, control).run();
}

}  // namespace fairfront::alternating
