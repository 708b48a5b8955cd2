#include "predict_rows.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "csv_file.hpp"
#include "data/group_rules.hpp"
#include "data/readers/data_file.hpp"
#include "data/readers/libsvm.hpp"
#include "output.hpp"
#include "solvers/clustering/balanced_assignment.hpp"
#include "sweep/status_line.hpp"
#include "terminal.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t window_rows = 1024;

/// @throws base::InputError  a pipe has a name, as `<(...)` gives it: only files are read twice.
void refuse_pipe(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_fifo(path, ignored)) return;
  throw base::InputError(fmt::format(
      "predict: --rows '{}' is a pipe: --rows - reads what comes by one on the standard "
      "input",
      base::excerpt(path)));
}

/// @throws base::InputError  it begins as a file of gzip does.
void refuse_packed(std::string_view first) {
  if (!first.starts_with("\x1f\x8b")) return;
  throw base::InputError(
      "the standard input is packed by gzip: unpack it in front, as `zcat FILE |` does");
}

/// A file, or the standard input.
class Source {
 public:
  explicit Source(const std::string& path) {
    if (path == standard_stream) return;
    refuse_pipe(path);
    file_.emplace(path);
  }
  /// @param libsvm  the number of features of its rows; nothing: it is CSV.
  [[nodiscard]] data::TextWindow text(std::optional<std::int64_t> libsvm) {
    data::TextWindow text = file_ ? file_->text() : input();
    return libsvm ? data::libsvm_as_csv(std::move(text), *libsvm) : std::move(text);
  }

 private:
  static data::TextWindow input() {
    return {[is_first = true](std::span<char> buffer) mutable {
              const std::size_t count = read_input(buffer);
              if (std::exchange(is_first, false)) refuse_packed({buffer.data(), count});
              return count;
            },
            "standard input"};
  }
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

/// Names of columns to read, in the order of a row's cells that are kept.
struct Kept {
  std::vector<std::string> names;
  std::vector<std::size_t> places;
};
Kept kept_columns(const std::optional<std::string>& option, const std::vector<std::string>& names) {
  Kept kept;
  if (!option) return kept;
  try {
    kept.names = base::parse_list(*option);
  } catch (const std::invalid_argument& broken) {
    throw base::InputError(fmt::format("predict: --keep: {}", broken.what()));
  }
  if (kept.names == std::vector<std::string>{"*"}) {
    kept.names = names;  // a table may have a name twice
    for (std::size_t place = 0; place < names.size(); ++place) kept.places.push_back(place);
    return kept;
  }
  for (const std::string& name : kept.names) {
    if (std::ranges::count(names, name) > 1) {
      throw base::InputError(fmt::format(
          "predict: --keep names '{}', and the table has several columns of this name", name));
    }
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw base::InputError(fmt::format("predict: --keep names '{}', which is no column{}", name,
                                         base::name_hint(name, names)));
    }
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (std::ranges::find(kept.places, place) != kept.places.end()) {
      throw base::InputError(fmt::format("predict: --keep names '{}' twice", name));
    }
    kept.places.push_back(place);
  }
  return kept;
}

/// The first feature that is not called by its number as those of a LIBSVM file are; null: none.
const data::FittedColumn* first_not_numbered(const data::FittedPreparation& preparation) {
  const std::vector<data::FittedColumn>& columns = preparation.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name != std::to_string(i + 1)) return &columns[i];
  }
  return nullptr;
}

/// Whence the model gets a row's group, if it needs one.
enum class GroupsFrom { nowhere, column, rules };

/// @throws base::InputError  the model needs the group, and nobody says where it is.
GroupsFrom groups_from(const results::StoredModel& stored, const PredictRequest& request) {
  const std::string model_of = base::excerpt(request.model);
  const bool needed = stored.model->needs_group() || stored.shared->preparation.uses_group ||
                      request.balance.has_value();
  if (!needed && !request.group) return GroupsFrom::nowhere;
  if (!needed) {
    throw base::InputError(fmt::format(
        "predict: --group names a column, and the model of '{}' needs no group", model_of));
  }
  if (request.group) return GroupsFrom::column;
  if (!stored.shared->group_rules.empty()) return GroupsFrom::rules;
  throw base::InputError(fmt::format(
      "predict: {}the model of '{}' needs the group of every row: --group COLUMN names the column "
      "that holds one of {}",
      request.balance ? "with --balance " : "", model_of, base::list_some(stored.shared->groups)));
}

