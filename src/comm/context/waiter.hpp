#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/late_ranks.hpp"

namespace sterna::comm {

/// What a wait is for: the text of its error.
struct Awaited {
  std::string_view exchange_name;  ///< "halo positions"
  std::string_view method_name;    ///< "p2p"
  std::uint64_t round = 0;
  std::vector<int> ranks;  ///< those still awaited; empty: any of the others
};

/// Tells the processor that this is a spin loop.
inline void relax_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// "; rank 3 (process 4711) has died" where that is known, otherwise nothing.
std::string death_of(const Context::Implementation& context, int rank);

/// The ranks of this node that are stopped.
LateRanks stopped_ranks(const Context::Implementation& context);

/// The error of a wait that is given up since `dead` has died: "halo positions: waited 60.0 s in
/// method p2p, round 7, for rank 3; rank 3 (process 4711) has died". Where no ranks are awaited by
/// name, it names `dead`.
std::string describe_death(const Awaited& awaited, double seconds, int dead,
                           const std::string& how);

/// Likewise where the deadline has passed: it names the awaited ranks, or those of this node that
/// are stopped.
std::string describe_timeout(const Context::Implementation& context, const Awaited& awaited,
                             double seconds);

/// Lets all transports of this process make progress: other ranks may depend on it.
void make_progress(const Context::Implementation& context);

/// What the condition of a wait looks at.
enum class Watched {
  messages,  ///< asks MPI, which may yield the core by itself while it finds nothing
  memory,    ///< words that others store: asking again at once is of use only while they run
};

/// The one way to wait in this library. Polls, then yields the core (more ranks than cores must
/// work) and, where there are more, sleeps for moments. About every 10 ms it calls the context's
/// idle hook, looks whether the awaited ranks of this node still live, and checks the deadline.
class Waiter {
 public:
  explicit Waiter(Context::Implementation& context, Watched watched = Watched::messages)
      : context_(context),
        polls_(watched == Watched::memory ? context.polls_of_memory : context.polls_of_messages) {}

  /// Returns when `condition()` is true; calls `describe() -> Awaited` only when it must look
  /// closer. Throws Error when the deadline passes or an awaited rank has died.
  template <class Condition, class Describe>
  void wait(Condition&& condition, Describe&& describe) {
    if (condition()) return;
    WaitingTime time(context_.processor_seconds_waited);
    if (context_.shares_cores) time.read_processor();  // MPI may yield the core while it polls
    for (int poll = 1; poll < polls_; ++poll) {
      relax_processor();
      if (condition()) return;
    }
    time.read_processor();
    while (!condition()) {
      if (pause()) look_closer(describe());
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Adds the processor's time until its end. While a wait has its core for itself, this is the time
  /// that passes. From `read_processor` on the processor is asked, which takes half a microsecond.
  class WaitingTime {
   public:
    explicit WaitingTime(double& seconds);
    ~WaitingTime();
    WaitingTime(const WaitingTime&) = delete;
    WaitingTime& operator=(const WaitingTime&) = delete;
    void read_processor();

   private:
    double& seconds_;
    Clock::time_point start_;
    std::optional<double> processor_start_;
  };

  /// Yields the core for a moment; true when it is time to look closer.
  bool pause();
  void look_closer(const Awaited& awaited);
  [[noreturn]] void fail(const std::string& message);
  double waited() const;

  Context::Implementation& context_;
  int polls_;
  Clock::time_point start_;  ///< of the wait, but for its first few pauses
  Clock::time_point next_look_;
  bool idle_ = false;
  unsigned pauses_ = 0;
  /// A dead rank may have sent all it owed: it is missed only when the condition still does not
  /// hold at the look after the one that found it dead.
  int suspect_ = -1;
};

/// Waits for one MPI request and frees it.
void wait_for_request(Context::Implementation& context, MPI_Request& request,
                      std::string_view exchange_name, std::string_view method, std::uint64_t round);

}  // namespace sterna::comm
