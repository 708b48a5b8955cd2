#include "parallel/agree.hpp"

#include <fmt/format.h>

namespace fairfront::parallel::detail {
namespace {

struct Failure {
  std::string reason;
  base::ExitCode code = base::ExitCode::bad_input;
};

Failure describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const base::Error& error) {
    return {error.what(), error.exit_code()};
  } catch (const std::exception& error) {
    return {error.what(), base::ExitCode::bad_input};
  } catch (...) {
    return {"unknown error", base::ExitCode::bad_input};
  }
}

}  // namespace

void agree_on(const Comm& comm, std::string_view what, std::exception_ptr failure) {
  const int mine = failure ? comm.rank() : comm.size();
  const int first = static_cast<int>(all_reduce_min(comm, mine));
  if (first == comm.size()) return;
  const Failure local = first == comm.rank() ? describe(failure) : Failure{};
  const std::string reason = broadcast(comm, first, local.reason);
  const std::int64_t code =
      all_reduce_max(comm, first == comm.rank() ? static_cast<int>(local.code) : 0);
  // Rank 0 does the work that only one rank can do; its number would tell the user nothing.
  const std::string where = first > 0 ? fmt::format(" (rank {})", first) : std::string{};
  const std::string prefix = what.empty() ? std::string{} : fmt::format("{}: ", what);
  throw CollectiveError(fmt::format("{}{}{}", prefix, reason, where), first,
                        static_cast<base::ExitCode>(code));
}

}  // namespace fairfront::parallel::detail
