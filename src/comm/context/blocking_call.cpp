#include "comm/context/blocking_call.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "comm/context/waiter.hpp"

namespace sterna::comm {

/// The thread that looks, and what it looks at. Never freed: it may look until the process ends.
class BlockingCallWatch {
 public:
  static BlockingCallWatch& instance() {
    static auto* const watch = new BlockingCallWatch;
    return *watch;
  }

  void add(BlockingCall* call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
    if (!std::exchange(running_, true)) std::thread([this] { run(); }).detach();
  }

  void remove(BlockingCall* call) {
    const std::lock_guard lock(mutex_);
    std::erase(calls_, call);
  }

 private:
  [[noreturn]] void run() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::lock_guard lock(mutex_);
      const auto now = BlockingCall::Clock::now();
      for (BlockingCall* const call : calls_) call->look(now);
    }
  }

  std::mutex mutex_;
  std::vector<BlockingCall*> calls_;
  bool running_ = false;
};

BlockingCall::BlockingCall(Context::Implementation& context, std::string exchange,
                           std::string_view method, std::vector<int> ranks)
    : context_(context), exchange_(std::move(exchange)), method_(method), ranks_(std::move(ranks)) {
  BlockingCallWatch::instance().add(this);
}

BlockingCall::~BlockingCall() {
  BlockingCallWatch::instance().remove(this);
}

void BlockingCall::look(Clock::time_point now) {
  const std::uint64_t round = round_under_way_.load(std::memory_order_acquire);
  if (round == 0 || round != seen_round_) {
    seen_round_ = round;
    seen_since_ = now;
    suspect_ = -1;
    return;
  }
  std::string reason;
  for (const int rank : ranks_.empty() ? context_.ranks_on_node : ranks_) {
    const std::string dead = obituary(context_, rank);
    if (dead.empty()) continue;
    if (suspect_ == rank) reason = dead;
    suspect_ = rank;
    break;
  }
  const std::chrono::duration<double> waited = now - seen_since_;
  if (waited >= context_.options.timeout) reason = timeout_passed(context_);
  if (reason.empty()) return;
  const std::string message =
      describe_wait({exchange_, method_, round, ranks_}, waited.count(), reason);
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(1);
}

}  // namespace sterna::comm
