#include "solvers/clustering/balance_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "solvers/clustering/carried_clustering.hpp"
#include "solvers/clustering/ladder_run.hpp"
#include "solvers/clustering/point_sample.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// A ladder on a sample, and then what its front becomes on all points.
class SampledLadder {
 public:
  SampledLadder(const Problem& problem, const Problem& sample, const BalanceLadderOptions& options,
                std::uint64_t seed, const std::string& task_key, const solvers::Control& control)
      : problem_{problem},
        sample_{sample},
        options_{options},
        seed_{seed},
        task_key_{task_key},
        control_{control} {}

  BalanceLadderResult run() {
    if (control_.resume) restore(*control_.resume);
    if (carried_.empty()) carry_sample();
    return with_label_type(problem_, [&]<class Label>(Label) {
      return LadderRun<Label>(problem_, options_, carried_, refinements_on_all(), seed_, task_key_,
                              stage(sample_share, 1))
          .run();
    });
  }

 private:
  static constexpr std::string_view magic = "balance_ladder sample state 1\n";
  static constexpr std::int64_t most_on_sample = 50;
  static constexpr double sample_share = 0.2;  ///< of the progress that is shown

  [[nodiscard]] std::int64_t refinements_on_sample() const {
    return std::min(options_.refinements, most_on_sample);
  }

  /// The rest of them, as many as look at the same number of points.
  [[nodiscard]] std::int64_t refinements_on_all() const {
    return (options_.refinements - refinements_on_sample()) * sample_.points() / problem_.points();
  }

  void carry_sample() {
    const ClusteringFront front = with_label_type(sample_, [&]<class Label>(Label) {
      return LadderRun<Label>(sample_, options_, {}, refinements_on_sample(), seed_, task_key_,
                              stage(0, sample_share))
          .run()
          .front;
    });
    stage_state_.reset();
    solvers::Heartbeat heart(control_);
    bool checkpoint_is_due = false;
    const auto obey = [&] {
      const solvers::Request now = heart.ask();
      if (now == solvers::Request::stop) throw solvers::Interrupted();
      if (now == solvers::Request::checkpoint) checkpoint_is_due = true;
    };
    carried_ = carry_front(sample_, front, problem_, options_.carried, obey);
    if (checkpoint_is_due && control_.save) control_.save(pack({}));
  }

  /// What a run on one of the two sets of points sees of the caller.
  [[nodiscard]] solvers::Control stage(double from, double to) {
    solvers::Control control{.request = control_.request, .resume = stage_state_};
    if (control_.report) {
      control.report = [this, from, to](const solvers::Progress& now) {
        control_.tell({from + (to - from) * now.fraction, now.text});
      };
    }
    if (control_.save) {
      control.save = [this](const std::string& state) { control_.save(pack(state)); };
    }
    return control;
  }

  [[nodiscard]] std::string pack(std::string_view state) const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.number(static_cast<std::uint64_t>(carried_.size()));
    for (const CarriedClustering& rule : carried_) {
      packer.number(rule.floor);
      packer.array(std::span{rule.centres});
      packer.array(std::span{rule.potentials});
    }
    packer.raw(state);
    return packer.take();
  }

  /// @throws base::CheckpointError  the state is not one that a run with these options leaves.
  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    require(unpacker.raw(magic.size()) == magic,
            "a checkpoint is not one of balance_ladder, or of another version");
    const auto count = unpacker.number<std::uint64_t>();
    require(count <= static_cast<std::uint64_t>(options_.carried),
            "a checkpoint is of another problem or other options");
    for (std::uint64_t i = 0; i < count; ++i) carried_.push_back(unpack_rule(unpacker));
    require(std::ranges::is_sorted(carried_, {}, &CarriedClustering::floor),
            "a checkpoint's floors do not rise");
    const std::string_view rest = unpacker.rest();
    if (!rest.empty()) stage_state_ = rest;
  }

  [[nodiscard]] CarriedClustering unpack_rule(solvers::Unpacker& unpacker) const {
    CarriedClustering rule;
    rule.floor = unpacker.number<double>();
    rule.centres = unpacker.array<std::vector<double>>();
    rule.potentials = unpacker.array<std::vector<double>>();
    const auto finite = [](double value) { return std::isfinite(value); };
    require(rule.floor >= 0 && rule.floor <= problem_.balance_bound() &&
                rule.centres.size() == at(problem_.clusters() * problem_.columns()) &&
                rule.potentials.size() == at(problem_.groups() * problem_.clusters()) &&
                std::ranges::all_of(rule.centres, finite) &&
                std::ranges::all_of(rule.potentials, finite),
            "a checkpoint is of another problem or other options");
    return rule;
  }

  static void require(bool holds, const char* what) {
    if (!holds) throw base::CheckpointError(what);
  }

  const Problem& problem_;
  const Problem& sample_;
  const BalanceLadderOptions& options_;
  std::uint64_t seed_;
  const std::string& task_key_;
  const solvers::Control& control_;
  std::vector<CarriedClustering> carried_;  ///< empty until the sample is done
  std::optional<std::string> stage_state_;
};

std::optional<Problem> sample_for(const Problem& problem, const BalanceLadderOptions& options,
                                  std::uint64_t seed, const std::string& task_key) {
  if (options.sample == 0) return std::nullopt;
  const std::int64_t size = sample_size(problem, options.sample);
  if (size == 0) return std::nullopt;
  base::Stream stream(base::StreamKey(seed, task_key, "balance_ladder/sample"), 0);
  return sample_of(problem, size, stream);
}

}  // namespace

BalanceLadderResult balance_ladder(const Problem& problem, const BalanceLadderOptions& options,
                                   std::uint64_t seed, const std::string& task_key,
                                   const solvers::Control& control) {
  validate_for(problem, options);
  if (const auto sample = sample_for(problem, options, seed, task_key)) {
    return SampledLadder(problem, *sample, options, seed, task_key, control).run();
  }
  return with_label_type(problem, [&]<class Label>(Label) {
    return LadderRun<Label>(problem, options, {}, options.refinements, seed, task_key, control)
        .run();
  });
}

}  // namespace fairfront::clustering
