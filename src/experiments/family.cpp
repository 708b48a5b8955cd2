#include "experiments/family.hpp"

#include <algorithm>
#include <chrono>

#include "models/fitted_model.hpp"

namespace fairfront::experiments {
namespace {

using base::Quantity;

bool same(const Quantity& a, const Quantity& b) {
  return a.definition == b.definition && a.unit == b.unit && a.direction == b.direction &&
         a.source == b.source;
}
bool same(const sweep::SeriesQuantity& a, const sweep::SeriesQuantity& b) {
  return same(a.what, b.what) && a.step == b.step;
}

bool same(const sweep::MeasuredQuantity& a, const sweep::MeasuredQuantity& b) {
  return same(a.what, b.what) && a.parts == b.parts && a.at_groups == b.at_groups;
}

const std::string& name_of(const Quantity& quantity) { return quantity.name; }
const std::string& name_of(const sweep::SeriesQuantity& series) { return series.what.name; }
const std::string& name_of(const sweep::MeasuredQuantity& measure) { return measure.what.name; }

template <class Column>
void add(std::vector<Column>& columns, const std::vector<Column>& more) {
  for (const Column& column : more) {
    const auto known = std::ranges::find_if(
        columns, [&](const Column& other) { return name_of(other) == name_of(column); });
    if (known == columns.end()) {
      columns.push_back(column);
    } else if (!same(*known, column)) {
      throw std::logic_error("two columns '" + name_of(column) + "' mean different things");
    }
  }
}

/// Stops and checkpoints as the run loop wants.
std::function<solvers::Request()> request_of(const sweep::RunContext& context) {
  using solvers::Request;
  using Clock = std::chrono::steady_clock;
  return [&context, last = Clock::now()]() mutable {
    if (context.stop_wanted && context.stop_wanted()) return Request::stop;
    // Ranks that save nothing have no wish: rank 0's clock decides.
    const std::chrono::duration<double> since = Clock::now() - last;
    if (!context.save_checkpoint || since.count() < context.checkpoint_seconds) {
      return Request::go_on;
    }
    last = Clock::now();
    return Request::checkpoint;
  };
}

}  // namespace

solvers::Control control_of(const parallel::Comm& team, const sweep::RunContext& context) {
  solvers::Control control;
  control.request = request_of(context);
  if (!team.is_root()) return control;
  control.report = context.report;
  control.save = context.save_checkpoint;
  if (context.load_checkpoint) control.resume = context.load_checkpoint();
  return control;
}

void add_data(sweep::TaskResult& result, const data::Provenance& data) {
  if (!result.model.empty()) result.model = models::with_data(result.model, data.digest);
}

void add_columns(sweep::Columns& columns, const sweep::Columns& more) {
  add(columns.metrics, more.metrics);
  add(columns.measures, more.measures);
  add(columns.series, more.series);
  add(columns.solutions, more.solutions);
}

}  // namespace fairfront::experiments
