#include "data/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/catalogue.hpp"
#include "data/data_file.hpp"
#include "data/group_columns.hpp"
#include "data/locate_file.hpp"
#include "data/numpy_draw.hpp"
#include "data/prepare.hpp"
#include "data/read_table.hpp"
#include "data/separator.hpp"
#include "data/table_reader.hpp"

namespace fairfront::data {
namespace {

namespace fs = std::filesystem;

void check_different(std::string_view option, const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    throw base::InputError(
        fmt::format("data.{} names column '{}' twice", option, base::excerpt(name)));
  }
}

bool is_own_file(const DataOptions& options) {
  return options.data == "csv" || options.data == "arff";
}

/// The options that say how a user's own file is written; elsewhere they would be silently void.
void check_only_for_csv(const DataOptions& options) {
  if (options.data == "csv") return;
  const DataOptions defaults;
  const auto check = [&](std::string_view option, bool is_default) {
    if (is_default) return;
    throw base::InputError(fmt::format(
        "data.{} is for data.data = csv; it is known how '{}' is written", option, options.data));
  };
  check("file", options.file == defaults.file || is_own_file(options));
  check("separator", options.separator == defaults.separator);
  check("missing", options.missing == defaults.missing);
  check("header", options.header == defaults.header);
}

/// What the columns of a plan are, from the user or else from the catalogue.
TablePlan plan_columns(const DataOptions& options, const CatalogueEntry& entry) {
  TablePlan plan;
  plan.kind = entry.kind;
  plan.format = entry.format;
  plan.features = options.features.empty() ? entry.features : options.features;
  plan.sensitive = options.sensitive.empty() ? entry.sensitive : options.sensitive;
  plan.label = options.label.empty() ? entry.label : options.label;
  plan.split = options.split;
  plan.level_orders = entry.level_orders;
  plan.ordinals = entry.ordinals;
  plan.block_column = entry.block_column;
  plan.drop_missing = options.missing_rule == MissingRule::drop;
  check_different("features", plan.features);
  check_different("sensitive", plan.sensitive);
  return plan;
}

/// A catalogue entry for the user's own file, so that both go the same way.
CatalogueEntry own_entry(const DataOptions& options) {
  CatalogueEntry entry;
  entry.name = options.data;
  entry.kind = options.data == "arff" ? FileKind::arff : FileKind::csv;
  entry.recipe = "all rows in file order";
  entry.format = {.separator = separator_char(options.separator),
                  .header = options.header,
                  .missing = options.missing};
  return entry;
}

void check_columns_named(const TablePlan& plan, const fs::path& path) {
  const auto check = [&](std::string_view option, const std::vector<std::string>& names,
                         std::string_view kind) {
    if (!names.empty()) return;
    DataFile file(path);
    const auto columns = column_names(file, plan);
    throw base::InputError(fmt::format("data.{} must name at least one {} column; '{}' has: {}",
                                       option, kind, file.path(), names_for_message(columns)));
  };
  check("features", plan.features, "numeric");
  check("sensitive", plan.sensitive, "sensitive");
}

std::string columns_recipe(const TablePlan& plan) {
  std::string text = fmt::format("features {}; sensitive {}", base::join(plan.features, ", "),
                                 base::join(plan.sensitive, ", "));
  if (!plan.label.empty()) text += "; label " + plan.label;
  if (!plan.split.empty()) text += "; split " + plan.split;
  return text;
}

/// Reads and hashes in one pass. A file of the catalogue that breaks a rule is first of all not the
/// published one.
Dataset read_checked(DataFile& file, const TablePlan& plan, const CatalogueEntry& entry,
                     bool allow_changed) {
  const bool check = entry.file && !allow_changed;
  Dataset set;
  try {
    set = read_table(file, plan);
  } catch (const base::InputError&) {
    if (check) check_published(entry.name, *entry.file, file.path(), file.sha256());
    throw;
  }
  set.provenance.sha256 = {file.sha256()};
  if (check) check_published(entry.name, *entry.file, file.path(), file.sha256());
  return set;
}

Dataset read_entry(const DataOptions& options, const CatalogueEntry& entry, const fs::path& path,
                   bool allow_changed) {
  const TablePlan plan = plan_columns(options, entry);
  check_columns_named(plan, path);
  DataFile file(path);
  Dataset set = read_checked(file, plan, entry, allow_changed);
  set.provenance.source = entry.source.empty() ? file.name() : entry.source;
  set.provenance.recipe = fmt::format("{}; {}; {} rows dropped for a missing cell", entry.recipe,
                                      columns_recipe(plan), set.provenance.file_rows - set.rows);
  return set;
}

Dataset generate_entry(const DataOptions& options, const CatalogueEntry& entry) {
  if (!options.features.empty() || !options.sensitive.empty() || !options.label.empty() ||
      !options.split.empty()) {
    throw base::InputError(fmt::format(
        "data.features, sensitive, label and split must be empty: '{}' is generated", entry.name));
  }
  Dataset set = entry.generate(static_cast<std::uint64_t>(options.generator_seed));
  set.attributes = {{"group", set.group, set.group_names}};
  set.provenance.source = entry.source;
  set.provenance.file_rows = set.rows;
  set.provenance.recipe =
      fmt::format("{}; generator seed {}", entry.recipe, options.generator_seed);
  return set;
}

void scale(Dataset& set, const DataOptions& options, const CatalogueEntry& entry) {
  const bool by_paper = options.standardise == Scaling::catalogue;
  const bool norm_by_paper = options.row_normalise == RowNorm::catalogue;
  if ((by_paper ? entry.standardise : options.standardise) == Scaling::zscore) {
    standardise_columns(set);
    set.provenance.recipe += fmt::format("; zscore over {} rows", set.rows);
  }
  if ((norm_by_paper ? entry.row_normalise : options.row_normalise) == RowNorm::unit) {
    normalise_rows(set);
    set.provenance.recipe += "; rows of norm 1";
  }
}

void check_every_group_occurs(const Dataset& set) {
  std::vector<bool> occurs(set.group_names.size(), false);
  for (const std::int32_t group : set.group) occurs[static_cast<std::size_t>(group)] = true;
  const auto absent = std::find(occurs.begin(), occurs.end(), false);
  if (absent == occurs.end()) return;
  const auto group = static_cast<std::size_t>(absent - occurs.begin());
  throw base::InputError(fmt::format(
      "data.subsample: group '{}' has no member among the {} rows drawn; draw more rows "
      "or use another data.subsample_seed",
      set.group_names[group], set.rows));
}

void subsample(Dataset& set, const DataOptions& options) {
  if (options.subsample == 0) return;
  if (options.subsample > set.rows) {
    throw base::InputError(fmt::format("data.subsample = {}, must be <= {}, the rows of '{}'",
                                       options.subsample, set.rows, options.data));
  }
  keep_rows(set, numpy_choice(set.rows, options.subsample,
                              static_cast<std::uint32_t>(options.subsample_seed)));
  check_every_group_occurs(set);
  set.provenance.recipe += fmt::format("; {} rows drawn by numpy.random.RandomState({}).choice",
                                       options.subsample, options.subsample_seed);
}

Dataset read_raw(const DataOptions& options, const CatalogueEntry& entry,
                 const DataFolder& data_dir, bool allow_changed) {
  if (entry.generate) return generate_entry(options, entry);
  if (!entry.file && !is_own_file(options)) {
    throw base::InputError(
        fmt::format("data.data = '{}' is for experiments with labels alone: this one needs numeric "
                    "columns and groups of its own (fairfront list datasets)",
                    entry.name));
  }
  try {
    const fs::path path = entry.file ? catalogue_path(entry, *entry.file, data_dir.path)
                                     : own_path(options.data, options.file, data_dir);
    return read_entry(options, entry, path, allow_changed);
  } catch (const base::InputError& error) {
    throw base::DataError(error.what());
  }
}

}  // namespace

bool is_generated(const std::string& data_set) {
  return std::ranges::any_of(catalogue(), [&](const CatalogueEntry& entry) {
    return entry.name == data_set && entry.generate;
  });
}

Dataset load(const DataOptions& options, const DataFolder& data_dir, bool allow_changed) {
  base::validate(options);
  check_only_for_csv(options);
  const CatalogueEntry entry =
      is_own_file(options) ? own_entry(options) : catalogue_entry(options.data);
  Dataset set = read_raw(options, entry, data_dir, allow_changed);
  set.provenance.name = entry.name;
  set.provenance.recipe += recipe_of_groups(set.group_names);
  scale(set, options, entry);
  subsample(set, options);
  set.provenance.digest = digest_of(set);
  return set;
}

}  // namespace fairfront::data
