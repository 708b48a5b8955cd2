/// @file
/// Fair k-means: clustering cost against balance.
#pragma once

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The [clustering] section: what all methods of the experiment share.
struct ClusteringOptions {
  std::int64_t clusters = 10;  ///< K
};
[[nodiscard]] base::OptionTable options_of(ClusteringOptions& options);

/// Methods that find clusterings, or trace fronts, of f1 (mean squared distance to the cluster's
/// centroid) against f2 (worst balance of a cluster). S. Liu, L. N. Vicente (2021).
class ClusteringExperiment : public sweep::Experiment {
 public:
  [[nodiscard]] std::string name() const override { return "clustering"; }
  [[nodiscard]] std::string title() const override;
  [[nodiscard]] std::vector<sweep::Section> sections() const override;
  [[nodiscard]] sweep::ResultSchema schema() const override;
  [[nodiscard]] sweep::TaskForecast forecast(const sweep::Task& task,
                                             const sweep::RunContext& context,
                                             std::int64_t ranks) const override;
  [[nodiscard]] double unit_cost(const sweep::Task& task) const override;
  [[nodiscard]] sweep::TaskResult run(const parallel::Comm& team, const sweep::Task& task,
                                      const sweep::RunContext& context) const override;
};

}  // namespace fairfront::experiments
