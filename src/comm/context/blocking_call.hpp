#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "comm/context/call_watch.hpp"
#include "comm/context/context_implementation.hpp"

namespace sterna::comm {

/// The deadline of MPI calls that cannot be polled (a fence, a flush). A thread of this process
/// checks now and then whether such a call is still under way. Past the deadline it ends the job
/// with the message that a Waiter would have thrown, since nothing can interrupt the call. There is
/// one object for each place that blocks; a `Guard` marks the call.
class BlockingCall final : WatchedCall {
 public:
  /// `ranks`: the ranks that the call may wait for; empty for all others.
  BlockingCall(Context::Implementation& context, std::string exchange_name, std::string_view method,
               std::vector<int> ranks);
  ~BlockingCall();

  /// Marks a blocking call for as long as it lives. It costs two stores.
  class Guard {
   public:
    Guard(BlockingCall& call, std::uint64_t round) : call_(call) {
      call_.round_under_way_.store(round, std::memory_order_release);
    }
    ~Guard() { call_.round_under_way_.store(0, std::memory_order_relaxed); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    BlockingCall& call_;
  };

 private:
  void look(std::chrono::duration<double> passed) override;

  Context::Implementation& context_;
  std::string exchange_;
  std::string_view method_;
  std::vector<int> ranks_;
  std::atomic<std::uint64_t> round_under_way_{0};  ///< 0 if no call is under way; rounds begin at 1
  std::uint64_t seen_round_ = 0;
  int suspect_ = -1;  ///< rank found dead at the previous check
  std::chrono::duration<double> waited_{0.0};
};

}  // namespace sterna::comm
