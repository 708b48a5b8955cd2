#include "experiments/regression_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "data/catalogue/locate_file.hpp"
#include "data/column_fit.hpp"
#include "data/readers/separator.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/regression_optimum.hpp"
#include "experiments/regression_results.hpp"
#include "solvers/regression/stream.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using regression::DualProblem;
using sweep::TaskResult;
using sweep::Work;
using Problem = RegressionProblem;

constexpr std::int64_t window_rows = 1024;

std::vector<data::TableColumn> columns_of(const BasePredictions& base) {
  if (base.set) return base.set->fitted.wanted();
  std::vector<data::TableColumn> columns;
  for (const std::string& name : prediction_columns(base.options)) columns.push_back({name});
  return columns;
}

/// That of data.file where the table is a file of the user's own, else the usual one.
data::CsvFormat format_of(const sweep::Task& task) {
  const auto options = sweep::read_section<data::SupervisedOptions>(task, "data");
  if (options.data != "csv") return {};
  return {.separator = data::separator_char(options.separator),
          .header = options.header,
          .missing = options.missing};
}

UnlabelledFile check_file(const std::filesystem::path& path, const data::CsvFormat& format,
                          const BasePredictions& base) try {
  UnlabelledFile file{.path = path, .format = format};
  PredictionStream stream(path, format, base);
  double largest = 0;
  while (stream.next()) {
    base::stop_point();
    for (const double eta : stream.eta()) largest = std::max(largest, std::abs(eta));
  }
  file.rows = stream.rows();
  if (file.rows == 0) {
    throw base::InputError(fmt::format("{}: the file has no rows to learn from", path.string()));
  }
  if (!base.set) data::check_squares(std::span{&largest, 1}, base.options.eta);  // as of the table
  file.sha256 = stream.sha256();
  if (stream.unseen_levels() > 0) {
    file.warnings.push_back(
        fmt::format("{} cells of regression.unlabelled_file have a name that no training row "
                    "holds; they set no indicator",
                    stream.unseen_levels()));
  }
  return file;
} catch (const base::InputError& error) {
  const std::string what = error.what();
  const bool names_file = what.find(path.string()) != std::string::npos;
  throw base::DataError(names_file ? what : fmt::format("{}: {}", path.string(), what));
}

struct StreamingOptions : SlackOptions {
  regression::StreamOptions solver{};
  Compare compare = Compare::automatic;
};
base::OptionTable options_of(StreamingOptions& options) {
  base::OptionTable table("dp_streaming");
  describe(table, static_cast<SlackOptions&>(options));
  table.add_choice<regression::StreamRule>("optimiser", options.solver.rule,
                                           {{"averaged_sgd", regression::StreamRule::averaged_sgd},
                                            {"ac_sa", regression::StreamRule::ac_sa}},
                                           "The dual is solved by projected steps of size 1/M with "
                                           "the average of the iterates, or by AC-SA.");
  table.add("strong_convexity", options.solver.strong_convexity, base::between(0.0, 1e12), "",
            "AC-SA is told this strong convexity, the paper's mu; 0 stands for 2 sigma^2 / beta.");
  add_compare(table, options.compare);
  table.assign_role(base::Role::tuning, {"strong_convexity"});
  table.only_if({"seed"}, base::never(), "[dp_streaming] draws nothing");
  table.only_if({"strong_convexity"}, base::is("optimiser", {"ac_sa"}),
                "only optimiser = ac_sa is told it");
  return table;
}
void validate_for(const Problem& problem, const StreamingOptions& options) {
  (void)slack_of(problem, options);
}

void take_unlabelled_part(const Problem& problem, regression::StreamedDual& streamed,
                          solvers::Heartbeat& heartbeat) {
  const std::int64_t rows = problem.unlabelled.rows();
  const std::vector<std::int64_t>& order = problem.base->split.validation;
  const auto groups = static_cast<std::size_t>(problem.groups());
  for (std::int64_t row = 0; row < rows; ++row) {
    heartbeat.beat([&] { return solvers::progress("row", row, rows); });
    const auto i = static_cast<std::size_t>(row);
    const auto number = static_cast<std::size_t>(order[i]);
    streamed.add(problem.unlabelled.predicted.eta[i],
                 std::span{problem.base->tau}.subspan(number * groups, groups));
  }
}

/// @throws base::DataError  the file is not the one that was checked.
void take_file(const Problem& problem, regression::StreamedDual& streamed,
               solvers::Heartbeat& heartbeat) {
  const UnlabelledFile& file = *problem.unlabelled_file;
  const auto groups = static_cast<std::size_t>(problem.groups());
  PredictionStream stream(file.path, file.format, *problem.base);
  while (stream.next()) {
    const std::span<const double> eta = stream.eta();
    for (std::size_t i = 0; i < eta.size(); ++i) {
      heartbeat.beat([&] { return solvers::progress("row", streamed.rows(), file.rows); });
      streamed.add(problem.scale(eta[i]), stream.tau().subspan(i * groups, groups));
    }
  }
  if (stream.sha256() == file.sha256) return;
  throw base::DataError(fmt::format("'{}' has changed since the run began", file.path.string()));
}

