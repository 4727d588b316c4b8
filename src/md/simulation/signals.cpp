#include "md/simulation/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace sterna::md {

namespace {

volatile std::sig_atomic_t stop_asked = 0;
volatile std::sig_atomic_t checkpoint_asked = 0;

extern "C" void handle(int signal) {
  if (signal == SIGUSR1) {
    checkpoint_asked = 1;
    return;
  }
  stop_asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_signals() {
  stop_asked = 0;
  checkpoint_asked = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, handle);
}

Request requested() {
  if (stop_asked != 0) return Request::stop;
  return checkpoint_asked != 0 ? Request::checkpoint : Request::none;
}

void clear_checkpoint_request() {
  checkpoint_asked = 0;
}

}  // namespace sterna::md
