#include "solvers/clustering/sampled_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/carried_clustering.hpp"
#include "solvers/clustering/carried_ladder.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/ladder_rounds.hpp"
#include "solvers/clustering/ladder_run.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

void require(bool holds, const char* what) {
  if (!holds) throw base::CheckpointError(what);
}

constexpr const char* another = "a checkpoint is of another problem or other options";

/// Where a run stands; each stage goes on from what the one before has left.
enum class Stage : std::uint64_t {
  sample,   ///< a ladder on the sample
  carried,  ///< clusterings of its front on all points
  refined,  ///< what lies between them
};

/// Of many points a ranking is dear, and in large or many clusters a pass that gains next to
/// nothing as well.
SettleRules rules_of_many(const Problem& problem, const BalanceLadderOptions& options) {
  if (NearClusters::are_of_use(problem)) {
    return {.passes = options.passes, .mended = 0.5, .worth_another = 0.02};
  }
  constexpr std::int64_t large = 1000;  // members
  if (problem.points() < large * problem.clusters()) {
    return {.passes = options.passes, .mended = 0.5};
  }
  return {.passes = options.passes, .turn = 0.02, .worth_another = 0.02};
}

/// In many clusters each misses little, of which one ranking is to mend more than one move.
SettleRules rules_of_sample(const Problem& sample, const BalanceLadderOptions& options) {
  if (NearClusters::are_of_use(sample)) return {.passes = options.passes, .mended = 0.5};
  return {.passes = options.passes};
}

template <class Label>
class SampledLadder {
 public:
  SampledLadder(const Crew& crew, const Problem& problem, const Problem& sample,
                const BalanceLadderOptions& options, std::uint64_t seed,
                const std::string& task_key, const solvers::Control& control)
      : crew_{crew},
        problem_{problem},
        sample_{sample},
        options_{options},
        seed_{seed},
        task_key_{task_key},
        control_{control},
        ends_{stage_ends()} {}

  BalanceLadderResult run() {
    crew_.work_to_the_end([this] {
      if (crew_.is_root() && control_.resume) restore(*control_.resume);
    });
    const auto stage = crew_.of_root(std::to_string(static_cast<int>(stage_)));
    stage_ = static_cast<Stage>(std::stoi(stage));
    if (stage_ == Stage::sample) climb_sample();
    if (stage_ == Stage::carried) {
      share_rules();
      carry();
    }
    if (refinements_on_all() > 0) refine();
    return std::move(result_);
  }

 private:
  static constexpr std::string_view magic = "balance_ladder sample state 3\n";
  static constexpr std::int64_t most_on_sample = 50;

  /// Ends of the stages, as shares of the time that all takes.
  struct StageEnds {
    double sample;  ///< without the rules
    double rules;
    double carried;
  };

  /// By what the steps of a stage took on 100,000 and 400,000 rows of ACSIncome, relative to a row
  /// of the sample at a floor of its ladder; of which most are those of the starts.
  [[nodiscard]] StageEnds stage_ends() const {
    constexpr double floors_of_start = 27;  // up and down again
    constexpr double rule = 2.4;
    constexpr double carrying = 0.65;
    const auto steps = [](std::int64_t count) { return static_cast<double>(count); };
    const double on_sample = steps(sample_.points());
    const double on_all = steps(problem_.points());
    const double sample =
        on_sample * (floors_of_start * steps(options_.starts) +
                     floors_of_ladder_step * steps(options_.relocations + refinements_on_sample()));
    const double rules = sample + on_sample * rule * steps(options_.carried);
    const double carried = rules + on_all * carrying * steps(options_.carried);
    const double all = carried + on_all * floors_of_ladder_step * steps(refinements_on_all());
    return {sample / all, rules / all, carried / all};
  }

  [[nodiscard]] std::int64_t refinements_on_sample() const {
    return std::min(options_.refinements, most_on_sample);
  }

  /// The rest of them, as many as look at the same number of points.
  [[nodiscard]] std::int64_t refinements_on_all() const {
    return (options_.refinements - refinements_on_sample()) * sample_.points() / problem_.points();
  }

  /// Collective.
  void climb_sample() {
    const auto save = [this](const std::string& state) { save_stage(state); };
    const auto control = stage_control(sample_, 0, ends_.sample, save);
    with_label_type(sample_, [&]<class SampleLabel>(SampleLabel) {
      std::optional<LadderRun<SampleLabel>> ladder;
      crew_.work_to_the_end([&] {
        ladder.emplace(sample_, options_, refinements_on_sample(),
                       rules_of_sample(sample_, options_), 0, seed_, task_key_, control);
        if (crew_.is_root()) ladder->take_up();
      });
      LadderRounds(crew_, sample_, options_, *ladder).run();
      ClusteringFront front;
      crew_.work_to_the_end([&] {
        if (!crew_.is_root()) return;
        const BalanceLadderResult on_sample = ladder->take_result();
        comparisons_on_sample_ = on_sample.comparisons;
        front = spaced_front(on_sample.front, options_.carried);
      });
      ladder.reset();
      if (crew_.size() > 1) share_front<SampleLabel>(front);
      make_rules(front);
    });
  }

