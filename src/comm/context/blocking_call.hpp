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

/// The deadline of calls into MPI that cannot be polled (a fence, a flush): a thread of this
/// process looks now and then whether such a call is still under way, and ends the job with the
/// message that a Waiter would have thrown, since nobody can bring the call back.
/// One object for each place that blocks; the calls are marked by `Guard`.
class BlockingCall final : WatchedCall {
 public:
  /// `ranks`: those the call may wait for; empty: any of the others.
  BlockingCall(Context::Implementation& context, std::string exchange_name, std::string_view method,
               std::vector<int> ranks);
  ~BlockingCall();

  /// Costs two stores.
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
  std::atomic<std::uint64_t> round_under_way_{0};  ///< 0: none; rounds begin at 1
  std::uint64_t seen_round_ = 0;
  int suspect_ = -1;  ///< found dead at the look before
  std::chrono::duration<double> waited_{0.0};
};

}  // namespace sterna::comm
