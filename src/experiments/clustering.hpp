/// @file
/// Fair k-means: clustering cost against balance, or against the balances of two attributes.
#pragma once

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The [clustering] section: what all methods of the experiment share.
struct ClusteringOptions {
  std::int64_t clusters = 10;  ///< K
};
[[nodiscard]] base::OptionTable options_of(ClusteringOptions& options);

/// Methods that find clusterings, or trace fronts, of f1 (mean squared distance to the cluster's
/// centroid) against f2 (worst balance of a cluster). S. Liu, L. N. Vicente (2021). With three
/// objectives each of two sensitive attributes has a balance of its own, as the closing remark of
/// the paper suggests; with two the groups are the combinations of all attributes.
class ClusteringExperiment : public sweep::Experiment {
 public:
  /// @param objectives  2: experiment `clustering`; 3: `clustering3`, with the methods that trace
  ///                    such fronts. @throws std::invalid_argument  anything else.
  explicit ClusteringExperiment(std::int64_t objectives);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string title() const override;
  [[nodiscard]] std::vector<sweep::Section> sections() const override;
  [[nodiscard]] sweep::ResultSchema schema() const override;
  [[nodiscard]] sweep::TaskForecast forecast(const sweep::Task& task,
                                             const sweep::RunContext& context,
                                             std::int64_t ranks) const override;
  [[nodiscard]] double unit_cost(const sweep::Task& task) const override;
  [[nodiscard]] sweep::TaskResult run(const parallel::Comm& team, const sweep::Task& task,
                                      const sweep::RunContext& context) const override;

 private:
  std::int64_t objectives_;
};

}  // namespace fairfront::experiments
