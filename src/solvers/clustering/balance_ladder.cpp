#include "solvers/clustering/balance_ladder.hpp"

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
#include "solvers/clustering/packing.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::string_view magic = "balance_ladder state 1\n";

/// A stop was wanted in the middle of a step.
struct Stopped {};

template <class Label>
class Ladder {
 public:
  Ladder(const Problem& problem, const BalanceLadderOptions& options, std::uint64_t seed,
         const std::string& task_key, const BalanceLadderControl& control)
      : problem_{problem},
        options_{options},
        control_{control},
        start_key_{seed, task_key, "balance_ladder/start"},
        relocation_key_{seed, task_key, "balance_ladder/relocation"},
        blocks_{problem},
        archive_{problem, options.boxes},
        search_{problem, blocks_},
        solution_{problem, blocks_} {}

  BalanceLadderResult run() {
    if (control_.resume != nullptr) restore(*control_.resume);
    try {
      while (std::ssize(result_.trace) < steps()) {
        obey_between_steps();
        step(std::ssize(result_.trace));
        finish_step();
      }
    } catch (const Stopped&) {
      result_.interrupted = true;
      return std::move(result_);
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

  [[nodiscard]] RunWish wish() const { return control_.wish ? control_.wish() : RunWish::go_on; }

  void obey_between_steps() {
    const RunWish now = wish();
    const bool wanted = now != RunWish::go_on || checkpoint_is_due_;
    checkpoint_is_due_ = false;
    if (wanted && control_.save) control_.save(pack());
    if (now == RunWish::stop) throw Stopped();
  }

  /// There is no state within a step: a checkpoint waits for its end.
  void obey_within_step() {
    const RunWish now = wish();
    if (now == RunWish::stop) throw Stopped();
    if (now == RunWish::checkpoint) checkpoint_is_due_ = true;
  }

  /// Everything the next step needs: random streams follow from its number, costs, balances and
  /// centres from the labels.
  [[nodiscard]] std::string pack() const {
    Packer packer;
    packer.raw(magic);
    packer.number(problem_.points());
    packer.number(options_.boxes);
    packer.number(result_.floors_tried);
    packer.number(result_.gains);
    packer.array(std::span{result_.trace});
    for (const auto& entry : archive_.entries()) {
      if (!entry.empty()) packer.array(std::span<const Label>{entry.labels});
    }
    return packer.take();
  }

  void restore(const std::string& state) {
    Unpacker unpacker(state);
    if (unpacker.raw(magic.size()) != magic) {
      throw base::InputError("a checkpoint is not one of balance_ladder");
    }
    const bool fits = unpacker.number<std::int64_t>() == problem_.points() &&
                      unpacker.number<std::int64_t>() == options_.boxes;
    if (!fits) throw base::InputError("a checkpoint is of another problem");
    result_.floors_tried = unpacker.number<std::int64_t>();
    result_.gains = unpacker.number<std::int64_t>();
    result_.trace = unpacker.array<std::vector<BalanceLadderStep>>();
    while (!unpacker.at_end()) {
      const auto labels = unpacker.array<std::vector<Label>>();
      const bool known = std::ssize(labels) == problem_.points() &&
                         std::ranges::all_of(labels, [this](Label label) {
                           return static_cast<std::int64_t>(label) < problem_.clusters();
                         });
      if (!known) throw base::InputError("a checkpoint is of another problem");
      solution_.partition.assign(problem_, blocks_, labels);
      archive_.put_back(solution_.partition);
    }
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
    std::vector<Label> cheapest;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < options_.seedings; ++i) {
      solution_.partition.assign(problem_, blocks_,
                                 kmeans_plus_plus_labels<Label>(problem_, stream));
      lloyd_iterations(problem_, blocks_, solution_, options_.lloyd_iterations);
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
    partition.assign(problem_, blocks_, source.labels);
    solution_.set_exact_centres(problem_);
    for (std::int64_t i = 0; i < problem_.columns(); ++i) {
      centres.at(cluster)[i * Centres::lanes] = problem_.point(point)[i];
    }
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const auto nearest = static_cast<Label>(centres.nearest(problem_.point(p)));
      if (nearest != partition.label(p)) partition.relabel(problem_, blocks_, p, nearest);
    }
    refill_empty_clusters(problem_, blocks_, centres, partition);
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
    if (control_.observer) control_.observer(result_.trace.back());
  }

  const Problem& problem_;
  const BalanceLadderOptions& options_;
  const BalanceLadderControl& control_;
  base::StreamKey start_key_;
  base::StreamKey relocation_key_;
  Blocks blocks_;
  BoxArchive<Label> archive_;
  BalancedSearch<Label> search_;
  Solution<Label> solution_;  ///< of k-means and of relocations
  BalanceLadderResult result_;
  bool checkpoint_is_due_ = false;
};

}  // namespace

BalanceLadderResult balance_ladder(const Problem& problem, const BalanceLadderOptions& options,
                                   std::uint64_t seed, const std::string& task_key,
                                   const BalanceLadderControl& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return Ladder<Label>(problem, options, seed, task_key, control).run();
  });
}

}  // namespace fairfront::clustering
