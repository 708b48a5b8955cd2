/// @file
/// SA2GD and weighted sums on problems with known fronts and on fair linear models.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "pareto/front.hpp"
#include "solvers/alternating/catalogue.hpp"
#include "solvers/alternating/sa2gd.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The [alternating] section: what all methods of the experiment share.
struct AlternatingOptions {
  std::string problem = "zdt1";   ///< a name of the catalogue, or "data"
  std::int64_t variables = 0;     ///< 0: the problem's default
  std::int64_t n_total = 200;     ///< steps of one iteration of SA2GD
  std::int64_t iterations = 300;  ///< T
  std::int64_t trace_points = 0;  ///< of the series, evenly spaced in log t
};
[[nodiscard]] base::OptionTable options_of(AlternatingOptions& options);

enum class IterateKind { last, best, average };

/// What [sa2gd] and [weighted_sum] have in common: one weight, steps, noise, result.
struct WeightOptions {
  std::int64_t n_a = -1;         ///< steps on the first of two objectives; -1: half of them
  std::int64_t lattice = -1;     ///< place on the simplex lattice of n_total steps
  alternating::Efforts weights;  ///< (n_1,...,n_m) with sum n_total
  alternating::StepOptions step = {};
  double noise = 0;  ///< standard deviation of every gradient component
  IterateKind iterate = IterateKind::last;
};

/// The [sa2gd] section.
struct Sa2gdSection {
  WeightOptions weight;
  alternating::StepOrder order = alternating::StepOrder::block;
};
[[nodiscard]] base::OptionTable options_of(Sa2gdSection& options);

/// The [weighted_sum] section.
struct WeightedSumSection {
  WeightOptions weight;
  std::int64_t inner_steps = 0;  ///< 0: n_total
};
[[nodiscard]] base::OptionTable options_of(WeightedSumSection& options);

/// One task is one run with one weight; its front is one point. S. Liu, L. N. Vicente (2022).
/// The front of a sweep is the nondominated set of the points of all weights.
///
/// An archive's fronts have a fixed number of objectives, so that there is one experiment for two
/// ("alternating") and one for three ("alternating3").
class AlternatingExperiment : public sweep::Experiment {
 public:
  /// @param objectives  2 or 3.
  explicit AlternatingExperiment(std::int64_t objectives);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string title() const override;
  [[nodiscard]] std::vector<sweep::Section> sections() const override;
  [[nodiscard]] sweep::ResultSchema schema() const override;
  [[nodiscard]] sweep::TaskForecast forecast(const sweep::Task& task,
                                             const sweep::RunContext& context,
                                             std::int64_t ranks) const override;
  [[nodiscard]] sweep::TaskResult run(const parallel::Comm& team, const sweep::Task& task,
                                      const sweep::RunContext& context) const override;

 private:
  /// Analytic fronts by problem and size, sampled once: thousands of tasks measure distances to
  /// them. Per rank; not for several threads.
  using FrontCache = std::map<std::string, pareto::Points>;
  [[nodiscard]] const pareto::Points& front_of(const sweep::Task& task,
                                               const alternating::AnyProblem& problem) const;

  std::int64_t objectives_;
  std::shared_ptr<FrontCache> fronts_ = std::make_shared<FrontCache>();
};

}  // namespace fairfront::experiments