/// The model's rule for missing cells is that of its training, and no option changes it.
data::TableAdvice advice() {
  return {.separator = "--separator",
          .missing =
              ", and the model has no rule for that: fill the cell, or leave the row out; "
              "--missing says which texts beside empty cells are missing",
          .logarithm = "",
          .missing_texts = "--missing"};
}

/// Features and groups of the rows of a table, some at a time.
class PreparedTable {
 public:
  PreparedTable(const results::StoredModel& stored, const PredictRequest& request)
      : rows_name_{request.rows == "-" ? "the standard input" : base::excerpt(request.rows)},
        shared_{*stored.shared},
        groups_from_{groups_from(stored, request)},
        finder_{shared_.group_rules, shared_.groups},
        source_{request.rows},
        libsvm_features_{libsvm_features(request)},
        reader_{source_.text(libsvm_features_), format(request), columns(request)},
        preparer_{shared_.preparation, groups_from_ != GroupsFrom::nowhere} {}
  PreparedTable(PreparedTable&&) = delete;  // the reader looks at the source

  [[nodiscard]] data::CsvStream& reader() noexcept { return reader_; }

  /// The number of the next rows; 0 at the end.
  std::size_t next() {
    const data::Table& table = reader_.next(window_rows);
    counts_.dropped = table.rows_read - table.rows_left_out - counts_.rows - table.rows;
    counts_.rows += table.rows;
    if (table.rows == 0) return 0;
    if (groups_from_ == GroupsFrom::column) {
      groups_ = models::group_numbers(shared_, table.categories.back());
    }
    try {
      if (groups_from_ == GroupsFrom::rules)
        groups_ = finder_.groups(table, counts_.rows - table.rows);
      features_ = &preparer_.features(table, groups_);
    } catch (const base::InputError& error) {
      throw base::InputError(fmt::format("{}: {}", rows_name_, error.what()));
    }
    return static_cast<std::size_t>(table.rows);
  }

  [[nodiscard]] std::span<const double> features() const noexcept { return *features_; }
  [[nodiscard]] std::span<const std::int32_t> groups() const noexcept { return groups_; }
  [[nodiscard]] std::int64_t number_of_groups() const { return std::ssize(shared_.groups); }
  [[nodiscard]] PredictCounts counts() const {
    PredictCounts counts = counts_;
    counts.filled = preparer_.filled();
    counts.unseen = preparer_.unseen_levels();
    if (reader_.names().size() == 1) counts.blank_lines = reader_.blank_lines();
    return counts;
  }

 private:
  [[nodiscard]] std::vector<data::TableColumn> columns(const PredictRequest& request) const {
    std::vector<data::TableColumn> columns = shared_.preparation.wanted();
    const std::size_t features = columns.size();
    if (groups_from_ == GroupsFrom::column) {
      columns.push_back(
          {.name = *request.group, .kind = data::CellKind::category, .levels = shared_.groups});
    } else if (groups_from_ == GroupsFrom::rules) {
      std::ranges::copy(finder_.wanted(), std::back_inserter(columns));
    }
    for (data::TableColumn& column : columns) {
      column.advice = " (--missing says which texts stand for a missing cell)";
    }
    // Without its group a row cannot be predicted: it is left out, as in training, whatever fills
    // the cells of features.
    if (shared_.preparation.missing != data::MissingPolicy::error) {
      for (std::size_t i = features; i < columns.size(); ++i) {
        columns[i].missing = data::MissingCell::drop;
      }
    }
    return columns;
  }

  /// The number of features, where the rows are those of a LIBSVM file.
  [[nodiscard]] std::optional<std::int64_t> libsvm_features(const PredictRequest& request) const {
    data::require_columns(shared_.preparation);
    if (!request.libsvm) return std::nullopt;
    if (const auto* other = first_not_numbered(shared_.preparation)) {
      throw base::InputError(fmt::format(
          "predict: --libsvm is for models whose features are numbers, and the first feature of "
          "another name is '{}' in the model of '{}'",
          base::excerpt(other->name), base::excerpt(request.model)));
    }
    return std::ssize(shared_.preparation.columns);
  }

  [[nodiscard]] data::CsvFormat format(const PredictRequest& request) const {
    data::CsvFormat format =
        libsvm_features_ ? data::libsvm_format(*libsvm_features_) : request.format;
    format.advice = advice();
    return format;
  }

  std::string rows_name_;
  const models::SharedFit& shared_;
  GroupsFrom groups_from_;
  data::GroupFinder finder_;
  Source source_;
  std::optional<std::int64_t> libsvm_features_;
  data::CsvStream reader_;
  data::RowPreparer preparer_;
  PredictCounts counts_;
  std::vector<std::int32_t> groups_;
  const std::vector<double>* features_ = nullptr;
};