struct Streamed {
  std::vector<double> w;
  std::int64_t rows = 0;
};
template <solvers::MaybeConst<Streamed> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.rows);
}

Streamed streamed(const Problem& problem, const StreamingOptions& options,
                  const solvers::Control& control) {
  regression::StreamedDual dual(problem.grid, problem.shares, problem.beta,
                                slack_of(problem, options), options.solver);
  solvers::Heartbeat heartbeat(control);
  if (problem.unlabelled_file) {
    take_file(problem, dual, heartbeat);
  } else {
    take_unlabelled_part(problem, dual, heartbeat);
  }
  return {dual.multipliers(), dual.rows()};
}

TaskResult run_streaming(const Run<Problem, StreamingOptions>& run) {
  const Problem& problem = run.problem;
  const DualProblem dual = dual_of(problem, run.options);
  solvers::Stages stages(run.control, "dp_streaming 1\n");
  const Streamed found = stages.next(
      [&](const solvers::Control& control) { return streamed(problem, run.options, control); },
      [&](const Streamed& kept) { return std::ssize(kept.w) == dual.size(); });
  TaskResult result = result_of(problem, dual, found.w, run.options.rule, run.resampling);
  if (is_compared(problem, run.options.compare)) {
    add_distance_to_optimum(result, problem, dual, found.w, stages);
  }
  result.metrics["gradients"] = static_cast<double>(found.rows);
  add_evaluations(result, problem.base->evaluations_of_both(found.rows) + found.rows);
  return result;
}

sweep::Columns streaming_columns() {
  sweep::Columns columns = dual_columns();
  add_columns(columns, optimum_columns());
  columns.metrics.push_back(
      {"gradients", "stochastic gradients of one row", "", Direction::none, regression_paper});
  return columns;
}

Work streaming_work(const Problem& problem, const StreamingOptions& options) {
  Work work = newton_work(problem, is_compared(problem, options.compare) ? 1 : 0);
  if (!problem.unlabelled_file) return work;
  work.amount += static_cast<double>(problem.unlabelled_file->rows) *
                 static_cast<double>(problem.atoms.size());
  return work;
}

}  // namespace

PredictionStream::PredictionStream(const std::filesystem::path& path, const data::CsvFormat& format,
                                   const BasePredictions& base)
    : base_{&base}, file_{path}, reader_{file_.text(), format, columns_of(base)} {
  if (base.set) preparer_.emplace(base.set->fitted);
}

bool PredictionStream::next() {
  const data::Table& table = reader_.next(window_rows);
  if (table.rows == 0) return false;
  eta_.resize(static_cast<std::size_t>(table.rows));
  tau_.resize(eta_.size() * base_->group_names.size());
  if (preparer_) {
    base_->models.predict(preparer_->features(table), eta_, tau_);
  } else {
    take_columns(table);
  }
  rows_ += table.rows;
  return true;
}

void PredictionStream::take_columns(const data::Table& table) {
  const std::size_t groups = base_->group_names.size(), width = groups + 1;
  for (std::size_t i = 0; i < eta_.size(); ++i) {
    const auto cells = std::span{table.numbers}.subspan(i * width, width);
    eta_[i] = cells[0];
    std::ranges::copy(cells.subspan(1), tau_.begin() + static_cast<std::ptrdiff_t>(i * groups));
  }
  const std::size_t wrong = first_without_probabilities(tau_, groups);
  if (wrong == eta_.size()) return;
  throw base::InputError(
      fmt::format("{}: row {} holds no probabilities of the groups: they must be >= 0 with sum 1",
                  file_.path(), rows_ + static_cast<std::int64_t>(wrong) + 1));
}

std::int64_t PredictionStream::unseen_levels() const noexcept {
  return preparer_ ? preparer_->unseen_levels() : 0;
}

std::shared_ptr<const UnlabelledFile> unlabelled_file(const sweep::Task& task,
                                                      const sweep::RunContext& context,
                                                      const BasePredictions& base,
                                                      const std::string& name) {
  if (name.empty()) return nullptr;
  const std::string key = cache_key("unlabelled file of regression", task,
                                    {"data", "split", "preparation", "base"}, context) +
                          name;
  return context.cache->get<UnlabelledFile>(key, [&] {
    const auto path = data::path_of_option("regression.unlabelled_file", name, context.data_dir);
    auto file = std::make_shared<const UnlabelledFile>(check_file(path, format_of(task), base));
    return sweep::Made<UnlabelledFile>{std::move(file), sizeof(UnlabelledFile)};
  });
}

Method<Problem> streaming_method() {
  return make_method<Problem, StreamingOptions>(
      {.name = "dp_streaming",
       .title = "post-processing in one pass over unlabelled rows, in their order",
       .source = "Ghadimi and Lan (2012)",
       .revision = 9},  // 9: evaluations are counted
      streaming_columns(), streaming_work, run_streaming);
}

}  // namespace fairfront::experiments
