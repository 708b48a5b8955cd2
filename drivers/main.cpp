/// @file
/// Starts and ends MPI and turns errors into messages and exit codes.
#include <fmt/format.h>
#include <mpi.h>

#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "command_line.hpp"
#include "output.hpp"
#include "parallel/agree.hpp"
#include "parallel/comm.hpp"
#include "stop_signal.hpp"

namespace {

using namespace fairfront;

/// The status of a process that ends by the exception that is being handled.
int exit_code() { return static_cast<int>(base::exit_code_of(std::current_exception())); }

std::string message() { return base::message_of(std::current_exception()); }

/// Says what is being handled, also where there is no memory for the words: an exception from here
/// would leave the other ranks waiting for this one.
void report(const parallel::Comm& world) noexcept {
  try {
    const std::string who =
        world.size() > 1 ? fmt::format(" on rank {} of {}", world.rank(), world.size()) : "";
    drivers::log("fairfront: error{}: {}\n", who, message());
  } catch (...) {
    drivers::log_text("fairfront: error: out of memory\n", drivers::Patience::none);
  }
}

/// Collective. An error that the other ranks do not know of ends them all: they may be waiting.
int run_program(const parallel::Comm& world, const std::vector<std::string>& words) {
  try {
    return static_cast<int>(drivers::execute(world, words));
  } catch (const parallel::CollectiveError& error) {
    if (!world.is_root()) return exit_code();
    if (error.exit_code() == base::ExitCode::interrupted) {
      drivers::log("fairfront: interrupted before the first task was begun; go on with --resume\n");
    } else {
      drivers::log("fairfront: error: {}\n", error.what());
    }
    return exit_code();
  } catch (...) {
    report(world);
    if (world.size() > 1) MPI_Abort(world.get(), exit_code());
    return exit_code();
  }
}

/// Before MPI is there, which takes a part of a second: what a run does with a stop is known from
/// its first word. Other commands end by the signal, as every program does.
void catch_signals(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "run" || command == "replay") drivers::catch_stop_signals();
}

}  // namespace

int main(int argc, char** argv) {
  drivers::end_with_the_launcher();
  drivers::guard_standard_streams();
  catch_signals(argc, argv);
  // By default a write beyond the file size limit (ulimit -f, batch systems) kills the process. Now
  // it fails with EFBIG, and the run ends as with a full disk: with a message, and resumable.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    // Most of the time that a short command takes is MPI's, and a login node may have none that
    // starts.
    if (parallel::rank_told_by_launcher() == nullptr && !drivers::runs_tasks(words)) {
      return run_program(parallel::Comm::alone(), words);
    }
    const parallel::Session session(argc, argv);
    const parallel::Comm world(MPI_COMM_WORLD);
    return run_program(world, {argv + 1, argv + argc});
  } catch (...) {
    drivers::log("fairfront: error: {}\n", message());
    return exit_code();
  }
}
