#include "app/rank_process.hpp"

#include <sys/prctl.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

namespace sterna {
namespace {

/// UCX takes SIGHUP for itself when it is loaded, which is before `main`, unless this is set.
void leave_hangup_alone(int, char**, char**) {
  setenv("UCX_DEBUG_SIGNO", "0", 0);
}

/// Runs before the constructors of all libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const at_start)(int, char**,
                                                                     char**) = leave_hangup_alone;

}  // namespace

void prepare_rank_process() {
  if (std::getenv("STERNA_SESSION") == nullptr) return;
  // They are blocked in the launcher, and not every launcher gives its children a fresh start.
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&stops, signal);
  sigprocmask(SIG_UNBLOCK, &stops, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The launcher takes the standard output with it.
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace sterna
