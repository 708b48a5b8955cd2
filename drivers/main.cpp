/// @file
/// Starts and ends MPI and turns errors into messages and exit codes.
#include <fmt/format.h>
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command_line.hpp"
#include "parallel/agree.hpp"
#include "parallel/comm.hpp"

namespace {

using namespace fairfront;

int exit_code_of(const std::exception& error) {
  const auto* known = dynamic_cast<const base::Error*>(&error);
  return static_cast<int>(known == nullptr ? base::ExitCode::bad_input : known->exit_code());
}

/// Results that a full disk has swallowed are an error, too.
int flush_results(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "fairfront: error: cannot write to the standard output\n");
  return static_cast<int>(base::ExitCode::bad_input);
}

/// Collective. An error that the other ranks do not know of ends them all: they may be waiting.
int run_program(const parallel::Comm& world, const std::vector<std::string>& words) {
  try {
    return flush_results(static_cast<int>(drivers::execute(world, words)));
  } catch (const parallel::CollectiveError& error) {
    if (world.is_root()) fmt::print(stderr, "fairfront: error: {}\n", error.what());
    return exit_code_of(error);
  } catch (const std::exception& error) {
    const std::string who =
        world.size() > 1 ? fmt::format(" on rank {} of {}", world.rank(), world.size()) : "";
    fmt::print(stderr, "fairfront: error{}: {}\n", who, error.what());
    if (world.size() > 1) MPI_Abort(world.get(), exit_code_of(error));
    return exit_code_of(error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // By default a write beyond the file size limit (ulimit -f, batch systems) kills the process. Now
  // it fails with EFBIG, and the run ends as with a full disk: with a message, and resumable.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const parallel::Session session(argc, argv);
    const parallel::Comm world(MPI_COMM_WORLD);
    return run_program(world, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "fairfront: error: {}\n", error.what());
    return exit_code_of(error);
  }
}
