#pragma once

#include <cstdint>

namespace sterna::md {

/// The request of the signals received since the start; a larger number is a stronger request.
enum class Request : std::int64_t {
  none = 0,
  checkpoint = 1,  ///< SIGUSR1: write a checkpoint and continue
  stop = 2,        ///< SIGTERM, SIGINT: write a checkpoint and end
};

/// Catches SIGTERM, SIGINT, SIGHUP and SIGUSR1 from now on, and forgets earlier ones. A second
/// SIGINT some seconds later ends the process at once.
void catch_signals();

/// Restores the default, so that these signals end the process again.
void release_signals();
Request requested();
/// Clears a request for a checkpoint that was carried out.
void clear_checkpoint_request();
/// Clears a request to stop that was carried out, for a program that continues.
void clear_stop_request();

}  // namespace sterna::md
