#include "experiments/load.hpp"

#include <fmt/format.h>

#include <utility>

#include "data/catalogue/catalogue.hpp"
#include "data/load_raw.hpp"
#include "data/shared_fields.hpp"
#include "data/whole_set.hpp"

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
  if (!data::makes_parts(parts)) return load_whole_set(task, context, learning);
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

std::vector<sweep::IdleOption> idle_data_options(const sweep::Task& task) {
  std::vector<sweep::IdleOption> idle;
  const std::string& name = task.values.at("data.data");
  if (task.values.at("data.subsample") == "0") {
    idle.push_back({"data.subsample_seed", "data.subsample = 0 draws no rows"});
    idle.push_back({"data.subsample_rule", "data.subsample = 0 draws no rows"});
  }
  if (!task.values.contains("split.by")) {
    idle.push_back({"data.split", "the rows of this experiment have no parts"});
  }
  if (!data::is_generated(name)) {
    idle.push_back({"data.generator_seed", fmt::format("data.data = {} is not generated", name)});
  }
  return idle;
}

std::vector<sweep::IdleOption> idle_split_options(const sweep::Task& task) {
  std::vector<sweep::IdleOption> idle;
  const auto& value = [&](const char* name) -> const std::string& { return task.values.at(name); };
  const auto add = [&](std::initializer_list<const char*> names, const char* why) {
    for (const char* name : names) idle.push_back({name, why});
  };
  const std::string& asked = value("split.by");
  const auto given = [&](const char* name) {
    const auto found = task.values.find(name);
    return found != task.values.end() && !found->second.empty();
  };
  const std::string by = asked != "automatic"      ? asked
                         : given("data.split")     ? "column"
                         : given("data.test_file") ? "files"
                                                   : asked;
  const std::string& validation = value("split.validation");
  const std::string& choice = value("split.choice");
  const bool of_column = by == "column";
  const bool names_validation = of_column && !value("split.validation_values").empty();
  const bool names_choice = of_column && !value("split.choice_values").empty();
  const bool draws = (validation != "0" && !names_validation) || (choice != "0" && !names_choice);
  if (by == "column" || by == "files") {
    add({"split.test"}, "split.by says which rows are the test part");
    if (!draws) {
      add({"split.split_seed", "split.stratify"}, "split draws no rows");
    }
  }
  if (names_validation) {
    add({"split.validation"}, "split.validation_values says which rows are the validation part");
  }
  if (names_choice) {
    add({"split.choice"}, "split.choice_values says which rows are the choice part");
  }
  if (!of_column) {
    add({"split.train_values", "split.validation_values", "split.test_values",
         "split.choice_values"},
        "they are for a column of parts, which data.split names");
  }
  const bool draws_all = by == "fractions" || by == "train_test_split";
  if (draws_all && validation == "0" && value("split.test") == "0" && choice == "0") {
    add({"split.split_seed", "split.stratify"}, "split draws no rows");
  }
  return idle;
}

std::vector<sweep::IdleOption> idle_section(const sweep::Task& task, const std::string& section,
                                            const std::string& why) {
  std::vector<sweep::IdleOption> idle;
  const std::string prefix = section + ".";
  for (auto option = task.values.lower_bound(prefix);
       option != task.values.end() && option->first.starts_with(prefix); ++option) {
    idle.push_back({option->first, why});
  }
  return idle;
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
