#include "comm/transport/rdma/barrier.hpp"

#ifdef STERNA_HAVE_UCX

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"
#include "comm/transport/rdma/worker.hpp"
#include "comm/tune/cost_terms.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::rdma {
namespace {

constexpr std::size_t line = 128;

std::size_t steps_among(int ranks) {
  return static_cast<std::size_t>(global_steps_among(ranks));
}

}  // namespace

Barrier::Barrier(Context::Implementation& context, std::string_view exchange, int tag)
    : context_(context),
      memory_(steps_among(context.size) * line),
      outgoing_(steps_among(context.size) * line) {
  const auto rank_at = [&](int distance) {
    return ((context.rank + distance) % context.size + context.size) % context.size;
  };
  std::vector<int> partners;
  for (int distance = 1; distance < context.size; distance *= 2) {
    partners.push_back(rank_at(distance));
    partners.push_back(rank_at(-distance));
  }
  std::ranges::sort(partners);
  partners.erase(std::ranges::unique(partners).begin(), partners.end());

  const std::string& address = Worker::instance().address();
  const std::uint64_t length = address.size();
  const std::string letter = std::string(reinterpret_cast<const char*>(&length), sizeof length) +
                             address + memory_.handle();
  const auto letters = exchange_letters(context, exchange, tag, partners,
                                        std::vector<std::string>(partners.size(), letter));
  std::string fault;
  try {
    for (int distance = 1; distance < context.size; distance *= 2) {
      const auto partner = std::ranges::lower_bound(partners, rank_at(distance));
      const std::string& theirs = letters[static_cast<std::size_t>(partner - partners.begin())];
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, theirs.data(), sizeof bytes);
      steps_.push_back(
          {Peer(theirs.substr(sizeof bytes, bytes), theirs.substr(sizeof bytes + bytes)),
           rank_at(-distance)});
    }
  } catch (const Error& error) {
    fault = error.what();
  }
  fault = agree_on_reason(context, fault, exchange);
  if (!fault.empty()) throw Error(fmt::format("{}: {}", exchange, fault));
  step_ = steps_.size();
}

void Barrier::enter() {
  ++count_;
  step_ = 0;
  told_ = false;
  test();
}

bool Barrier::test() {
  while (step_ < steps_.size()) {
    if (!told_) {
      Peer& next = steps_[step_].next;
      if (!next.sent()) return false;  // the word of the barrier before may still be read
      std::byte* const source = outgoing_.data() + step_ * line;
      std::memcpy(source, &count_, sizeof count_);
      next.put(step_ * line, source, sizeof count_, &outgoing_);
      told_ = true;
    }
    if (notice(step_) < count_) return false;
    ++step_;
    told_ = false;
  }
  return true;
}

int Barrier::late_rank() const {
  return step_ < steps_.size() ? steps_[step_].from : context_.rank;
}

bool Barrier::idle() {
  return std::ranges::all_of(steps_, [](Step& step) { return step.next.sent(); });
}

std::uint64_t Barrier::notice(std::size_t step) const {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_.data() + step * line))
      .load(std::memory_order_acquire);
}

}  // namespace sterna::comm::rdma

#endif
