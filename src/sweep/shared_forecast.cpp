#include "sweep/shared_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "parallel/agree.hpp"
#include "solvers/common/packing.hpp"
#include "sweep/deal_out.hpp"
#include "sweep/packed_text.hpp"

namespace fairfront::sweep {
namespace {

using solvers::Packer;
using solvers::Unpacker;

void put(Packer& packer, const data::Provenance& data) {
  put_text(packer, data.name);
  put_text(packer, data.source);
  put_texts(packer, data.files);
  put_texts(packer, data.sha256);
  packer.number(data.file_rows);
  put_text(packer, data.recipe);
  put_text(packer, data.digest);
  put_text(packer, data.fitted);
}
data::Provenance take_provenance(Unpacker& unpacker) {
  data::Provenance data;
  data.name = take_text(unpacker);
  data.source = take_text(unpacker);
  data.files = take_texts(unpacker);
  data.sha256 = take_texts(unpacker);
  data.file_rows = unpacker.number<std::int64_t>();
  data.recipe = take_text(unpacker);
  data.digest = take_text(unpacker);
  data.fitted = take_text(unpacker);
  return data;
}

/// But for its first task, which the plan tells.
void put(Packer& packer, const PlannedProblem& problem) {
  const TaskForecast& forecast = problem.forecast;
  put(packer, forecast.data);
  put_text(packer, forecast.problem);
  packer.number(forecast.work.bytes_per_rank);
  packer.number(forecast.work.amount);
  put_text(packer, forecast.work.unit);
  packer.number(forecast.work.result_bytes);
  put_texts(packer, forecast.warnings);
  packer.array(std::span(problem.amounts));
  packer.array(std::span(problem.shared));
}
PlannedProblem take_problem(Unpacker& unpacker) {
  PlannedProblem problem;
  TaskForecast& forecast = problem.forecast;
  forecast.data = take_provenance(unpacker);
  forecast.problem = take_text(unpacker);
  forecast.work.bytes_per_rank = unpacker.number<double>();
  forecast.work.amount = unpacker.number<double>();
  forecast.work.unit = take_text(unpacker);
  forecast.work.result_bytes = unpacker.number<double>();
  forecast.warnings = take_texts(unpacker);
  problem.amounts = unpacker.array<std::vector<double>>();
  problem.shared = unpacker.array<std::vector<std::uint8_t>>();
  return problem;
}

/// One rank's part.
class SharedForecast {
 public:
  SharedForecast(const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
                 const RunContext& context, const std::function<bool()>& stop_wanted)
      : world_{world},
        experiment_{experiment},
        plan_{plan},
        context_{context},
        stop_wanted_{stop_wanted} {}

  std::vector<PlannedProblem> run() {
    deal_out(world_, tasks_.size(), [this](std::size_t problem) { return attempt(problem); });
    require_sound();
    const std::vector<std::string> texts = parallel::gather(world_, mine_.take());
    std::vector<PlannedProblem> problems;
    parallel::agree(world_, "", [&] {
      if (!world_.is_root()) return;
      problems = unpack(texts);
      warn_of_idle_options(experiment_, plan_, problems);
    });
    return problems;
  }

 private:
  [[nodiscard]] PlannedProblem forecast(std::size_t problem) const {
    return forecast_problem(experiment_, plan_, context_, world_.size(), tasks_[problem]);
  }

  /// False: this rank does no more.
  bool attempt(std::size_t problem) {
    const base::StopScope scope(stop_wanted_);
    try {
      const PlannedProblem found = forecast(problem);
      mine_.number(static_cast<std::uint64_t>(problem));
      put(mine_, found);
      return true;
    } catch (const base::Interrupted&) {
      stopped_ = true;
    } catch (...) {
      unsound_ = static_cast<std::int64_t>(problem);
      failure_ = std::current_exception();
    }
    return false;
  }

  /// They are dealt out in plan order: when one is not sound, all before it have been tried. Rank 0
  /// tries it as well, so that what is wrong with the problem is said the same way on any number of
  /// ranks, and what is wrong with a host is not said of the problem. Collective.
  void require_sound() {
    const std::int64_t first = parallel::all_reduce_min(world_, unsound_);
    const bool stopped = parallel::all_reduce_max(world_, stopped_ ? 1 : 0) != 0;
    parallel::agree(world_, "", [&] {
      if (first == none) {
        if (stopped) throw base::Interrupted();
        return;
      }
      if (!world_.is_root()) return;
      if (unsound_ == first) std::rethrow_exception(failure_);
      const base::StopScope scope(stop_wanted_);
      (void)forecast(static_cast<std::size_t>(first));
    });
    parallel::agree(world_, "", [&] {
      if (first == none || unsound_ != first) return;
      throw base::InternalError(fmt::format(
          "{}; rank 0 could do the same, so a host is at fault and not the config; nothing has "
          "been begun",
          base::message_of(failure_)));
    });
  }

  [[nodiscard]] std::vector<PlannedProblem> unpack(const std::vector<std::string>& texts) const {
    std::vector<PlannedProblem> problems(tasks_.size());
    for (const std::string& text : texts) {
      Unpacker unpacker(text);
      while (!unpacker.at_end()) {
        const auto place = static_cast<std::size_t>(unpacker.number<std::uint64_t>());
        PlannedProblem& problem = problems.at(place);
        problem = take_problem(unpacker);
        problem.first_task = plan_.task(tasks_[place].front());
      }
    }
    return problems;
  }

  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  const parallel::Comm& world_;
  const Experiment& experiment_;
  const Plan& plan_;
  const RunContext& context_;
  const std::function<bool()>& stop_wanted_;
  const std::vector<std::vector<std::int64_t>> tasks_ = tasks_by_problem(plan_);
  Packer mine_;
  std::int64_t unsound_ = none;
  std::exception_ptr failure_;
  bool stopped_ = false;
};

}  // namespace

std::vector<PlannedProblem> forecast_problems_together(const parallel::Comm& world,
                                                       const Experiment& experiment,
                                                       const Plan& plan, const RunContext& context,
                                                       const std::function<bool()>& stop_wanted) {
  return SharedForecast(world, experiment, plan, context, stop_wanted).run();
}

}  // namespace fairfront::sweep
