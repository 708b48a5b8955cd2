#include "sweep/attempt.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/system.hpp"
#include "parallel/agree.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::sweep {
namespace {

bool is_collective(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const parallel::CollectiveError&) {
    return true;
  } catch (...) {
    return false;
  }
}

Failure failure_of(const parallel::Comm& world, const parallel::Comm& team,
                   const std::exception_ptr& failure) {
  const base::Fault fault = base::fault_of(failure);
  const bool others_wait = team.size() > 1 && !is_collective(failure);
  if (fault == base::Fault::program && others_wait) std::rethrow_exception(failure);
  std::string message = base::message_of(failure);
  if (fault != base::Fault::input && !is_collective(failure)) {
    message += fmt::format(" (rank {} on host {})", world.rank(), base::host_name());
  }
  return {std::move(message), fault};
}

}  // namespace

std::optional<Failure> share_failure(const parallel::Comm& team,
                                     const std::optional<Failure>& mine) {
  if (team.size() == 1) return mine;
  const std::int64_t fault = mine ? static_cast<int>(mine->fault) : -1;
  const std::int64_t worst = parallel::all_reduce_max(team, fault);
  if (worst < 0) return std::nullopt;
  const auto first =
      static_cast<int>(parallel::all_reduce_min(team, fault == worst ? team.rank() : team.size()));
  return Failure{parallel::broadcast(team, first, mine ? mine->message : ""),
                 static_cast<base::Fault>(worst)};
}

Ending attempt(const parallel::Comm& world, const parallel::Comm& team,
               const std::function<void()>& work) {
  Ending ending;
  try {
    work();
  } catch (const TaskInterrupted&) {
    ending.interrupted = true;
  } catch (...) {
    ending.failure = failure_of(world, team, std::current_exception());
  }
  return ending;
}

}  // namespace fairfront::sweep
