#include "huge_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sterna/comm/channel.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::bench {
namespace {

using comm::Buffer;
using comm::nocopy;
using comm::NoCopy;
using comm::Sender;
using Items = std::span<const std::uint64_t>;

constexpr std::size_t huge_bytes = (std::size_t{1} << 31U) + 8;
constexpr std::size_t huge_count = huge_bytes / sizeof(std::uint64_t);

std::uint64_t item(std::size_t i) {
  return 3 * i + 1;
}
void fill(std::span<std::uint64_t> items) {
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = item(i);
}
std::vector<std::uint64_t> filled() {
  std::vector<std::uint64_t> items(huge_count);
  fill(items);
  return items;
}
std::int64_t faults_in(Items items) {
  std::int64_t faults = items.size() == huge_count ? 0 : 1;
  for (std::size_t i = 0; i < items.size(); ++i) faults += items[i] != item(i) ? 1 : 0;
  return faults;
}

struct HugeWay {
  std::string name;
  std::function<void()> send;          ///< on rank 0
  std::function<void()> receive = {};  ///< on rank 1, where an entry does not
};

/// All ways of one messenger.
class Ways {
 public:
  explicit Ways(comm::Messenger& messenger) : messenger_(messenger) {
    add_calls();
    add_posted();
    add_persistent();
  }

  void run(const comm::Context& world, const std::string& transport, Report& report) {
    for (const HugeWay& way : ways_) {
      faults_ = world.rank() == 1 ? -1 : 0;
      const auto start = std::chrono::steady_clock::now();
      if (world.rank() == 0) way.send();
      if (world.rank() == 1 && way.receive) way.receive();
      messenger_.finish();
      channel_.reset();
      messenger_.release_unused_memory();
      std::int64_t most = faults_;
      std::int64_t least = faults_;
      comm::ReductionBatch(world).max(most).min(least).run();
      if (most != 0 || least != 0) {
        throw comm::Error(fmt::format(
            "{} by {}: {}", way.name, transport,
            most > 0 ? fmt::format("{} wrong items", most) : std::string("nothing has come")));
      }
      Timing timing;
      timing.rounds = 1;
      timing.median_us = timing.p10_us = timing.p90_us = timing.mean_us =
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
              .count();
      Row row = row_of(way.name, world, 1, huge_bytes, timing);
      row["transport"] = transport;
      report.add(std::move(row));
    }
  }

 private:
  void add_calls() {
    const auto copied = messenger_.entry<Items>(
        "copied", [this](Sender, Items items) { faults_ = faults_in(items); });
    ways_.push_back({"copying", [copied] { copied(1, filled()); }});
    const auto read = messenger_.entry<NoCopy<std::uint64_t>>(
        "read", [this](Sender, Items items) { faults_ = faults_in(items); });
    const auto taken = messenger_.entry<NoCopy<std::uint64_t>>(
        "taken",
        [this](Sender, Buffer<std::uint64_t> items) { faults_ = faults_in(items.items()); });
    const auto lend_own = [this](const auto& entry) {
      const std::vector<std::uint64_t> items = filled();
      comm::Future free;
      entry(1, nocopy(items, on_source(free)));
      messenger_.wait(free);
    };
    const auto lend_pooled = [this](const auto& entry) {
      const Buffer<std::uint64_t> items = filled_buffer();
      comm::Future free;
      entry(1, nocopy(items.items(), on_source(free)));
      messenger_.wait(free);
    };
    ways_.push_back({"lent, own memory", [=] { lend_own(taken); }});
    ways_.push_back({"lent", [=] { lend_pooled(taken); }});
    ways_.push_back({"lent, read in place", [=] { lend_pooled(read); }});
    ways_.push_back({"given away", [this, taken] { taken(1, nocopy(filled_buffer())); }});
  }

  void add_posted() {
    ways_.push_back({"posted",
                     [this] {
                       const std::vector<std::uint64_t> items = filled();
                       comm::Future free;
                       messenger_.send(1, 1, nocopy(items, on_source(free)));
                       messenger_.wait(free);
                     },
                     [this] {
                       std::vector<std::uint64_t> target(huge_count);
                       const auto& done = messenger_.wait(
                           messenger_.receive<std::uint64_t>(0, 1, std::span(target)));
                       faults_ = faults_in(done.items<std::uint64_t>());
                     }});
  }

  void add_persistent() {
    ways_.push_back({"persistent",
                     [this] {
                       open_channel();
                       const std::vector<std::uint64_t> items = filled();
                       channel_->send(items);
                       channel_->wait_sent();
                     },
                     [this] {
                       open_channel();
                       faults_ = faults_in(channel_->wait());
                       channel_->release();
                     }});
  }
  void open_channel() {
    channel_.emplace(messenger_, 1 - messenger_.rank(), huge_count,
                     comm::ChannelOptions{.slots = 1});
  }

  Buffer<std::uint64_t> filled_buffer() {
    Buffer<std::uint64_t> items = messenger_.buffer<std::uint64_t>(huge_count);
    fill(items.items());
    return items;
  }

  comm::Messenger& messenger_;
  std::optional<comm::Channel<std::uint64_t>> channel_;
  std::int64_t faults_ = 0;  ///< of what came last; -1: nothing yet
  std::vector<HugeWay> ways_;
};

}  // namespace

void send_huge_messages(const comm::Context& world, Report& report) {
  for (const std::string transport : {"shm", "rdma", "two_sided"}) {
    const auto known =
        std::ranges::find(world.transports(), transport, &comm::Context::Transport::name);
    if (known != world.transports().end() && !known->available) {
      report.note(fmt::format("{}: {}", transport, known->reason));
      continue;
    }
    comm::Messenger messenger(world, {.name = "huge messages", .transport = transport});
    Ways(messenger).run(world, transport, report);
  }
  report.note("every item was checked; the times include filling and checking");
}

}  // namespace sterna::bench
