// Idea:
//   A barrier comes before each wait for data, so that what is left of the wait is communication.
// Source:
//   The n-way dissemination barrier is by Hoefler, Mehlan, Mietke and Rehm (IPDPS 2006).
// Cost:
//   It takes log8(ranks) steps of up to seven notices each; in a node a notice is one store.
// Hazards:
//   Ranks that meet run in step: what overlapped before does not any more.
//   So the time of the whole step is that of a plain run only where nothing was waited for.
// Others:
//   No barrier wins where all that is wanted is the time of a step.

#include "sterna/comm/synchronized_timing.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/exchange_timing.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/region.hpp"

namespace sterna::comm {
namespace {

/// The factor by which the number of ranks that know of each other grows in each step. With more
/// ranks than cores each step takes a turn of the scheduler, so few steps matter more than few
/// notices.
constexpr int ways = 8;

/// The distances to the ranks that get a notice, for each step.
std::vector<std::vector<int>> steps_of(int ranks) {
  std::vector<std::vector<int>> steps;
  for (int stride = 1; stride < ranks; stride *= ways) {
    auto& distances = steps.emplace_back();
    for (int j = 1; j < ways && j * stride < ranks; ++j) distances.push_back(j * stride);
  }
  return steps;
}

bool can_write_remotely(const Context& context) {
  // On one node nobody has tried yet whether libfabric works.
  const bool has_nodes = context.node_count() > 1;
  return std::ranges::any_of(context.transports(), [&](const Context::Transport& transport) {
    const std::string_view name = transport.name;
    return transport.available && (name == "shm" || name == "rdma" || (name == "ofi" && has_nodes));
  });
}

}  // namespace

class SynchronizedTiming::Implementation {
 public:
  explicit Implementation(const Context& context)
      : context_(context), steps_(steps_of(context.size())) {
    auto& slot = context_.implementation().exchange_timing;
    if (slot != nullptr) throw Error("the timing of this context is synchronized already");
    const int ranks = context_.size();
    if (ranks > 1 && can_write_remotely(context_)) {
      std::vector<int> peers;
      for (const auto& distances : steps_) {
        for (const int distance : distances) {
          peers.push_back((context_.rank() + distance) % ranks);
          peers.push_back((context_.rank() - distance + ranks) % ranks);
        }
      }
      std::ranges::sort(peers);
      peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
      region_.emplace(context_, 0, peers, RegionOptions{"auto", "synchronized timing"});
    }
    timing_.meet = [this] { meet(); };
    slot = &timing_;
  }

  ~Implementation() { context_.implementation().exchange_timing = nullptr; }

  Times times() const { return {timing_.waiting, timing_.communication}; }

 private:
  void meet() {
    if (context_.size() == 1) return;
    const auto start = std::chrono::steady_clock::now();
    if (region_) {
      ++meetings_;
      const int rank = context_.rank(), ranks = context_.size();
      for (const auto& distances : steps_) {
        for (const int distance : distances) region_->notify((rank + distance) % ranks);
        for (const int distance : distances) {
          region_->wait((rank - distance + ranks) % ranks, meetings_);
        }
      }
    } else {
      barrier(context_);
    }
    timing_.waiting +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  Context context_;
  std::vector<std::vector<int>> steps_;
  /// The count has notices only. The distances of all steps differ, so a pair of ranks has one
  /// notice a meeting.
  std::optional<RegionBytes> region_;
  std::uint64_t meetings_ = 0;
  ExchangeTiming timing_;
};

SynchronizedTiming::SynchronizedTiming(const Context& context)
    : implementation_(std::make_unique<Implementation>(context)) {}
SynchronizedTiming::~SynchronizedTiming() = default;

SynchronizedTiming::Times SynchronizedTiming::times() const {
  return implementation_->times();
}

}  // namespace sterna::comm
