#include "data/load_raw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "data/catalogue/catalogue.hpp"
#include "data/catalogue/locate_file.hpp"
#include "data/catalogue/us_states.hpp"
#include "data/comparison.hpp"
#include "data/group_columns.hpp"
#include "data/readers/arff.hpp"
#include "data/readers/csv.hpp"
#include "data/readers/data_file.hpp"
#include "data/readers/reading_scope.hpp"
#include "data/readers/separator.hpp"
#include "data/small_groups.hpp"
#include "data/source_columns.hpp"
#include "data/subsample.hpp"
#include "data/target.hpp"

namespace fairfront::data {
namespace {

namespace fs = std::filesystem;

/// Everything about the source that is decided before a file is opened.
struct Source {
  std::string name;    ///< of the data set
  std::string origin;  ///< for the provenance
  SupervisedTask task;
  bool published = false;
  std::vector<fs::path> paths;  ///< the file, and perhaps its test file
};

bool is_own_file(const std::string& name) {
  return name == "csv" || name == "arff" || name == "libsvm";
}

void check_options(const SupervisedOptions& options) {
  const SupervisedOptions defaults;
  const auto check = [&](std::string_view option, std::string_view of, bool fits) {
    if (fits) return;
    throw base::InputError(
        fmt::format("data.{} is for data.data = {}; it is known how '{}' is written", option, of,
                    options.data));
  };
  const bool own = is_own_file(options.data);
  const bool csv = options.data == "csv";
  check("file", "csv, arff or libsvm", own || options.file.empty());
  check("test_file", "csv, arff or libsvm", own || options.test_file.empty());
  check("separator", "csv", csv || options.separator == defaults.separator);
  check("missing", "csv", csv || options.missing == defaults.missing);
  check("header", "csv", csv || options.header);
  check("columns", "libsvm", options.data == "libsvm" || options.columns == 0);
  if (options.state.empty() || options.data == "acs_income") return;
  throw base::InputError("data.state is for data.data = acs_income; use data.where elsewhere");
}

SupervisedTask own_task(const SupervisedOptions& options) {
  SupervisedTask task;
  task.data = options.data;
  task.separator = options.separator;
  task.header = options.header;
  task.missing = options.missing;
  task.columns = options.columns;
  if (!options.task.empty()) {
    throw base::InputError("data.task is for data sets of the catalogue; leave it empty");
  }
  return task;
}

/// @param first_choice  where the entry has such a task and the config names none.
const SupervisedTask& catalogue_task(const CatalogueEntry& entry, const std::string& name,
                                     std::string_view first_choice) {
  std::vector<std::string> names;
  for (const SupervisedTask& task : entry.tasks) names.push_back(task.name);
  const auto chosen =
      std::ranges::find(entry.tasks, name.empty() ? first_choice : name, &SupervisedTask::name);
  if (chosen != entry.tasks.end()) return *chosen;
  if (name.empty()) return entry.tasks.front();
  throw base::InputError(fmt::format("data.task = '{}' is no task of data set '{}'{}", name,
                                     entry.name, base::name_hint(name, names)));
}

/// The user's choices take the place of the catalogue's; what depends on a replaced one goes, too.
void override_task(SupervisedTask& task, const SupervisedOptions& options) {
  if (!options.features.empty()) task.features = options.features;
  if (options.categorical != std::vector<std::string>{"catalogue"}) {
    task.categorical = options.categorical;
  } else if (!options.features.empty() && options.features != std::vector<std::string>{"*"} &&
             task.categorical != std::vector<std::string>{"auto"}) {
    std::erase_if(task.categorical, [&](const std::string& name) {
      return std::ranges::find(task.features, name) == task.features.end();
    });
  }
  if (!options.sensitive.empty()) {
    task.sensitive = options.sensitive;
    task.group_map.clear();
  }
  if (!options.group_map.empty()) task.group_map = options.group_map;
  if (!options.label.empty()) {
    task.label = options.label;
    task.label_map.clear();
    task.positive.clear();
    task.label_divisor = 1;
    task.target = TargetChoice::automatic;
  }
  if (!options.label_map.empty() || !options.positive.empty()) {
    task.label_map = options.label_map;
    task.positive = options.positive;
  }
  if (options.label_divisor > 0) task.label_divisor = options.label_divisor;
  if (task.label_divisor == 0) task.label_divisor = 1;
  if (options.target != TargetChoice::automatic) task.target = options.target;
  if (options.missing_rule != MissingPolicy::catalogue) task.missing_rule = options.missing_rule;
  task.where.insert(task.where.end(), options.where.begin(), options.where.end());
}

void choose_state(SupervisedTask& task, const SupervisedOptions& options) {
  if (options.state.empty()) return;
  task.where.push_back(fmt::format("ST == {}", fips_code(options.state)));
}

Source source_of(const SupervisedOptions& options, const CatalogueEntry* entry,
                 const DataFolder& data_dir, std::string_view first_choice) {
  Source source;
  source.name = options.data;
  if (entry == nullptr) {
    source.task = own_task(options);
    source.paths = {own_path(options.data, options.file, data_dir)};
    if (!options.test_file.empty()) {
      source.paths.push_back(path_of_option("data.test_file", options.test_file, data_dir));
    }
    source.origin = source.paths[0].filename().string();
  } else {
    source.task = catalogue_task(*entry, options.task, first_choice);
    source.origin = entry->source;
    source.published = true;
    source.paths = {catalogue_path(*entry, source.task.published_file, data_dir.path)};
    if (source.task.published_test_file) {
      source.paths.push_back(
          catalogue_path(*entry, *source.task.published_test_file, data_dir.path));
    }
  }
  override_task(source.task, options);
  choose_state(source.task, options);
  return source;
}

const CatalogueFile& published_file(const Source& source, std::size_t which) {
  return which == 0 ? source.task.published_file : *source.task.published_test_file;
}

/// Reads and hashes in one pass. A file of the catalogue that breaks a rule is first of all not the
/// published one.
template <class Read>
auto read_file(const Source& source, std::size_t which, bool allow_changed, Provenance& provenance,
               Read&& read) {
  DataFile file(source.paths[which]);
  const auto check = [&] {
    if (!source.published || allow_changed) return;
    check_published(source.name, published_file(source, which), file.path(), file.sha256());
  };
  try {
    auto content = read(file);
    provenance.files.push_back(file.name());
    provenance.sha256.push_back(file.sha256());
    check();
    return content;
  } catch (const base::InputError&) {
    check();
    throw;
  }
}

/// The rows of the test file behind those of the training file.
void append(RawTable& raw, std::int64_t train_rows, std::int64_t test_rows) {
  raw.file.assign(static_cast<std::size_t>(train_rows), 0);
  raw.file.insert(raw.file.end(), static_cast<std::size_t>(test_rows), 1);
}

void append(Category& target, const Category& more) {
  std::unordered_map<std::string, std::int32_t> code_of;
  for (const std::string& level : target.levels) {
    code_of.emplace(level, static_cast<std::int32_t>(code_of.size()));
  }
  std::vector<std::int32_t> code;
  for (std::size_t level = 0; level < more.levels.size(); ++level) {
    const auto next = static_cast<std::int32_t>(target.levels.size());
    const auto [found, is_new] = code_of.try_emplace(more.levels[level], next);
    code.push_back(found->second);
    if (!is_new) continue;
    target.levels.push_back(more.levels[level]);
    target.first_line.push_back(more.first_line[level]);
  }
  for (const std::int32_t old : more.codes) {
    target.codes.push_back(old < 0 ? old : code[static_cast<std::size_t>(old)]);
  }
}

void append(Table& table, const Table& more) {
  table.rows += more.rows;
  table.rows_read += more.rows_read;
  table.rows_left_out += more.rows_left_out;
  table.numbers.insert(table.numbers.end(), more.numbers.begin(), more.numbers.end());
  for (std::size_t i = 0; i < table.categories.size(); ++i) {
    append(table.categories[i], more.categories[i]);
  }
}

/// @param which  of the source's files.  @param rows  in it.
void check_published_rows(const Source& source, std::size_t which, std::int64_t rows,
                          bool allow_changed) {
  if (!source.published || allow_changed) return;
  const CatalogueFile& file = published_file(source, which);
  if (file.rows == 0 || file.rows == rows) return;
  throw base::InputError(fmt::format("{}: the catalogue says rows = {}, and the file has {}",
                                     source.paths[which].string(), file.rows, rows));
}

/// Whether a text is meant for a comparison, right or wrong.
bool is_comparison(const std::string& text) {
  try {
    return parse_column_test(text).has_value();
  } catch (const std::invalid_argument&) {
    return true;
  }
}

/// As the value of an option: of one item with marks, these are quoted once more.
std::string list_value(const std::vector<std::string>& items) {
  const std::string text = base::format_list(items);
  return items.size() == 1 ? base::quoted_if_needed(text, "|") : text;
}

/// What to write where a text without a comparison may be the rest of a value with a comma.
/// @param where  of the config.
std::string quoting_hint(const std::vector<std::string>& where, const std::string& text) {
  const auto broken = std::ranges::find(where, text);
  if (broken == where.begin() || broken == where.end()) return {};
  const auto before = parse_column_test(*std::prev(broken));
  if (!before) return {};
  const Comparison last = before->parts.back().comparison;
  if (last != Comparison::equal && last != Comparison::different) return {};
  std::vector<std::string> meant(where.begin(), broken);
  const auto rest = std::find_if(broken, where.end(), is_comparison);
  std::for_each(broken, rest, [&](const std::string& piece) { meant.back() += ", " + piece; });
  meant.insert(meant.end(), rest, where.end());
  return fmt::format(
      "; if it belongs to the value before it, which then holds a comma, quote that comparison: "
      "where = {}",
      list_value(meant));
}

/// @param where  of the config: those of a catalogue may be among the texts, too.
std::vector<ColumnTest> tests_of(const std::vector<std::string>& texts,
                                 const std::vector<std::string>& where) {
  std::vector<ColumnTest> tests;
  for (const std::string& text : texts) {
    try {
      auto test = parse_column_test(text);
      if (!test) {
        throw std::invalid_argument("a comparison, such as age >= 18" + quoting_hint(where, text));
      }
      tests.push_back(*std::move(test));
    } catch (const std::invalid_argument& rule) {
      throw base::InputError(fmt::format("data.where = '{}', must be {}", text, rule.what()));
    }
  }
  return tests;
}

CsvFormat csv_format(const SupervisedTask& task) {
  return {.separator = separator_char(task.separator),
          .header = task.header,
          .missing = task.missing,
          .comment = task.comment,
          .names = task.names};
}

std::vector<std::string> names_of_columns(const Source& source) {
  DataFile file(source.paths[0]);
  return source.task.data == "arff" ? arff_column_names(file.text())
                                    : csv_column_names(file.text(), csv_format(source.task));
}

void check_rows(std::int64_t rows, std::int64_t read, const fs::path& path) {
  if (rows > 0) return;
  throw base::InputError(
      read == 0
          ? fmt::format("{}: the file has a header and no rows; write one for each person or thing",
                        path.string())
          : fmt::format("{}: no row is left: all {} have a missing cell or do not pass data.where",
                        path.string(), read));
}

/// How many rows of a file have this label, those that are left out among them.
std::int64_t rows_of_label(const Source& source, const fs::path& path, const std::string& column,
                           const std::string& name) {
  DataFile file(path);
  const std::vector<TableColumn> wanted{{column, CellKind::category, MissingCell::drop}};
  const Table table = source.task.data == "arff"
                          ? read_arff(file.text(), wanted)
                          : read_csv(file.text(), csv_format(source.task), wanted);
  const Category& label = table.categories.front();
  const auto level = std::ranges::find(label.levels, name) - label.levels.begin();
  return std::ranges::count(label.codes, static_cast<std::int32_t>(level));
}

/// @throws base::InputError  data.positive names a label that only rows have which are left out.
void check_positive_left(const SourceColumns& columns, const Source& source, const Table& table) {
  for (const std::string& name : columns.absent_positive(table)) {
    std::int64_t rows = 0;
    for (const fs::path& path : source.paths) {
      rows += rows_of_label(source, path, columns.label_column(), name);
    }
    if (rows == 0) continue;
    throw base::InputError(fmt::format(
        "{}: data.positive names '{}', which {} row{} of column '{}', the label, hold{}, and of "
        "these none is left: they lack a cell, and data.missing_rule leaves them out (mean and "
        "zero "
        "fill features), or they do not pass data.where",
        source.paths[0].string(), base::excerpt(name), rows, rows == 1 ? "" : "s",
        base::excerpt(columns.label_column()), rows == 1 ? "s" : ""));
  }
}

RawTable read_columns(const Source& source, const SupervisedOptions& options, bool allow_changed) {
  const auto all_names = [&] { return names_of_columns(source); };
  const SourceColumns columns(source.task, options.split, all_names);
  const std::vector<ColumnTest> where = tests_of(source.task.where, options.where);
  RawTable raw;
  const auto read = [&](DataFile& file) {
    Table table = source.task.data == "arff"
                      ? read_arff(file.text(), columns.wanted(), where)
                      : read_csv(file.text(), csv_format(source.task), columns.wanted(), where);
    check_rows(table.rows, table.rows_read, file.path());
    return table;
  };
  Table table = read_file(source, 0, allow_changed, raw.provenance, read);
  check_published_rows(source, 0, table.rows_read, allow_changed);
  if (source.paths.size() > 1) {
    const Table test = read_file(source, 1, allow_changed, raw.provenance, read);
    check_published_rows(source, 1, test.rows_read, allow_changed);
    append(raw, table.rows, test.rows);
    append(table, test);
  }
  columns.check_catalogue(all_names);
  const std::int64_t dropped = table.rows_read - table.rows_left_out - table.rows;
  raw.provenance.file_rows = table.rows_read;
  raw.provenance.recipe = fmt::format("{}; {}; {} rows dropped for a missing cell",
                                      source.task.recipe, columns.recipe(), dropped);
  if (table.rows < table.rows_read) check_positive_left(columns, source, table);
  columns.fill(raw, std::move(table), source.paths[0].string());
  return raw;
}

void append(SparseRows& rows, const SparseRows& more) {
  rows.columns = std::max(rows.columns, more.columns);
  const std::int64_t entries = rows.offsets.back();
  for (const std::int64_t offset : std::span{more.offsets}.subspan(1)) {
    rows.offsets.push_back(entries + offset);
  }
  rows.index.insert(rows.index.end(), more.index.begin(), more.index.end());
  rows.value.insert(rows.value.end(), more.value.begin(), more.value.end());
}

RawTable read_sparse(const Source& source, const SupervisedOptions& options, bool allow_changed) {
  RawTable raw;
  const auto read = [&](DataFile& file) { return read_libsvm(file.text(), source.task.columns); };
  LibsvmRows rows = read_file(source, 0, allow_changed, raw.provenance, read);
  check_published_rows(source, 0, rows.features.rows(), allow_changed);
  if (source.paths.size() > 1) {
    const LibsvmRows test = read_file(source, 1, allow_changed, raw.provenance, read);
    check_published_rows(source, 1, test.features.rows(), allow_changed);
    append(raw, rows.features.rows(), test.features.rows());
    append(rows.features, test.features);
    rows.label.insert(rows.label.end(), test.label.begin(), test.label.end());
  }
  raw.provenance.file_rows = rows.features.rows();
  raw.provenance.recipe =
      fmt::format("{}; all {} features; sensitive {}", source.task.recipe, rows.features.columns,
                  base::join(source.task.sensitive, ", "));
  fill_from_libsvm(raw, std::move(rows), source.task, options);
  return raw;
}

void refuse(bool given, std::string_view option, std::string_view why) {
  if (given) throw base::InputError(fmt::format("data.{} must be empty: {}", option, why));
}

RawTable generate(const SupervisedOptions& options, const CatalogueEntry& entry) {
  const auto why = fmt::format("'{}' is generated", entry.name);
  refuse(!options.features.empty(), "features", why);
  refuse(!options.sensitive.empty() || !options.group_map.empty(), "sensitive and group_map", why);
  refuse(!options.label.empty(), "label", why);
  refuse(!options.where.empty() || !options.split.empty(), "where and split", why);
  Dataset set = entry.generate(static_cast<std::uint64_t>(options.generator_seed));
  RawTable raw;
  raw.rows = set.rows;
  for (std::size_t column = 0; column < set.feature_names.size(); ++column) {
    RawColumn& target = raw.columns.emplace_back();
    target.name = set.feature_names[column];
    for (std::int64_t i = 0; i < set.rows; ++i) target.numbers.push_back(set.row(i)[column]);
  }
  raw.attributes = {{"group", set.group, set.group_names}};
  raw.group = std::move(set.group);
  raw.group_names = std::move(set.group_names);
  if (!set.label.empty()) {
    raw.label_name = "label";
    set_label(raw, std::move(set.label), options.target, entry.name);
  }
  raw.provenance.file_rows = raw.rows;
  raw.provenance.recipe =
      fmt::format("{}; generator seed {}", entry.recipe, options.generator_seed);
  return raw;
}

/// Rows by the named columns of numbers, greatest first; a column that config left out is skipped.
void sort_rows(RawTable& raw, const std::vector<std::string>& descending) {
  if (descending.empty()) return;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(raw.rows));
  std::iota(rows.begin(), rows.end(), 0);
  for (auto name = descending.rbegin(); name != descending.rend(); ++name) {
    const auto column = std::ranges::find(raw.columns, *name, &RawColumn::name);
    if (column == raw.columns.end()) continue;
    if (column->categorical) {
      throw base::InputError(fmt::format(
          "the catalogue's descending names '{}', which is no column of numbers", *name));
    }
    std::ranges::stable_sort(rows, std::greater{}, [&](std::int64_t row) {
      return column->numbers[static_cast<std::size_t>(row)];
    });
  }
  keep_rows(raw, rows);
}

RawTable read_files(const SupervisedOptions& options, const CatalogueEntry* entry,
                    const DataFolder& data_dir, bool allow_changed, std::string_view first_choice) {
  try {
    const Source source = source_of(options, entry, data_dir, first_choice);
    const Reading reading(source.paths[0].string());  // what is made of the file takes time, too
    RawTable raw = source.task.data == "libsvm" ? read_sparse(source, options, allow_changed)
                                                : read_columns(source, options, allow_changed);
    sort_rows(raw, source.task.descending);
    raw.missing = source.task.missing_rule;
    raw.missing_cells = source.task.missing;
    raw.paper = source.task.paper;
    raw.provenance.source = source.origin;
    return raw;
  } catch (const base::DataError&) {
    throw;
  } catch (const base::InputError& error) {
    throw base::DataError(error.what());
  }
}

}  // namespace

