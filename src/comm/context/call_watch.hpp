#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "comm/context/late_ranks.hpp"
#include "sterna/comm/seconds.hpp"

namespace sterna::comm {

/// An MPI call that cannot be polled, as the watching thread of this process sees it.
class WatchedCall {
 public:
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  /// Called by the watching thread about ten times a second. `passed` is the time since its
  /// previous call, without the time for which this process was stopped.
  virtual void look(std::chrono::duration<double> passed) = 0;

 protected:
  WatchedCall() = default;
  ~WatchedCall() = default;
  void start_watch();  ///< to be called at the end of the constructor
  void end_watch();    ///< to be called at the beginning of the destructor
};

/// The deadline of calls that all ranks make together while message passing starts or ends. The
/// object lives as long as the call. Past the timeout (two seconds at least) it ends this process
/// with a message.
class CollectiveCall final : WatchedCall {
 public:
  /// `late` says which ranks are late, as far as that is known. Without it, the message says that
  /// the call waits for the launcher.
  CollectiveCall(std::string what, Seconds timeout, std::function<LateRanks()> late = {});
  ~CollectiveCall();

 private:
  void look(std::chrono::duration<double> passed) override;

  std::string what_;
  std::chrono::duration<double> timeout_;
  std::function<LateRanks()> late_;
  std::chrono::duration<double> waited_{0.0};
};

/// Prints `message` and ends this process with status 1, without waiting for any other.
[[noreturn]] void end_process(const std::string& message);

/// Returns the part of `time` that counts for a deadline. A longer time between two readings of a
/// clock means that this process was stopped in between (Ctrl-Z), which is no rank's delay.
template <class Duration>
Duration counted(Duration time) {
  return time < std::chrono::seconds(1)
             ? time
             : std::chrono::duration_cast<Duration>(std::chrono::seconds(1));
}

}  // namespace sterna::comm
