#include "md/simulation/signals.hpp"

#include <csignal>
#include <ctime>
#include <initializer_list>

namespace sterna::md {

namespace {

volatile std::sig_atomic_t stop_asked = 0;
volatile std::sig_atomic_t checkpoint_asked = 0;
volatile std::time_t stop_asked_at = 0;

/// Seconds. Launchers pass a single Ctrl-C on twice at once; a user who presses it again takes
/// longer.
constexpr std::time_t patience = 2;

extern "C" void handle(int signal) {
  if (signal == SIGUSR1) {
    checkpoint_asked = 1;
    return;
  }
  const std::time_t now = std::time(nullptr);
  if (stop_asked != 0 && signal == SIGINT && now - stop_asked_at > patience) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (stop_asked == 0) stop_asked_at = now;
  stop_asked = 1;
}

}  // namespace

void catch_signals() {
  stop_asked = 0;
  checkpoint_asked = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, handle);
  // nohup makes a run ignore SIGHUP when its terminal is closed, and this must stay so.
  if (std::signal(SIGHUP, handle) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

void release_signals() {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

Request requested() {
  if (stop_asked != 0) return Request::stop;
  return checkpoint_asked != 0 ? Request::checkpoint : Request::none;
}

void clear_checkpoint_request() {
  checkpoint_asked = 0;
}

void clear_stop_request() {
  stop_asked = 0;
}

}  // namespace sterna::md
