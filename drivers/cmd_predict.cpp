#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "csv_file.hpp"
#include "data/readers/csv.hpp"
#include "data/readers/data_file.hpp"
#include "data/readers/separator.hpp"
#include "model_files.hpp"
#include "output.hpp"
#include "read_stored.hpp"
#include "results/stored_model.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t window_rows = 1024;
const std::string standard_stream = "-";

std::optional<std::string> text_option(const Call& call, const char* name) {
  if (call.values.count(name) == 0) return std::nullopt;
  return call.values[name].as<std::string>();
}

std::string required_option(const Call& call, const char* name, const char* meaning) {
  if (auto value = text_option(call, name)) return *value;
  throw base::InputError(fmt::format("predict: --{} {} is missing", name, meaning));
}

/// A file, or the standard input.
class Source {
 public:
  explicit Source(const std::string& path) {
    if (path != standard_stream) file_.emplace(path);
  }
  [[nodiscard]] data::TextWindow text() {
    if (file_) return file_->text();
    return {read_input, "standard input"};
  }

 private:
  static std::size_t read_input(std::span<char> buffer) {
    ssize_t count = 0;
    do {
      count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    } while (count < 0 && errno == EINTR);
    if (count >= 0) return static_cast<std::size_t>(count);
    throw base::InputError(fmt::format("cannot read the standard input: {}", std::strerror(errno)));
  }
  std::optional<data::DataFile> file_;
};

/// A new file, or the standard output.
class Target {
 public:
  explicit Target(const std::string& path) {
    if (path == standard_stream) {
      rows_ = std::make_unique<CsvRows>();
    } else {
      file_.emplace(path);
    }
  }
  void row(const std::vector<std::string>& cells) {
    if (file_) return file_->row(cells);
    rows_->add(cells);
    if (rows_->text().size() >= most_buffered) flush();
  }
  void close() {
    if (file_) {
      file_->close();
    } else {
      flush();
    }
  }

 private:
  static constexpr std::size_t most_buffered = std::size_t{1} << 16;
  void flush() {
    print_text(rows_->text());
    rows_->clear();
  }
  std::optional<CsvFile> file_;
  std::unique_ptr<CsvRows> rows_;
};

/// Names of columns to read, in the order of a row's cells that are kept.
struct Kept {
  std::vector<std::string> names;
  std::vector<std::size_t> places;
};
Kept kept_columns(const std::optional<std::string>& option, const std::vector<std::string>& names) {
  Kept kept;
  if (!option) return kept;
  kept.names = base::split_outside_parentheses(*option);
  if (kept.names == std::vector<std::string>{"*"}) kept.names = names;
  for (const std::string& name : kept.names) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw base::InputError(fmt::format("predict: --keep names '{}', which is no column{}", name,
                                         base::name_hint(name, names)));
    }
    kept.places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return kept;
}

/// What the model needs of a row.
std::vector<data::TableColumn> columns_of(const models::SharedFit& shared,
                                          const std::optional<std::string>& group) {
  std::vector<data::TableColumn> columns = shared.preparation.wanted();
  if (group) {
    columns.push_back({.name = *group, .kind = data::CellKind::category, .levels = shared.groups});
  }
  return columns;
}

/// @throws base::InputError  the model needs the group, and nobody says where it is.
void check_group(const results::StoredModel& stored, const std::optional<std::string>& group) {
  const bool needed = stored.model->needs_group() || stored.shared->preparation.uses_group;
  if (needed == group.has_value()) return;
  if (!needed) {
    throw base::InputError("predict: --group names a column, and this model needs no group");
  }
  throw base::InputError(
      fmt::format("predict: this model needs the group of every row: --group COLUMN names the "
                  "column that holds one of {}",
                  base::join(stored.shared->groups, ", ")));
}

/// What has become of the rows.
struct Counts {
  std::int64_t rows = 0;
  std::int64_t dropped = 0;
  std::int64_t filled = 0;
  std::int64_t unseen = 0;
};

/// What is written of a distribution over atoms beside the prediction.
struct Draws {
  std::optional<std::int64_t> seed;  ///< of one atom that is drawn
  bool atoms = false;                ///< the probability of each
};

