#include "comm/context/blocking_call.hpp"

#include <utility>

#include "comm/context/waiter.hpp"

namespace sterna::comm {

BlockingCall::BlockingCall(Context::Implementation& context, std::string exchange_name,
                           std::string_view method, std::vector<int> ranks)
    : context_(context),
      exchange_(std::move(exchange_name)),
      method_(method),
      ranks_(std::move(ranks)) {
  start_watch();
}

BlockingCall::~BlockingCall() {
  end_watch();
}

void BlockingCall::look(std::chrono::duration<double> passed) {
  const std::uint64_t round = round_under_way_.load(std::memory_order_acquire);
  if (round == 0 || round != seen_round_) {
    seen_round_ = round;
    waited_ = {};
    suspect_ = -1;
    return;
  }
  waited_ += passed;
  const Awaited awaited{exchange_, method_, round, ranks_};
  for (const int rank : ranks_.empty() ? context_.ranks_on_node : ranks_) {
    const std::string dead = death_of(context_, rank);
    if (dead.empty()) continue;
    if (suspect_ == rank) end_process(describe_death(awaited, waited_.count(), rank, dead));
    suspect_ = rank;
    break;
  }
  if (waited_.count() < context_.options.timeout.count()) return;
  end_process(describe_timeout(context_, awaited, waited_.count()));
}

}  // namespace sterna::comm
