#include "comm/message/copy_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "comm/tune/evidence_store.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::comm {
namespace {

/// The limit if nothing was measured, as `sterna bench message` found it (docs/howto/messages.md).
constexpr std::size_t usual_in_node = 1024;
constexpr std::size_t usual_apart = 2048;
/// The measured sizes. A packet holds 4 KiB, so larger arrays cannot be copied into it.
constexpr std::size_t sizes[] = {128, 256, 512, 1024, 2048};
constexpr int blocks = 9;
constexpr int first_rounds = 4;
/// The duration of a block, unless it would have too few or too many rounds.
constexpr double block_us = 200.0;

std::string family_of(std::string_view transport) {
  return "message " + std::string(transport);
}

/// Sends arrays back and forth between two ranks, and each is read by its receiver.
class PingPong {
 public:
  PingPong(const Context& context, bool copied)
      : messenger_(context, {.name = "tuning of messages",
                             .copy_below = copied ? std::size_t{1} << 20U : 0}),
        hit_(messenger_.entry<NoCopy<std::uint64_t>>(
            "hit",
            [this](Sender, std::span<const std::uint64_t> items) {
              for (const std::uint64_t item : items) sum_ += item;
              ++hits_;
            })),
        set_rounds_(messenger_.entry<int>(
            "set rounds", [this](Sender, int rounds) { agreed_rounds_ = rounds; })) {}

  Messenger& messenger() { return messenger_; }

  /// Runs a block and returns the time of one way in microseconds. This rank and `peer` call it;
  /// `first` is the rank that begins. The first block determines how many rounds the others have.
  double run(int peer, bool first, std::size_t bytes) {
    Buffer<std::uint64_t> array = messenger_.buffer<std::uint64_t>(bytes / sizeof(std::uint64_t));
    const auto start = std::chrono::steady_clock::now();
    const int rounds = rounds_;
    for (int round = 0; round < rounds; ++round) {
      if (first) send(peer, array);
      messenger_.wait_until([&] { return hits_ > 0; }, "an array");
      --hits_;
      if (!first) send(peer, array);
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    return time.count() / (2.0 * rounds);
  }
  void set_rounds(int peer, bool first, double one_way_us) {
    if (first) {
      agreed_rounds_ = static_cast<int>(std::clamp(block_us / (2.0 * one_way_us), 3.0, 50.0));
      set_rounds_(peer, agreed_rounds_);
    }
    messenger_.wait_until([&] { return agreed_rounds_ > 0; }, "the number of rounds");
    rounds_ = std::exchange(agreed_rounds_, 0);
  }
  void start_over() { rounds_ = first_rounds; }

 private:
  void send(int peer, const Buffer<std::uint64_t>& array) {
    std::ranges::fill(array, ++sum_);
    Future free;
    hit_(peer, nocopy(array.items(), on_source(free)));
    messenger_.wait(free, "the end of a loan");
  }

  Messenger messenger_;
  std::uint64_t sum_ = 0;
  int hits_ = 0;
  int rounds_ = first_rounds;
  int agreed_rounds_ = 0;  ///< number of rounds, as the first rank determined it
  Entry<NoCopy<std::uint64_t>> hit_;
  Entry<int> set_rounds_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Returns the ranks with which rank 0 measures: the first of its node, and the first of another
/// node.
std::vector<int> partners(const Context& context) {
  std::vector<int> found;
  for (const bool near : {true, false}) {
    for (int rank = 1; rank < context.size(); ++rank) {
      if ((context.node_of(rank) == context.node_of(0)) != near) continue;
      found.push_back(rank);
      break;
    }
  }
  return found;
}

}  // namespace

std::size_t copy_limit(const Context& context, std::string_view transport) {
  std::size_t slower_in_place = 0;
  bool measured = false;
  for (const StoredEvidence& evidence : stored_evidence(context)) {
    if (evidence.family != family_of(transport)) continue;
    measured = true;
    if (evidence.chosen == "copied") {
      slower_in_place = std::max(slower_in_place, static_cast<std::size_t>(evidence.shape.bytes));
    }
  }
  if (!measured) return transport == "shm" ? usual_in_node : usual_apart;
  // The next larger measured size is twice as large, so the limit is halfway between them.
  return slower_in_place + slower_in_place / 2;
}

std::vector<MessageTiming> tune_messages(const Context& context) {
  std::vector<MessageTiming> timings;
  PingPong copied(context, true);
  PingPong in_place(context, false);
  for (const int partner : partners(context)) {
    const std::string transport(in_place.messenger().route(context.rank() == 0 ? partner : 0));
    for (const std::size_t bytes : sizes) {
      std::string text;
      if (context.rank() == 0 || context.rank() == partner) {
        const bool first = context.rank() == 0;
        const int peer = first ? partner : 0;
        std::vector<double> times[2];
        for (PingPong* const way : {&copied, &in_place}) {
          way->start_over();
          way->set_rounds(peer, first, way->run(peer, first, bytes));
        }
        for (int block = 0; block < blocks; ++block) {
          times[0].push_back(copied.run(peer, first, bytes));
          times[1].push_back(in_place.run(peer, first, bytes));
        }
        const double medians[2] = {median(times[0]), median(times[1])};
        text = std::string(reinterpret_cast<const char*>(medians), sizeof medians) + transport;
      }
      broadcast(context, 0, text);
      double medians[2];
      std::memcpy(medians, text.data(), sizeof medians);
      timings.push_back({text.substr(sizeof medians), bytes, medians[0], medians[1]});
      StoredEvidence evidence;
      evidence.family = family_of(timings.back().transport);
      evidence.shape.ranks = context.size();
      evidence.shape.ranks_per_node = most_ranks_on_a_node(context);
      evidence.shape.peers = 1.0;
      evidence.shape.bytes = static_cast<double>(bytes);
      evidence.shape.off_node_share = context.node_of(partner) == context.node_of(0) ? 0.0 : 1.0;
      evidence.chosen = medians[0] < medians[1] ? "copied" : "in place";
      evidence.us = {{"copied", medians[0]}, {"in place", medians[1]}};
      keep_evidence(context, std::move(evidence));
    }
  }
  return timings;
}

}  // namespace sterna::comm