  /// That of rank 0, on every rank. Collective.
  template <class SampleLabel>
  void share_front(ClusteringFront& front) {
    solvers::Packer packer;
    packer.array(std::span<const double>{front.points});
    for (const LabelVector& labels : front.labels) {
      packer.array(std::span<const SampleLabel>{std::get<std::vector<SampleLabel>>(labels)});
    }
    const std::string bytes = crew_.of_root(packer.take());
    crew_.work_to_the_end([&] {
      if (crew_.is_root()) return;
      solvers::Unpacker unpacker(bytes);
      front.points = unpacker.array<std::vector<double>>();
      while (!unpacker.at_end()) {
        front.labels.emplace_back(unpacker.array<std::vector<SampleLabel>>());
      }
    });
  }

  /// Every rank makes its share. Collective.
  void make_rules(const ClusteringFront& front) {
    std::vector<CarriedClustering> mine;
    solvers::Request wanted = solvers::Request::go_on;
    crew_.work_to_the_end([&] {
      solvers::Heartbeat heart(control_);
      const auto obey = [&] {
        wanted = std::max(wanted, heart.ask());
        if (wanted == solvers::Request::stop) throw solvers::Interrupted();
      };
      mine = carry_front(sample_, front, problem_, {at(crew_.rank()), at(crew_.size())}, obey);
    });
    wanted = crew_.most_demanding(wanted);
    solvers::Packer packer;
    pack_rules(packer, mine);
    const std::vector<std::string> texts = crew_.gather(packer.take());
    crew_.work_to_the_end([&] {
      if (!crew_.is_root()) return;
      carried_.resize(front.labels.size());
      for (std::size_t first = 0; first < texts.size(); ++first) {
        solvers::Unpacker unpacker(texts[first]);
        std::vector<CarriedClustering> rules = unpack_rules(unpacker);
        for (std::size_t i = 0; i < rules.size(); ++i) {
          carried_[first + i * texts.size()] = std::move(rules[i]);
        }
      }
      stage_ = Stage::carried;
      state_.reset();
      if (wanted == solvers::Request::checkpoint && control_.save) save_stage(no_trails());
    });
    stage_ = Stage::carried;
  }

  [[nodiscard]] static std::string no_trails() {
    solvers::Packer packer;
    packer.number(std::uint64_t{0});
    return packer.take();
  }

  /// Those of rank 0, on every rank. Collective.
  void share_rules() {
    solvers::Packer packer;
    if (crew_.is_root()) pack_rules(packer, carried_);
    const std::string bytes = crew_.of_root(packer.take());
    crew_.work_to_the_end([&] {
      if (crew_.is_root()) return;
      solvers::Unpacker unpacker(bytes);
      carried_ = unpack_rules(unpacker);
    });
  }

  /// Collective.
  void carry() {
    const auto control = stage_control(problem_, ends_.rules, ends_.carried, nullptr);
    std::optional<CarriedLadder<Label>> ladder;
    const auto save = [&] {
      solvers::Packer packer;
      pack_head(packer);
      ladder->pack(packer);
      if (control_.save) control_.save(packer.take());
    };
    crew_.work_to_the_end([&] {
      ladder.emplace(crew_, problem_, options_, rules_of_many(problem_, options_), carried_,
                     control, save);
      if (!state_) return;
      solvers::Unpacker unpacker(*state_);
      ladder->restore(unpacker);
      require(unpacker.at_end(), "a checkpoint is longer than it says");
      state_.reset();
    });
    ladder->run();
    crew_.work_to_the_end([&] {
      if (crew_.is_root()) take(*ladder);
    });
  }

  /// What has been carried over is the result, or what refinement begins with. Local.
  void take(CarriedLadder<Label>& ladder) {
    result_ = ladder.so_far();
    result_.comparisons += comparisons_on_sample_;
    for (const CarriedClustering& rule : carried_) result_.comparisons += rule.comparisons;
    if (refinements_on_all() == 0) {
      result_.front = ladder.take_front();
      return;
    }
    make_refining();
    refining_->begin_with(std::move(result_));
    ladder.take_all([&](double, double, std::span<const Label> labels) { refining_->put(labels); });
  }

  void make_refining() {
    const auto save = [this](const std::string& state) { save_stage(state); };
    refining_control_ = stage_control(problem_, ends_.carried, 1, save);
    refining_.emplace(problem_, options_, refinements_on_all(), rules_of_many(problem_, options_),
                      std::ssize(carried_), seed_, task_key_, refining_control_);
  }

  /// Collective.
  void refine() {
    crew_.work_to_the_end([this] {
      const bool goes_on = crew_.is_root() && stage_ == Stage::refined;
      if (!refining_) make_refining();
      if (goes_on) refining_->take_up();
      stage_ = Stage::refined;
      state_.reset();
    });
    LadderRounds(crew_, problem_, options_, *refining_).run();
    crew_.work_to_the_end([this] {
      if (crew_.is_root()) result_ = refining_->take_result();
    });
  }

