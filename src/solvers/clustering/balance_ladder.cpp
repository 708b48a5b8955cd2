#include "solvers/clustering/balance_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/box_archive.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {
namespace {

using solvers::Request;

constexpr std::string_view magic = "balance_ladder state 2\n";

template <class Label>
class Ladder {
 public:
  Ladder(const Problem& problem, const BalanceLadderOptions& options, std::uint64_t seed,
         const std::string& task_key, const solvers::Control& control)
      : problem_{problem},
        options_{options},
        control_{control},
        start_key_{seed, task_key, "balance_ladder/start"},
        relocation_key_{seed, task_key, "balance_ladder/relocation"},
        archive_{problem, options.boxes},
        heart_{control},
        search_{problem, [this] { obey_now_and_then(); }},
        solution_{problem} {}

  BalanceLadderResult run() {
    if (control_.resume) restore(*control_.resume);
    while (std::ssize(result_.trace) < steps()) {
      obey_between_steps();
      step(std::ssize(result_.trace));
      finish_step();
    }
    result_.front = archive_.front();
    return std::move(result_);
  }

 private:
  /// @param level  0 .. levels; fractions lie between the levels.
  [[nodiscard]] double floor_of(double level) const {
    return problem_.balance_bound() * level / static_cast<double>(options_.levels);
  }

  [[nodiscard]] std::vector<Label> copy_of_labels() const {
    const std::span<const Label> labels = search_.partition().labels();
    return {labels.begin(), labels.end()};
  }

  [[nodiscard]] std::int64_t steps() const {
    return options_.starts + options_.relocations + options_.sweeps;
  }

  /// Starts first, then relocations, then sweeps.
  void step(std::int64_t number) {
    if (number < options_.starts) return start(number);
    number -= options_.starts;
    if (number < options_.relocations) return relocate(number);
    sweep(number - options_.relocations);
  }

  void obey_between_steps() {
    const Request now = control_.wanted();
    const bool wanted = now != Request::go_on || checkpoint_is_due_;
    checkpoint_is_due_ = false;
    if (wanted && control_.save) control_.save(pack());
    if (now == Request::stop) throw solvers::Interrupted();
  }

  /// There is no state within a step: a checkpoint waits for its end.
  void obey_within_step() { obey_within_step(control_.wanted()); }
  void obey_now_and_then() { obey_within_step(heart_.ask()); }
  void obey_within_step(Request now) {
    if (now == Request::stop) throw solvers::Interrupted();
    if (now == Request::checkpoint) checkpoint_is_due_ = true;
  }

  /// Everything the next step needs: random streams follow from its number, costs, balances and
  /// centres from the labels.
  [[nodiscard]] std::string pack() const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.number(problem_.points());
    packer.number(problem_.clusters());
    packer.number(options_.boxes);
    packer.number(result_.floors_tried);
    packer.number(result_.gains);
    packer.array(std::span{result_.trace});
    for (const auto& entry : archive_.entries()) {
      if (!entry.empty()) packer.array(std::span<const Label>{entry.labels});
    }
    return packer.take();
  }

