#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/context/process.hpp"

namespace sterna::test {

/// A child of this process that was sent a signal, and that nobody has waited for.
class Child {
 public:
  /// `state`: what waitid calls the state that the signal brings it to.
  Child(int signal, int state) : id_(fork()) {
    if (id_ == 0) {
      for (;;) pause();
    }
    process_ = comm::Process::of(id_);
    kill(id_, signal);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(id_), &info, state | WNOWAIT);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { bury(); }
  void bury() {
    if (id_ > 0) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
    id_ = 0;
  }
  const comm::Process& process() const { return process_; }

 private:
  pid_t id_;
  comm::Process process_;
};

}  // namespace sterna::test
