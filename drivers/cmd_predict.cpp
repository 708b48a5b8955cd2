#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "archive/seal.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "csv_file.hpp"
#include "data/readers/separator.hpp"
#include "journal/journal.hpp"
#include "model_files.hpp"
#include "output.hpp"
#include "predict_rows.hpp"
#include "read_stored.hpp"
#include "results/stored_model.hpp"

namespace fairfront::drivers {
namespace {

std::optional<std::string> text_option(const Call& call, const char* name) {
  if (call.values.count(name) == 0) return std::nullopt;
  return call.values[name].as<std::string>();
}

std::string required_option(const Call& call, const char* name, const char* meaning) {
  if (auto value = text_option(call, name)) return *value;
  throw base::InputError(fmt::format("predict: --{} {} is missing", name, meaning));
}

data::CsvFormat format_of(const Call& call, const data::FittedPreparation& preparation) {
  data::CsvFormat format{.missing = preparation.missing_cells};
  const auto separator = call.values["separator"].as<std::string>();
  try {
    format.separator = data::parse_separator(separator);
  } catch (const std::invalid_argument& rule) {
    throw base::InputError(fmt::format("predict: --separator = '{}', must be {}",
                                       base::excerpt(separator), rule.what()));
  }
  if (const auto missing = text_option(call, "missing")) {
    format.missing = base::split_outside_parentheses(*missing);
  }
  return format;
}

std::string text_of(const PredictCounts& counts) {
  std::string text = fmt::format("{} rows", counts.rows);
  if (counts.cut_off) text += "; the reader of the output wanted no more";
  if (counts.dropped > 0) {
    text += fmt::format("; {} rows left out for a missing cell", counts.dropped);
  }
  if (counts.blank_lines > 0) {
    text += fmt::format("; {} blank lines skipped, which are no rows", counts.blank_lines);
  }
  if (counts.filled > 0) text += fmt::format("; {} missing cells filled", counts.filled);
  if (counts.unseen > 0) {
    text += fmt::format("; {} cells with a name that the training rows do not hold", counts.unseen);
  }
  if (counts.assignment) {
    const AssignmentFacts& facts = *counts.assignment;
    const double gap = facts.cost > 0 ? (facts.cost - facts.lower_bound) / facts.cost : 0;
    text += fmt::format("; balance {:.6g}; cost {:.10g}, lower bound {:.10g}, gap {:.2g}",
                        facts.balance, facts.cost, facts.lower_bound, gap);
  }
  return text;
}

/// @throws base::InputError  the file is text.
results::Content content_of(const Call& call, const std::string& path) try {
  return read_stored(path, call.values.count("partial") > 0).content;
} catch (const archive::NoArchiveError&) {
  throw base::InputError(
      fmt::format("'{}' is neither an archive nor a model file, but other text: name what "
                  "`fairfront run -o` or `fairfront choose --model` has made",
                  path));
}

/// Who names no point gets a model that is none of them.
void tell_points_apart(const results::Content& content, std::int64_t task) {
  if (!results::has_points_apart(content, static_cast<std::size_t>(task))) return;
  log("the model of task {} is the one that its measures are of, and no point of its front: "
      "--point takes one\n",
      task);
}

/// Of a model file, or of a task of an archive.
results::StoredModel model_of(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  if (path == standard_stream) {
    throw base::InputError(
        "predict: the model cannot come from the standard input ('-'): name an archive or a model "
        "file; --rows - reads the rows from there");
  }
  if (!journal::journal_exists(journal::journal_path(path))) {
    require_file(path, "-o of `fairfront run` or --model of `fairfront choose`");
  }
  if (auto file = read_model_file(path)) {
    for (const char* option : {"task", "point", "partial", "randomised"}) {
      if (call.values.count(option) == 0) continue;
      throw base::InputError(
          fmt::format("predict: --{} is of an archive, and '{}' is a model file", option, path));
    }
    return std::move(file->stored);
  }
  const results::Content content = content_of(call, path);
  std::optional<std::int64_t> point;
  if (call.values.count("point") > 0) point = call.values["point"].as<std::int64_t>();
  std::int64_t task = 0;
  if (call.values.count("task") > 0) task = call.values["task"].as<std::int64_t>();
  results::StoredModel stored = stored_model_of(
      content, path, task, point,
      call.values.count("randomised") > 0 ? results::Form::randomised : results::Form::single);
  if (!point) tell_points_apart(content, task);
  return stored;
}

base::ExitCode execute_predict(const Call& call) {
  PredictRequest request{.model = call.values["ARCHIVE"].as<std::string>(),
                         .rows = required_option(call, "rows", "FILE"),
                         .format = {},
                         .libsvm = call.values.count("libsvm") > 0,
                         .group = text_option(call, "group"),
                         .keep = text_option(call, "keep"),
                         .atoms = call.values.count("atoms") > 0,
                         .as_they_come = call.values.count("as-they-come") > 0};
  if (call.values.count("draw") > 0) request.seed = call.values["draw"].as<std::int64_t>();
  if (call.values.count("balance") > 0) request.balance = call.values["balance"].as<double>();
  request.until_proven = call.values.count("until-proven") > 0;
  const std::string csv = required_option(call, "csv", "FILE");
  if (csv.ends_with(".gz")) {
    throw base::InputError(fmt::format(
        "predict: --csv '{}' would be plain text under that name: leave .gz out, or write to '-' "
        "and pipe it to gzip",
        base::excerpt(csv)));
  }
  results::StoredModel stored = model_of(call);
  if (!request.libsvm) {
    request.format = format_of(call, stored.shared->preparation);
  } else if (!call.values["separator"].defaulted() || call.values.count("missing") > 0) {
    throw base::InputError("predict: --separator and --missing are of CSV files, not of --libsvm");
  }
  log("{}\n", text_of(predict_rows(stored, request, csv)));
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
  command.numbers = {
      {"task", "a whole number >= 0, as `fairfront show` counts the tasks"},
      {"point", "a whole number >= 0, as `fairfront show` counts the points of a front"},
      {"draw", "a whole number >= 0 and below 2^63"},
      {"balance", "a number in [0, 1]", false, 0, 1}};
  using boost::program_options::value;
  command.options.add_options()(
      "task", value<std::int64_t>()->value_name("K"),
      "The model is of this task (see `fairfront show`), or of the first one.")(
      "point", value<std::int64_t>()->value_name("P"),
      "The model is of this point of the task's front, counted from 0; without it, that which the "
      "measures are of, which is none of the points where a method selects its front among "
      "iterates: that is told.")(
      "rows", value<std::string>()->value_name("FILE"),
      "The rows are in this CSV file, or with --libsvm in one of that form, "
      "plain or .gz; - is the standard input.")(
      "csv", value<std::string>()->value_name("FILE"),
      "The table is written to this file, which is not replaced if it is there; - is the standard "
      "output.")(
      "keep", value<std::string>()->value_name("A,B"),
      "These columns are written in front of the predictions; * is all of them. A name "
      "with a comma stands in double quotes. Where a column has the name of a prediction, "
      "such as score, the prediction is called predicted_score.")(
      "group", value<std::string>()->value_name("COLUMN"),
      "This column holds the name of every row's group, for models that need it; without it, "
      "groups are found as the training data's were.")(
      "separator", value<std::string>()->value_name("C")->default_value(","),
      "This stands between the cells: comma, semicolon, tab, blank (runs of blanks), or one "
      "character.")(
      "libsvm",
      "The rows are those of a LIBSVM file, label index:value ..., for models of such files. Its "
      "labels are read and not used: --keep label writes them in front.")(
      "missing", value<std::string>()->value_name("A,B"),
      "These cells are missing, beside empty ones; without it, those of the training's "
      "data.missing.");
  command.options.add_options()(
      "draw", value<std::int64_t>()->value_name("SEED"),
      "A prediction that is drawn from the row's distribution is written as well.")(
      "atoms", "The probability of every atom of that distribution is written as well.")(
      "as-they-come",
      "Predictions go to the standard output as rows come, some thousand at a time, not when all "
      "rows have been read and are good: for rows from the standard input that have no end.");
  command.options.add_options()(
      "randomised",
      "Of [reductions], and of [certified_training] with classifier = randomised, not the best "
      "single classifier predicts, but the draw among several that keeps the bound; --draw SEED "
      "draws each row's decision.")(
      "balance", value<double>()->value_name("B"),
      "Of a clustering, rows get not the nearest centres, but the cheapest assignment of all "
      "together in which no cluster's rarest group has less than B times the rows of its most "
      "common one; the whole table is read before anything is written.")(
      "until-proven",
      "With --balance, the search for that assignment goes on until it is proven that no other one "
      "is cheaper, however long that takes, and tells how far it has come; without it, the search "
      "ends at a limit of work.");
  add_partial_option(command.options);
  return command;
}

}  // namespace fairfront::drivers
