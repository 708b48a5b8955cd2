/// @file
/// The signals that ask a run to end in order.
#pragma once

namespace fairfront::drivers {

/// From now on SIGTERM and SIGUSR1 are remembered instead of ending the process.
void catch_stop_signals();

/// One of them has come.
[[nodiscard]] bool stop_signal_has_come();

}  // namespace fairfront::drivers
