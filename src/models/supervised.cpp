#include "models/supervised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace fairfront::models {
namespace {

using base::at;

/// The labels of all rows, and whether each is the greater of two.
struct Labels {
  std::vector<double> values;
  std::vector<bool> greater;  ///< empty where the labels are real
};

Labels labels_of(const data::Dataset& dataset, LabelKind kind) {
  if (dataset.label.empty()) {
    throw base::InputError(fmt::format("data.label must name a column: data set '{}' has no label",
                                       dataset.provenance.name));
  }
  if (kind == LabelKind::real) return {dataset.label, {}};
  const auto [least, most] = std::ranges::minmax(dataset.label);
  if (least == most) {
    throw base::InputError(fmt::format(
        "data.label must have two values; the {} rows of data set '{}' that are learnt from have "
        "one",
        dataset.label.size(), dataset.provenance.name));
  }
  Labels labels;
  for (const double label : dataset.label) {
    if (label != least && label != most) {
      throw base::InputError(
          fmt::format("data.label must have two values; in data set '{}' it does not",
                      dataset.provenance.name));
    }
    const bool greater = label == most;
    const double smaller_one = kind == LabelKind::zero_one ? 0.0 : -1.0;
    labels.greater.push_back(greater);
    labels.values.push_back(greater ? 1.0 : smaller_one);
  }
  return labels;
}

}  // namespace

Supervised supervised(const data::Dataset& dataset, std::span<const std::int64_t> part,
                      LabelKind kind) {
  Labels labels = labels_of(dataset, kind);
  Supervised result{.features = dataset.features,
                    .columns = dataset.columns,
                    .part = {part.begin(), part.end()},
                    .labels = std::move(labels.values),
                    .of_group = {},
                    .of_group_and_label = {}};
  result.of_group.resize(at(dataset.num_groups()));
  if (!labels.greater.empty()) result.of_group_and_label.resize(result.of_group.size());
  for (const std::int64_t row : result.part) {
    const auto group = static_cast<std::size_t>(dataset.group[at(row)]);
    result.of_group[group].push_back(row);
    if (!labels.greater.empty()) {
      result.of_group_and_label[group][labels.greater[at(row)] ? 1 : 0].push_back(row);
    }
  }
  return result;
}

Supervised supervised(const data::Dataset& dataset, LabelKind kind) {
  std::vector<std::int64_t> all(at(dataset.rows));
  std::iota(all.begin(), all.end(), 0);
  return supervised(dataset, all, kind);
}

}  // namespace fairfront::models
