#include "solvers/clustering/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

void check(const data::Dataset& dataset, const data::Attribute& attribute) {
  auto refuse = [&](const std::string& why) {
    throw base::InputError(fmt::format("clustering of '{}': attribute '{}' {}",
                                       dataset.provenance.name, attribute.name, why));
  };
  if (attribute.levels.size() < 2) refuse("has one level: balance needs at least two");
  for (std::int64_t level = 0; level < std::ssize(attribute.levels); ++level) {
    if (std::ranges::find(attribute.code, level) != attribute.code.end()) continue;
    refuse(fmt::format("has no row with level '{}'", attribute.levels[at(level)]));
  }
}

}  // namespace

Attributes::Attributes(std::int64_t groups) : are_groups_{true}, level_of_(at(groups)) {
  std::iota(level_of_.begin(), level_of_.end(), std::int64_t{0});
  groups_with_.resize(1);
  list_groups(0, groups, groups);
}

Attributes::Attributes(const data::Dataset& dataset)
    : are_groups_{false}, groups_with_(dataset.attributes.size()) {
  level_of_.resize(at(dataset.num_groups() * count()));
  for (std::int64_t a = 0; a < count(); ++a) {
    const data::Attribute& attribute = dataset.attributes[at(a)];
    check(dataset, attribute);
    for (std::int64_t row = 0; row < dataset.rows; ++row) {
      level_of_[at(dataset.group[at(row)] * count() + a)] = attribute.code[at(row)];
    }
    list_groups(a, std::ssize(attribute.levels), dataset.num_groups());
  }
}

void Attributes::list_groups(std::int64_t a, std::int64_t levels, std::int64_t groups) {
  groups_with_[at(a)].resize(at(levels));
  for (std::int64_t j = 0; j < groups; ++j) {
    groups_with_[at(a)][at(level_of(a, j))].push_back(j);
  }
}

}  // namespace fairfront::clustering