/// @throws base::InputError  the model's predictions are not drawn.
Draws draws_of(const Call& call, const models::FittedModel& model) {
  Draws draws;
  if (call.values.count("draw") > 0) draws.seed = call.values["draw"].as<std::int64_t>();
  draws.atoms = call.values.count("atoms") > 0;
  if (draws.seed && *draws.seed < 0) throw base::InputError("predict: --draw must be >= 0");
  if ((!draws.seed && !draws.atoms) || !model.atoms().empty()) return draws;
  throw base::InputError(
      "predict: --draw and --atoms are of predictions that are drawn from atoms, and those of this "
      "model are not");
}

/// Some rows at a time: memory does not grow with their number.
class Prediction {
 public:
  Prediction(results::StoredModel& stored, const std::string& rows, const data::CsvFormat& format,
             const std::optional<std::string>& group, const std::optional<std::string>& keep,
             const Draws& draws)
      : stored_{stored},
        draws_{draws},
        source_{rows},
        reader_{source_.text(), format, columns_of(*stored.shared, group)},
        preparer_{stored.shared->preparation, group.has_value()},
        with_group_{group.has_value()},
        kept_{kept_columns(keep, reader_.names())} {
    reader_.watch([this](std::span<const std::string_view> cells) {
      for (const std::size_t place : kept_.places) cells_.emplace_back(cells[place]);
    });
  }
  Prediction(Prediction&&) = delete;  // the reader calls it

  Counts write(Target& target) {
    target.row(header());
    Counts counts;
    while (true) {
      cells_.clear();
      const data::Table& table = reader_.next(window_rows);
      counts.dropped = table.rows_read - table.rows_left_out - counts.rows - table.rows;
      if (table.rows == 0) break;
      write_window(table, target);
      counts.rows += table.rows;
    }
    counts.filled = preparer_.filled();
    counts.unseen = preparer_.unseen_levels();
    return counts;
  }

 private:
  [[nodiscard]] std::vector<std::string> header() const {
    std::vector<std::string> names = kept_.names;
    for (const std::string& output : stored_.model->outputs()) {
      const bool taken = std::ranges::find(kept_.names, output) != kept_.names.end();
      names.push_back(taken ? "predicted_" + output : output);
    }
    if (draws_.seed) names.emplace_back("drawn");
    if (!draws_.atoms) return names;
    for (const double atom : stored_.model->atoms()) {
      names.push_back("probability_of_" + base::format_double(atom));
    }
    return names;
  }

  void write_window(const data::Table& table, Target& target) {
    std::vector<std::int32_t> groups;
    if (with_group_) groups = models::group_numbers(*stored_.shared, table.categories.back());
    const auto values = stored_.model->predict(preparer_.features(table, groups), groups);
    const std::size_t rows = static_cast<std::size_t>(table.rows);
    const std::size_t width = values.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto kept = cells_.begin() + static_cast<std::ptrdiff_t>(row * kept_.places.size());
      std::vector<std::string> line(kept, kept + std::ssize(kept_.places));
      for (const double value : values.subspan(row * width, width)) {
        line.push_back(base::format_double(value));
      }
      add_draws(line, row);
      target.row(line);
    }
  }

  void add_draws(std::vector<std::string>& line, std::size_t row) {
    const auto atoms = stored_.model->atoms();
    if (!draws_.seed && !draws_.atoms) return;
    const auto pi = stored_.model->distribution().subspan(row * atoms.size(), atoms.size());
    if (draws_.seed) line.push_back(base::format_double(atoms[drawn(pi)]));
    if (!draws_.atoms) return;
    for (const double probability : pi) line.push_back(base::format_double(probability));
  }

  /// By a stream of the row's own, so that no row changes what is drawn for another.
  std::size_t drawn(std::span<const double> pi) {
    const base::StreamKey key(static_cast<std::uint64_t>(*draws_.seed), "predict", "draw");
    double left = base::Stream(key, static_cast<std::uint64_t>(row_++)).uniform();
    for (std::size_t l = 0; l + 1 < pi.size(); ++l) {
      left -= pi[l];
      if (left < 0) return l;
    }
    return pi.size() - 1;
  }

  results::StoredModel& stored_;
  Draws draws_;
  std::int64_t row_ = 0;  ///< of the whole table
  Source source_;
  data::CsvStream reader_;
  data::RowPreparer preparer_;
  bool with_group_;
  Kept kept_;
  std::vector<std::string> cells_;  ///< of the window's rows, those that are kept
};