RawTable load_all_rows(const SupervisedOptions& options, const DataFolder& data_dir,
                       bool allow_changed, std::string_view first_choice) {
  base::validate(options);
  // A name that there is not comes first: what else the config says may only be wrong for it.
  const CatalogueEntry* const entry =
      is_own_file(options.data) ? nullptr : &catalogue_entry(options.data, data_dir.own_sets);
  check_options(options);
  RawTable raw;
  if (entry != nullptr && entry->generate) {
    raw = generate(options, *entry);
    raw.provenance.source = entry->source;
  } else {
    raw = read_files(options, entry, data_dir, allow_changed, first_choice);
  }
  raw.provenance.name = options.data;
  raw.provenance.recipe += recipe_of_groups(raw.group_names);
  return raw;
}

RawTable load_raw(const SupervisedOptions& options, const DataFolder& data_dir, bool allow_changed,
                  std::string_view first_choice) {
  RawTable raw = load_all_rows(options, data_dir, allow_changed, first_choice);
  subsample(raw, options);
  raw.provenance.digest = digest_of(raw);
  for (const auto& warning : {small_groups_warning(raw.provenance.name, raw.group, raw.group_names),
                              rare_label_warning(raw)}) {
    if (warning) raw.warnings.push_back(*warning);
  }
  return raw;
}

}  // namespace fairfront::data