/// Rows of the table to make.
class Predictions {
 public:
  Predictions(results::StoredModel& stored, const PredictRequest& request)
      : model_{*stored.model},
        request_{request},
        unit_{models::target_unit_of(*stored.shared)},
        table_{stored, request},
        kept_{kept_columns(request.keep, table_.reader().names())} {
    table_.reader().watch([this](const data::CsvScanner& row) {
      for (const std::size_t place : kept_.places) cells_.emplace_back(row.whole_cell(place));
    });
    for (const double atom : model_.atoms()) {
      atoms_in_own_unit_.push_back(unit_ ? (*unit_)(atom) : atom);
    }
  }
  Predictions(Predictions&&) = delete;  // the reader calls it

  PredictCounts write(CsvTarget& target) {
    if (request_.balance) return write_balanced(target);
    target.row(header());
    while (target.is_wanted()) {
      cells_.clear();
      const std::size_t rows = table_.next();
      if (rows == 0) return table_.counts();
      write_window(rows, target);
    }
    PredictCounts counts = table_.counts();
    counts.cut_off = true;
    return counts;
  }

 private:
  [[nodiscard]] std::vector<std::string> header() const {
    std::vector<std::string> names = kept_.names;
    const auto add = [&](std::string name) {
      while (std::ranges::find(kept_.names, name) != kept_.names.end()) name = "predicted_" + name;
      names.push_back(std::move(name));
    };
    for (const std::string& output : model_.outputs()) add(output);
    if (unit_) add("prediction_in_own_unit");
    if (request_.seed) add("drawn");
    if (request_.seed && unit_) add("drawn_in_own_unit");
    if (!request_.atoms) return names;
    for (const double atom : model_.atoms()) add("probability_of_" + base::format_double(atom));
    return names;
  }

  /// All rows are read, then assigned, then written.
  PredictCounts write_balanced(CsvTarget& target) {
    std::vector<double> squares;
    std::vector<std::int32_t> groups;
    while (table_.next() > 0) {
      std::ranges::copy(model_.squared_distances(table_.features()), std::back_inserter(squares));
      std::ranges::copy(table_.groups(), std::back_inserter(groups));
    }
    const auto assignment = assigned(squares, groups);
    target.row(header());
    std::vector<std::string> line;
    for (std::size_t row = 0; row < groups.size(); ++row) {
      start_line(line, row);
      const auto cluster = static_cast<std::size_t>(assignment.labels[row]);
      const std::size_t place = row * static_cast<std::size_t>(model_.centres()) + cluster;
      line.push_back(base::format_double(static_cast<double>(cluster)));
      line.push_back(base::format_double(std::sqrt(squares[place])));
      target.row(line);
    }
    PredictCounts counts = table_.counts();
    if (groups.empty()) return counts;  // no cluster has a balance
    counts.assignment = {assignment.cost, assignment.lower_bound, assignment.balance};
    return counts;
  }

  /// Says how far it has come, where it may take long.
  [[nodiscard]] clustering::BalancedAssignment assigned(std::span<const double> squares,
                                                        std::span<const std::int32_t> groups) {
    using enum sweep::ProgressStyle;
    const auto columns = terminal_columns();
    sweep::StatusLine line(
        !request_.until_proven ? silent
        : columns              ? terminal
                               : log,
        [](std::string_view text) { log_text(text, Patience::none); }, columns.value_or(0));
    return clustering::assign_within_balance(
        squares, groups, table_.number_of_groups(), model_.centres(),
        {.balance = *request_.balance, .until_proven = request_.until_proven},
        [&line](clustering::AssignmentProgress progress) {
          line.show([&] {
            return fmt::format("cost {:.10g}, lower bound {:.10g}, gap {:.2g}", progress.cost,
                               progress.lower_bound, progress.gap());
          });
        });
  }

  /// With the cells of the row that are kept.
  void start_line(std::vector<std::string>& line, std::size_t row) const {
    const auto kept = cells_.begin() + static_cast<std::ptrdiff_t>(row * kept_.places.size());
    line.assign(kept, kept + std::ssize(kept_.places));
  }

  void write_window(std::size_t rows, CsvTarget& target) {
    const auto values = model_.predict(table_.features(), table_.groups());
    const std::size_t width = values.size() / rows;
    std::vector<std::string> line;
    for (std::size_t row = 0; row < rows; ++row) {
      start_line(line, row);
      for (const double value : values.subspan(row * width, width)) {
        line.push_back(base::format_double(value));
      }
      if (unit_) line.push_back(base::format_double(in_own_unit(values[row * width], row)));
      add_draws(line, row);
      target.row(line);
    }
  }