  /// @throws base::CheckpointError  the state is not one that a run with these options leaves.
  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    require(unpacker.raw(magic.size()) == magic,
            "a checkpoint is not one of balance_ladder, or of another version");
    require(unpacker.number<std::int64_t>() == problem_.points() &&
                unpacker.number<std::int64_t>() == problem_.clusters() &&
                unpacker.number<std::int64_t>() == options_.boxes,
            "a checkpoint is of another problem or other options");
    result_.floors_tried = unpacker.number<std::int64_t>();
    result_.gains = unpacker.number<std::int64_t>();
    result_.trace = unpacker.array<std::vector<BalanceLadderStep>>();
    while (!unpacker.at_end()) put_back(unpacker.array<std::vector<Label>>());
    require_consistent();
  }

  void put_back(const std::vector<Label>& labels) {
    require(std::ssize(labels) == problem_.points() &&
                std::ranges::all_of(labels,
                                    [this](Label label) {
                                      return static_cast<std::int64_t>(label) < problem_.clusters();
                                    }),
            "a checkpoint has labels of another problem");
    solution_.partition.assign(problem_, labels);
    require(archive_.put_back(solution_.partition), "a checkpoint has two clusterings of one box");
  }

  void require_consistent() const {
    const auto& trace = result_.trace;
    double hypervolume = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      require(trace[i].step == static_cast<std::int64_t>(i) + 1 && trace[i].steps == steps() &&
                  trace[i].hypervolume >= hypervolume,
              "a checkpoint's trace is not one of these options");
      hypervolume = trace[i].hypervolume;
    }
    require(std::ssize(trace) <= steps() && hypervolume == archive_.hypervolume(),
            "a checkpoint's trace is not that of its clusterings");
    require(
        result_.floors_tried >= 0 && result_.gains >= 0 && result_.gains <= options_.relocations,
        "a checkpoint's counts are out of range");
  }

  static void require(bool holds, const char* what) {
    if (!holds) throw base::CheckpointError(what);
  }

  /// A ladder of its own from k-means, up and down.
  void start(std::int64_t number) {
    base::Stream stream(start_key_, static_cast<std::uint64_t>(number));
    search_.assign(cheapest_kmeans(stream));
    const std::int64_t top = climb(0, options_.levels + 1);
    descend(top, options_.levels + 1);
  }

  /// The cheapest of several runs of k-means. They need not converge: floor 0 improves the rest.
  [[nodiscard]] std::vector<Label> cheapest_kmeans(base::Stream& stream) {
    const Partition<Label>& partition = solution_.partition;
    const auto obey = [this] { obey_now_and_then(); };
    std::vector<Label> cheapest;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < options_.seedings; ++i) {
      solution_.partition.assign(problem_, kmeans_plus_plus_labels<Label>(problem_, stream, obey));
      lloyd_iterations(problem_, solution_, options_.lloyd_iterations, obey);
      if (const double cost = partition.cost(problem_); cost < least) {
        least = cost;
        cheapest.assign(partition.labels().begin(), partition.labels().end());
      }
    }
    return cheapest;
  }

  /// Brings the clustering at hand to the floor and improves it there.
  /// @return whether the floor holds.
  bool settle(double floor) {
    obey_within_step();
    ++result_.floors_tried;
    const auto seen = [this](const Partition<Label>& partition) { archive_.offer(partition); };
    if (!search_.repair(floor, seen)) return false;
    for (std::int64_t pass = 0; pass < options_.passes; ++pass) {
      const bool moved = search_.move_points(floor);
      const bool exchanged = search_.exchange_points();
      if (!moved && !exchanged) break;
    }
    archive_.offer(search_.partition());
    return true;
  }

  /// Settles at `level` and those above, up to the first that does not hold, or until `patience`
  /// levels in a row have added nothing. The clustering at hand is then one that holds its floor.
  /// @return the first level that was not reached.
  std::int64_t climb(std::int64_t level, std::int64_t patience) {
    std::int64_t idle = 0;
    std::vector<Label> held = copy_of_labels();
    for (; level <= options_.levels && idle < patience; ++level) {
      const double before = archive_.hypervolume();
      if (!settle(floor_of(static_cast<double>(level)))) {
        bisect(level, std::move(held));
        return level;
      }
      idle = archive_.hypervolume() > before ? 0 : idle + 1;
      held = copy_of_labels();
    }
    return level;
  }

  /// Looks for the greatest floor that holds between `level` - 1 and `level`.
  void bisect(std::int64_t level, std::vector<Label> held) {
    auto low = static_cast<double>(level - 1);
    auto high = static_cast<double>(level);
    for (std::int64_t i = 0; i < options_.bisections; ++i) {
      const double middle = 0.5 * (low + high);
      search_.assign(held);
      if (settle(floor_of(middle))) {
        low = middle;
        held = copy_of_labels();
      } else {
        high = middle;
      }
    }
    search_.assign(held);
  }

  /// Settles at the levels below `level`, until `patience` in a row have added nothing.
  void descend(std::int64_t level, std::int64_t patience) {
    std::int64_t idle = 0;
    while (level-- > 0 && idle < patience) {
      const double before = archive_.hypervolume();
      if (!settle(floor_of(static_cast<double>(level)))) return;
      idle = archive_.hypervolume() > before ? 0 : idle + 1;
    }
  }

  void relocate(std::int64_t attempt) {
    base::Stream stream(relocation_key_, static_cast<std::uint64_t>(attempt));
    const auto draw = [&stream](std::int64_t bound) {
      return std::int64_t{stream.below(static_cast<std::uint32_t>(bound))};
    };
    const std::int64_t level = draw(options_.levels);
    const std::int64_t cluster = draw(problem_.clusters());
    const std::int64_t point = draw(problem_.points());
    const double floor = floor_of(static_cast<double>(level));
    const auto* source = archive_.cheapest_from(floor);
    if (source == nullptr) return;
    put_centre(*source, cluster, point);
    const double before = archive_.hypervolume();
    if (!settle(floor) || !(archive_.hypervolume() > before)) return;
    ++result_.gains;
    const std::vector<Label> found = copy_of_labels();
    climb(level + 1, options_.reach);
    search_.assign(found);
    descend(level, options_.reach);
  }

  /// Takes up a clustering with one centre put on a point and all points at their nearest centre.
  void put_centre(const typename BoxArchive<Label>::Entry& source, std::int64_t cluster,
                  std::int64_t point) {
    Partition<Label>& partition = solution_.partition;
    Centres& centres = solution_.centres;
    partition.assign(problem_, source.labels);
    solution_.set_exact_centres(problem_);
    centres.set(cluster, problem_.coordinates(point));
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const auto nearest = static_cast<Label>(centres.nearest(problem_.point(p)));
      if (nearest != partition.label(p)) partition.relabel(problem_, p, nearest);
    }
    refill_empty_clusters(problem_, centres, partition, [this] { obey_now_and_then(); });
    search_.assign(partition.labels());
  }

  /// Settles what the archive holds, at floors shifted by another share of a level in every sweep:
  /// multiples of the golden ratio are spread evenly, however many there are.
  void sweep(std::int64_t number) {
    constexpr double golden = 0.6180339887498949;
    const double multiple = golden * static_cast<double>(number + 1);
    const double shift = multiple - std::floor(multiple);
    for (std::int64_t level = options_.levels; level-- > 0;) {
      const double floor = floor_of(static_cast<double>(level) + shift);
      const auto* source = archive_.cheapest_from(floor);
      if (source == nullptr) continue;
      search_.assign(source->labels);
      settle(floor);
    }
  }

  void finish_step() {
    result_.trace.push_back({std::ssize(result_.trace) + 1, steps(), archive_.hypervolume()});
    control_.tell(solvers::progress("step", std::ssize(result_.trace), steps(),
                                    fmt::format("hypervolume {:.6g}", archive_.hypervolume())));
  }

  const Problem& problem_;
  const BalanceLadderOptions& options_;
  const solvers::Control& control_;
  base::StreamKey start_key_;
  base::StreamKey relocation_key_;
  BoxArchive<Label> archive_;
  solvers::Heartbeat heart_;
  BalancedSearch<Label> search_;
  Solution<Label> solution_;  ///< of k-means and of relocations
  BalanceLadderResult result_;
  bool checkpoint_is_due_ = false;
};

}  // namespace

BalanceLadderResult balance_ladder(const Problem& problem, const BalanceLadderOptions& options,
                                   std::uint64_t seed, const std::string& task_key,
                                   const solvers::Control& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return Ladder<Label>(problem, options, seed, task_key, control).run();
  });
}

}  // namespace fairfront::clustering
