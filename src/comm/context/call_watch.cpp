#include "comm/context/call_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sterna::comm {
namespace {

/// The shortest timeout of a watched call: on a loaded machine starting and ending MPI takes its
/// time.
constexpr std::chrono::duration<double> least_timeout(2.0);

/// The watching thread and the calls that it watches. It is never freed, because the thread runs
/// until the process ends.
class CallWatch {
 public:
  static CallWatch& instance() {
    static auto* const watch = new CallWatch;
    return *watch;
  }

  void add(WatchedCall* call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
    if (!std::exchange(running_, true)) std::thread([this] { run(); }).detach();
  }

  void remove(WatchedCall* call) {
    const std::lock_guard lock(mutex_);
    std::erase(calls_, call);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void run() {
    auto last = Clock::now();
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::lock_guard lock(mutex_);
      const auto now = Clock::now();
      const auto passed = counted(now - std::exchange(last, now));
      for (WatchedCall* const call : calls_) call->look(passed);
    }
  }

  std::mutex mutex_;
  std::vector<WatchedCall*> calls_;
  bool running_ = false;
};

}  // namespace

void WatchedCall::start_watch() {
  CallWatch::instance().add(this);
}

void WatchedCall::end_watch() {
  CallWatch::instance().remove(this);
}

CollectiveCall::CollectiveCall(std::string what, Seconds timeout, std::function<LateRanks()> late)
    : what_(std::move(what)),
      timeout_(std::max(std::chrono::duration<double>(timeout.count()), least_timeout)),
      late_(std::move(late)) {
#ifndef STERNA_SIMULATED  // in a simulation, time is not that of the machine
  start_watch();
#endif
}

CollectiveCall::~CollectiveCall() {
#ifndef STERNA_SIMULATED
  end_watch();
#endif
}

void CollectiveCall::look(std::chrono::duration<double> passed) {
  waited_ += passed;
  if (waited_ < timeout_) return;
  const LateRanks late = late_ ? late_() : LateRanks();
  end_process(fmt::format("sterna: error: {}: waited {:.1f} s for {}{}", what_, waited_.count(),
                          late_ ? name_ranks(late.ranks) : "the launcher",
                          timeout_passed(timeout_.count(), late, !late_)));
}

void end_process(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(1);
}

}  // namespace sterna::comm