  [[nodiscard]] std::span<const double> distribution(std::size_t row) const {
    const std::size_t atoms = atoms_in_own_unit_.size();
    return atoms == 0 ? std::span<const double>{}
                      : model_.distribution().subspan(row * atoms, atoms);
  }

  /// The expected value: of the distribution over atoms, where there is one.
  [[nodiscard]] double in_own_unit(double prediction, std::size_t row) const {
    const auto pi = distribution(row);
    if (pi.empty()) return (*unit_)(prediction);
    double mean = 0;
    for (std::size_t l = 0; l < pi.size(); ++l) mean += pi[l] * atoms_in_own_unit_[l];
    return mean;
  }

  void add_draws(std::vector<std::string>& line, std::size_t row) {
    if (!request_.seed && !request_.atoms) return;
    const auto pi = distribution(row);
    if (request_.seed) {
      const std::size_t atom = drawn(pi);
      line.push_back(base::format_double(model_.atoms()[atom]));
      if (unit_) line.push_back(base::format_double(atoms_in_own_unit_[atom]));
    }
    if (!request_.atoms) return;
    for (const double probability : pi) line.push_back(base::format_double(probability));
  }

  /// By a stream of the row's own, so that no row changes what is drawn for another.
  std::size_t drawn(std::span<const double> pi) {
    const base::StreamKey key(static_cast<std::uint64_t>(*request_.seed), "predict", "draw");
    double left = base::Stream(key, static_cast<std::uint64_t>(row_++)).uniform();
    for (std::size_t l = 0; l + 1 < pi.size(); ++l) {
      left -= pi[l];
      if (left < 0) return l;
    }
    return pi.size() - 1;
  }

  models::FittedModel& model_;
  const PredictRequest& request_;
  std::optional<models::TargetUnit> unit_;
  PreparedTable table_;
  Kept kept_;
  std::vector<std::string> cells_;  ///< that are kept, of the window's rows or of all
  std::vector<double> atoms_in_own_unit_;
  std::int64_t row_ = 0;  ///< of the whole table
};

/// @throws base::InputError  some cell is none.
void read_all(const results::StoredModel& stored, const PredictRequest& request) {
  PreparedTable table(stored, request);
  while (table.next() > 0) {
  }
}

void check(const PredictRequest& request, const models::FittedModel& model,
           const std::string& csv) {
  const std::string model_of = base::excerpt(request.model);
  if (request.as_they_come && (csv != standard_stream || request.balance)) {
    throw base::InputError(fmt::format(
        "predict: --as-they-come is of rows that go to the standard output{}",
        request.balance ? " one by one, and with --balance they hang on each other" : ", --csv -"));
  }
  if (request.until_proven && !request.balance) {
    throw base::InputError(
        "predict: --until-proven is of the search behind --balance B, which is not asked for");
  }
  if (request.balance && model.centres() == 0) {
    throw base::InputError(
        fmt::format("predict: --balance is of clusters, and the model of '{}' has none", model_of));
  }
  if ((!request.seed && !request.atoms) || !model.atoms().empty()) return;
  throw base::InputError(fmt::format(
      "predict: --draw and --atoms are of predictions that are drawn from atoms, and those of the "
      "model of '{}' are not",
      model_of));
}

PredictCounts predict_all(results::StoredModel& stored, const PredictRequest& request,
                          const std::string& csv) {
  // With a balance nothing is written before all rows have been read in any case.
  const bool waits = csv == standard_stream && !request.as_they_come && !request.balance;
  const bool read_once = request.rows == standard_stream;
  if (waits && !read_once) read_all(stored, request);
  Predictions predictions(stored, request);
  CsvTarget target(csv, waits && read_once ? Release::when_complete : Release::when_made);
  const PredictCounts counts = predictions.write(target);
  target.close();
  return counts;
}

}  // namespace

PredictCounts predict_rows(results::StoredModel& stored, const PredictRequest& request,
                           const std::string& csv) {
  check(request, *stored.model, csv);
  try {
    return predict_all(stored, request, csv);
  } catch (const base::MissingColumnError& error) {
    const bool forgotten = !request.libsvm && !stored.shared->preparation.columns.empty() &&
                           first_not_numbered(stored.shared->preparation) == nullptr &&
                           error.column() == "1";
    if (!forgotten) throw;
    throw base::InputError(
        fmt::format("{}: the model's features are called 1 to {}, and the table has no column '1'; "
                    "rows of a LIBSVM file are read with --libsvm",
                    base::excerpt(request.rows), stored.shared->preparation.columns.size()));
  }
}

}  // namespace fairfront::drivers
