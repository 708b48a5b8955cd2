#include "parallel/agree.hpp"

#include <fmt/format.h>

namespace fairfront::parallel::detail {

void agree_on(const Comm& comm, std::string_view what, std::exception_ptr failure) {
  const int mine = failure ? comm.rank() : comm.size();
  const int first = static_cast<int>(all_reduce_min(comm, mine));
  if (first == comm.size()) return;
  const bool culprit = first == comm.rank();
  const std::string reason = broadcast(comm, first, culprit ? base::message_of(failure) : "");
  const auto code =
      all_reduce_max(comm, culprit ? static_cast<int>(base::exit_code_of(failure)) : 0);
  const auto fault = all_reduce_max(comm, culprit ? static_cast<int>(base::fault_of(failure)) : 0);
  // Rank 0 does the work that only one rank can do; its number would tell the user nothing.
  const std::string where = first > 0 ? fmt::format(" (rank {})", first) : std::string{};
  const std::string prefix = what.empty() ? std::string{} : fmt::format("{}: ", what);
  throw CollectiveError(fmt::format("{}{}{}", prefix, reason, where), first,
                        static_cast<base::ExitCode>(code), static_cast<base::Fault>(fault));
}

}  // namespace fairfront::parallel::detail
