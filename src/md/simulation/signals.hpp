#pragma once

#include <cstdint>

namespace sterna::md {

/// What signals asked for since the start: a larger number is the stronger wish.
enum class Request : std::int64_t {
  none = 0,
  checkpoint = 1,  ///< SIGUSR1: write one and go on
  stop = 2,        ///< SIGTERM, SIGINT: write one and end
};

/// Catches SIGTERM, SIGINT, SIGHUP and SIGUSR1 from now on, and forgets earlier ones. A second
/// SIGINT some seconds later ends the process at once.
void catch_signals();

/// From now on they end the process again.
void release_signals();
Request requested();
/// Forgets a request for a checkpoint that was carried out.
void clear_checkpoint_request();
/// Forgets a request to stop that was carried out by a program that goes on.
void clear_stop_request();

}  // namespace sterna::md