data::CsvFormat format_of(const Call& call) {
  data::CsvFormat format{.separator =
                             data::separator_char(call.values["separator"].as<std::string>())};
  if (const auto missing = text_option(call, "missing")) {
    format.missing = base::split_outside_parentheses(*missing);
  }
  return format;
}

std::string text_of(const Counts& counts) {
  std::string text = fmt::format("{} rows", counts.rows);
  if (counts.dropped > 0) {
    text += fmt::format("; {} rows left out for a missing cell", counts.dropped);
  }
  if (counts.filled > 0) text += fmt::format("; {} missing cells filled", counts.filled);
  if (counts.unseen > 0) {
    text += fmt::format("; {} cells with a name that the training rows do not hold", counts.unseen);
  }
  return text;
}

/// Of a model file, or of a task of an archive.
results::StoredModel model_of(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  if (auto file = read_model_file(path)) {
    for (const char* option : {"task", "point", "partial"}) {
      if (call.values.count(option) == 0) continue;
      throw base::InputError(
          fmt::format("predict: --{} is of an archive, and '{}' is a model file", option, path));
    }
    return std::move(file->stored);
  }
  const results::Content content = read_stored(path, call.values.count("partial") > 0).content;
  std::optional<std::int64_t> point;
  if (call.values.count("point") > 0) point = call.values["point"].as<std::int64_t>();
  std::int64_t task = 0;
  if (call.values.count("task") > 0) task = call.values["task"].as<std::int64_t>();
  return results::model_of(content, task, point);
}

base::ExitCode execute_predict(const Call& call) {
  const std::string rows = required_option(call, "rows", "FILE");
  const std::string csv = required_option(call, "csv", "FILE");
  const auto group = text_option(call, "group");
  results::StoredModel stored = model_of(call);
  check_group(stored, group);
  Prediction prediction(stored, rows, format_of(call), group, text_option(call, "keep"),
                        draws_of(call, *stored.model));
  Target target(csv);
  const Counts counts = prediction.write(target);
  target.close();
  log("{}\n", text_of(counts));
  return base::ExitCode::done;
}

}  // namespace

Command predict_command() {
  Command command;
  command.name = "predict";
  command.summary = "Predict rows of a table by a model of an archive, or by a model file.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "The model is all in the archive, or in the file that `fairfront choose --model` has made "
      "and\n"
      "that stands here in its place: no data set, config or network is needed. The table has a\n"
      "header; the columns that the model needs are found by their names, in any order. Missing\n"
      "cells and names that the training rows do not hold are treated as they were in training,\n"
      "and counted in a closing line. Rows of the run's own data give the very numbers of which\n"
      "the run computed its measures.\n";
  command.leaves_files = true;
  command.execute = execute_predict;
  using boost::program_options::value;
  command.options.add_options()("task", value<std::int64_t>()->value_name("K"),
                                "of this task, see `fairfront show`; without: the first")(
      "point", value<std::int64_t>()->value_name("P"),
      "of this point of the task's front, counted from 0; without: what its measures are of")(
      "rows", value<std::string>()->value_name("FILE"),
      "CSV file, plain or .gz; - is the standard input")(
      "csv", value<std::string>()->value_name("FILE"),
      "the table to make; a file is not replaced; - is the standard output")(
      "keep", value<std::string>()->value_name("A,B"),
      "columns that are written in front of the predictions; * is all of them")(
      "group", value<std::string>()->value_name("COLUMN"),
      "column with the name of every row's group, for models that need it")(
      "separator", value<std::string>()->value_name("C")->default_value(","),
      "between the cells, as data.separator")(
      "missing", value<std::string>()->value_name("A,B"),
      "cells that are missing, beside empty ones; ? if not given");
  command.options.add_options()("draw", value<std::int64_t>()->value_name("SEED"),
                                "also a prediction that is drawn from the row's distribution")(
      "atoms", "also the probability of every atom of that distribution");
  add_partial_option(command.options);
  return command;
}

}  // namespace fairfront::drivers
