#include "experiments/registry.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/alternating.hpp"
#include "experiments/clustering.hpp"
#include "experiments/predictions.hpp"
#include "experiments/ranking.hpp"
#include "experiments/regression.hpp"
#include "experiments/training.hpp"

namespace fairfront::experiments {

std::span<const std::unique_ptr<const sweep::Experiment>> registry() {
  static const auto experiments = [] {
    std::vector<std::unique_ptr<const sweep::Experiment>> list;
    list.push_back(make_experiment(clustering_family(2)));
    list.push_back(make_experiment(clustering_family(3)));
    list.push_back(make_experiment(alternating_family(2)));
    list.push_back(make_experiment(alternating_family(3)));
    list.push_back(make_experiment(predictions_family()));
    list.push_back(make_experiment(regression_family()));
    list.push_back(make_experiment(ranking_family()));
    list.push_back(make_experiment(training_family()));
    return list;
  }();
  return experiments;
}

const sweep::Experiment& find(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& experiment : registry()) {
    if (experiment->name() == name) return *experiment;
    names.push_back(experiment->name());
  }
  throw base::InputError(
      fmt::format("there is no experiment '{}'{}", name, base::name_hint(name, names)));
}

}  // namespace fairfront::experiments
