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

/// The purpose of a wait, for the text of its error.
struct Awaited {
  std::string_view exchange_name;  ///< such as "halo positions"
  std::string_view method_name;    ///< such as "p2p"
  std::uint64_t round = 0;
  std::vector<int> ranks;  ///< ranks still awaited; empty for all others
};

/// Tells the processor that this is a spin loop.
inline void relax_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Returns "; rank 3 (process 4711) has died" if that is known, otherwise an empty text.
std::string death_of(const Context::Implementation& context, int rank);

/// Returns the ranks of this node that are stopped.
LateRanks stopped_ranks(const Context::Implementation& context);

/// Returns the error of a wait that is given up because the rank `dead` has died: "halo positions:
/// waited 60.0 s in method p2p, round 7, for rank 3; rank 3 (process 4711) has died". If no ranks
/// are awaited by name, it names `dead`.
std::string describe_death(const Awaited& awaited, double seconds, int dead,
                           const std::string& how);

/// Returns the error of a wait whose deadline has passed. It names the awaited ranks, or the
/// stopped ranks of this node.
std::string describe_timeout(const Context::Implementation& context, const Awaited& awaited,
                             double seconds);

/// Lets all transports of this process make progress, because other ranks may depend on it.
void make_progress(const Context::Implementation& context);

/// The state that the condition of a wait reads.
enum class Watched {
  messages,  ///< messages: the condition calls MPI, which may yield the core by itself
  /// words that other ranks store: checking again at once helps only while those ranks run
  memory,
};

/// The only way to wait in this library. It polls, then yields the core (more ranks than cores must
/// work) and, if there are more ranks than cores, sleeps for moments. About every 10 ms it calls
/// the context's idle hook, checks whether the awaited ranks of this node still live, and checks
/// the deadline.
class Waiter {
 public:
  explicit Waiter(Context::Implementation& context, Watched watched = Watched::messages)
      : context_(context),
        polls_(watched == Watched::memory ? context.polls_of_memory : context.polls_of_messages) {}

  /// Returns when `condition()` is true. Calls `describe() -> Awaited` only if it must check other
  /// ranks. Throws Error if the deadline passes or an awaited rank has died.
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

  /// Adds up the processor time until the end of the wait. While a wait has its core for itself,
  /// that is the time that passes. From `read_processor` on the processor's clock is read, which
  /// takes half a microsecond.
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

  /// Yields the core for a moment; true when other ranks and the deadline must be checked.
  bool pause();
  void look_closer(const Awaited& awaited);
  [[noreturn]] void fail(const std::string& message);
  double waited() const;

  Context::Implementation& context_;
  int polls_;
  Clock::time_point start_;  ///< start of the wait, without its first few pauses
  Clock::time_point next_look_;
  bool idle_ = false;
  unsigned pauses_ = 0;
  /// A dead rank may have sent all its data. So a wait gives up only if the condition still does
  /// not hold at the check after the one that found the rank dead.
  int suspect_ = -1;
};

/// Waits for one MPI request and frees it.
void wait_for_request(Context::Implementation& context, MPI_Request& request,
                      std::string_view exchange_name, std::string_view method, std::uint64_t round);

}  // namespace sterna::comm
