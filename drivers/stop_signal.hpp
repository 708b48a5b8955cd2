/// @file
/// The signals that ask a run to end in order, and the end of a rank whose launcher is gone.
#pragma once

namespace fairfront::drivers {

/// What a signal means for the run.
enum class RunPhase {
  starting,  ///< nothing has been run yet
  running,
  ending,  ///< all tasks are done, the archive is being written: too late
};

/// From now on the process that was started by mpirun, orted or srun is killed when that one dies.
/// Open MPI sees to it, too, but not at every moment of its start and end, where ranks were seen to
/// wait for ever. The journal stands a SIGKILL, and its lock is free at once. Without a launcher
/// nothing changes: a program may outlive the shell that started it.
void end_with_the_launcher();

/// From now on SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU are remembered instead of
/// ending the process, and answered at once on the standard error; those that batch systems send to
/// every rank (SIGUSR1, SIGUSR2, SIGXCPU) by rank 0 alone. A second SIGINT, and while starting a
/// second SIGTERM, ends the process with exit code 3: the journal stands that at any moment. SIGINT
/// and SIGHUP stay ignored where the caller ignores them, as nohup does.
void catch_stop_signals();

/// Decides the answer.
void set_run_phase(RunPhase phase);

/// One of them has come.
[[nodiscard]] bool stop_signal_has_come();

}  // namespace fairfront::drivers
