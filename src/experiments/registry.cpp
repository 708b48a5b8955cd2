#include "experiments/registry.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/alternating.hpp"
#include "experiments/clustering.hpp"

namespace fairfront::experiments {

std::span<const std::unique_ptr<const sweep::Experiment>> registry() {
  static const auto experiments = [] {
    std::vector<std::unique_ptr<const sweep::Experiment>> list;
    list.push_back(std::make_unique<ClusteringExperiment>(2));
    list.push_back(std::make_unique<ClusteringExperiment>(3));
    list.push_back(std::make_unique<AlternatingExperiment>(2));
    list.push_back(std::make_unique<AlternatingExperiment>(3));
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
  throw base::InputError(fmt::format("no experiment '{}'{}", name, base::name_hint(name, names)));
}

}  // namespace fairfront::experiments