  /// What a stage sees of the caller.
  [[nodiscard]] solvers::Control stage_control(
      const Problem& stage, double from, double to,
      const std::function<void(const std::string&)>& save) {
    solvers::Control control{.request = control_.request, .resume = state_};
    if (control_.report) {
      const double rows =
          static_cast<double>(problem_.points()) / static_cast<double>(stage.points());
      control.report = [this, from, to, rows](const solvers::Progress& now) {
        control_.tell({from + (to - from) * now.fraction, now.text, rows * now.label_bytes});
      };
    }
    if (control_.save) control.save = save;
    return control;
  }

  void save_stage(std::string_view state) const {
    solvers::Packer packer;
    pack_head(packer);
    packer.raw(state);
    control_.save(packer.take());
  }

  void pack_head(solvers::Packer& packer) const {
    packer.raw(magic);
    packer.number(static_cast<std::uint64_t>(stage_));
    packer.number(comparisons_on_sample_);
    pack_rules(packer, carried_);
  }

  static void pack_rules(solvers::Packer& packer, const std::vector<CarriedClustering>& rules) {
    packer.number(static_cast<std::uint64_t>(rules.size()));
    for (const CarriedClustering& rule : rules) {
      packer.number(rule.floor);
      packer.array(std::span{rule.centres});
      packer.array(std::span{rule.potentials});
      packer.number(rule.comparisons);
    }
  }

  /// @throws base::CheckpointError  the state is not one that a run with these options leaves.
  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    require(unpacker.raw(magic.size()) == magic,
            "a checkpoint is not one of balance_ladder, or of another version");
    const auto stage = unpacker.number<std::uint64_t>();
    require(stage <= static_cast<std::uint64_t>(Stage::refined), another);
    stage_ = static_cast<Stage>(stage);
    comparisons_on_sample_ = unpacker.number<std::int64_t>();
    carried_ = unpack_rules(unpacker);
    require(may_be_comparisons(comparisons_on_sample_) &&
                carried_.empty() == (stage_ == Stage::sample) &&
                (stage_ != Stage::refined || refinements_on_all() > 0),
            another);
    state_ = unpacker.rest();
  }

  [[nodiscard]] std::vector<CarriedClustering> unpack_rules(solvers::Unpacker& unpacker) const {
    const auto count = unpacker.number<std::uint64_t>();
    require(count <= static_cast<std::uint64_t>(options_.carried), another);
    std::vector<CarriedClustering> rules;
    for (std::uint64_t i = 0; i < count; ++i) rules.push_back(unpack_rule(unpacker));
    require(std::ranges::is_sorted(rules, {}, &CarriedClustering::floor),
            "a checkpoint's floors do not rise");
    return rules;
  }

  [[nodiscard]] CarriedClustering unpack_rule(solvers::Unpacker& unpacker) const {
    CarriedClustering rule;
    rule.floor = unpacker.number<double>();
    rule.centres = unpacker.array<std::vector<double>>();
    rule.potentials = unpacker.array<std::vector<double>>();
    rule.comparisons = unpacker.number<std::int64_t>();
    const auto finite = [](double value) { return std::isfinite(value); };
    require(rule.floor >= 0 && rule.floor <= problem_.balance_bound() &&
                rule.centres.size() == at(problem_.clusters() * problem_.columns()) &&
                rule.potentials.size() == at(problem_.groups() * problem_.clusters()) &&
                std::ranges::all_of(rule.centres, finite) &&
                std::ranges::all_of(rule.potentials, finite) &&
                may_be_comparisons(rule.comparisons),
            another);
    return rule;
  }

  const Crew& crew_;
  const Problem& problem_;
  const Problem& sample_;
  const BalanceLadderOptions& options_;
  std::uint64_t seed_;
  const std::string& task_key_;
  const solvers::Control& control_;
  const StageEnds ends_;
  Stage stage_ = Stage::sample;
  std::int64_t comparisons_on_sample_ = 0;  ///< by its ladder, once that is done; on rank 0
  std::vector<CarriedClustering> carried_;  ///< once the sample is done
  std::optional<std::string> state_;        ///< of the stage, to go on from
  solvers::Control refining_control_;
  std::optional<LadderRun<Label>> refining_;
  BalanceLadderResult result_;  ///< on rank 0
};

}  // namespace

BalanceLadderResult sampled_ladder(const Crew& crew, const Problem& problem, const Problem& sample,
                                   const BalanceLadderOptions& options, std::uint64_t seed,
                                   const std::string& task_key, const solvers::Control& control) {
  return with_label_type(problem, [&]<class Label>(Label) {
    return SampledLadder<Label>(crew, problem, sample, options, seed, task_key, control).run();
  });
}

}  // namespace fairfront::clustering
