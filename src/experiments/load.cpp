#include "experiments/load.hpp"

#include <fmt/format.h>

#include <utility>

#include "data/load_raw.hpp"
#include "data/shared_fields.hpp"
#include "data/whole_set.hpp"
#include "experiments/optional_parts.hpp"

namespace fairfront::experiments {
namespace {

sweep::Sharing<data::SupervisedSet> sharing_of_set() {
  return sweep::sharing_of<data::SupervisedSet>(
      [](const data::SupervisedSet& set) { return bytes_of(set.set); });
}

/// The section [preparation] of a task.
data::PreparationOptions preparation_for(const sweep::Task& task, Learning learning) {
  auto options = sweep::read_section<data::PreparationOptions>(task, "preparation");
  if (learning == Learning::by_steps && is_own_table(task.values.at("data.data")) &&
      options.scaling == data::FittedScaling::catalogue) {
    options.scaling = data::FittedScaling::zscore;
  }
  return options;
}

}  // namespace

std::string cache_key(std::string_view kind, const sweep::Task& task,
                      const std::vector<std::string>& sections, const sweep::RunContext& context) {
  std::string key(kind);
  key += '\n' + context.data_dir.path.string() + (context.allow_changed_data ? "\n1\n" : "\n0\n");
  for (const std::string& section : sections) {
    const std::string prefix = section + ".";
    for (auto option = task.values.lower_bound(prefix);
         option != task.values.end() && option->first.starts_with(prefix); ++option) {
      key += option->first + '=' + option->second + '\n';
    }
  }
  return key;
}

bool is_own_table(const std::string& data) { return data == "csv" || data == "arff"; }

std::shared_ptr<const data::SupervisedSet> load_whole_set(const sweep::Task& task,
                                                          const sweep::RunContext& context,
                                                          Learning learning) {
  const bool by_steps = learning == Learning::by_steps;
  const std::string_view kind = by_steps ? "whole set for steps" : "whole set";
  const std::string key = cache_key(kind, task, {"data", "preparation"}, context);
  return context.cache->get<data::SupervisedSet>(
      key,
      [&] {
        auto set = std::make_shared<const data::SupervisedSet>(data::load_whole_set(
            sweep::read_section<data::WholeSetOptions>(task, "data"),
            preparation_for(task, learning), context.data_dir, context.allow_changed_data));
        const std::size_t bytes = bytes_of(set->set);
        return sweep::Made<data::SupervisedSet>{std::move(set), bytes};
      },
      sharing_of_set());
}

std::shared_ptr<const data::SupervisedSet> load_optional_parts(const sweep::Task& task,
                                                               const sweep::RunContext& context,
                                                               Learning learning) {
  const auto parts = sweep::read_section<data::OptionalSplitOptions>(task, "split");
  if (!asks_for_parts(task)) return load_whole_set(task, context, learning);
  const bool by_steps = learning == Learning::by_steps;
  const std::string key = cache_key(by_steps ? "parts for steps" : "parts", task,
                                    {"data", "split", "preparation"}, context);
  return context.cache->get<data::SupervisedSet>(
      key,
      [&] {
        const data::RawTable raw =
            data::load_raw(sweep::read_section<data::WholeSetOptions>(task, "data"),
                           context.data_dir, context.allow_changed_data, "numeric");
        auto set = std::make_shared<const data::SupervisedSet>(
            data::prepare(raw, data::split_of(raw, parts), preparation_for(task, learning)));
        const std::size_t bytes = bytes_of(set->set);
        return sweep::Made<data::SupervisedSet>{std::move(set), bytes};
      },
      sharing_of_set());
}

std::shared_ptr<const data::RawTable> load_table(const sweep::Task& task,
                                                 const sweep::RunContext& context,
                                                 const data::SupervisedOptions& options,
                                                 std::string_view key) {
  const std::string whole = cache_key("table", task, {"data"}, context) + std::string(key);
  return context.cache->get<data::RawTable>(
      whole,
      [&] {
        auto raw = std::make_shared<const data::RawTable>(
            data::load_raw(options, context.data_dir, context.allow_changed_data));
        const std::size_t bytes = bytes_of(*raw);
        return sweep::Made<data::RawTable>{std::move(raw), bytes};
      },
      sweep::sharing_of<data::RawTable>([](const data::RawTable& raw) { return bytes_of(raw); }));
}

std::shared_ptr<const data::SupervisedSet> load_labelled_set(const sweep::Task& task,
                                                             const sweep::RunContext& context,
                                                             const data::SupervisedOptions& options,
                                                             Learning learning,
                                                             std::string_view key) {
  const std::string whole =
      cache_key("labelled set", task, {"data", "split", "preparation"}, context) + std::string(key);
  return context.cache->get<data::SupervisedSet>(
      whole,
      [&] {
        const auto raw = load_table(task, context, options, key);
        const data::Split split =
            data::split_of(*raw, sweep::read_section<data::SplitOptions>(task, "split"));
        auto set = std::make_shared<const data::SupervisedSet>(
            data::prepare(*raw, split, preparation_for(task, learning)));
        const std::size_t bytes = bytes_of(set->set);
        return sweep::Made<data::SupervisedSet>{std::move(set), bytes};
      },
      sharing_of_set());
}

std::shared_ptr<const data::SupervisedSet> load_binary_set(const sweep::Task& task,
                                                           const sweep::RunContext& context) {
  auto options = sweep::read_section<data::SupervisedOptions>(task, "data");
  if (options.target == data::TargetChoice::automatic) options.target = data::TargetChoice::binary;
  return load_labelled_set(task, context, options, Learning::by_steps, "binary");
}

std::shared_ptr<const data::SupervisedSet> rows_of_predictions(const data::RawTable& raw,
                                                               const sweep::Task& task,
                                                               bool trains) {
  const auto parts = sweep::read_section<data::SplitOptions>(task, "split");
  const data::Split split = data::split_of(raw, parts, trains);
  return std::make_shared<const data::SupervisedSet>(
      data::prepare(raw, split,
                    {.scaling = data::FittedScaling::none,
                     .log1p = {},
                     .group_feature = data::GroupFeature::no}));
}

std::size_t bytes_of(const data::Dataset& dataset) {
  const std::size_t codes = dataset.group.size() * (1 + dataset.attributes.size());
  return (dataset.features.size() + dataset.label.size()) * sizeof(double) +
         (codes + dataset.split.size()) * sizeof(std::int32_t);
}

std::size_t bytes_of(const data::RawTable& table) {
  std::size_t bytes = 0;
  for (const data::RawColumn& column : table.columns) {
    bytes +=
        column.numbers.size() * sizeof(double) + column.names.codes.size() * sizeof(std::int32_t);
  }
  return bytes + static_cast<std::size_t>(table.rows) * (sizeof(double) + 2 * sizeof(std::int32_t));
}

}  // namespace fairfront::experiments
