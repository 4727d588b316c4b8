// One array from one rank to another, all ways there are: the time from the call that sends it to
// the moment its receiver may use it (its entry begins, its wait returns), by the clock that the
// ranks of a node share. All of the source is written before each message. Then the ranks greet
// each other: eight numbers are given away and given back, so that the receiver waits, the sender's
// code and tables are in its caches again, and what is timed is the message. "caches cold" leaves
// the greeting out.

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "huge_message.hpp"
#include "measure.hpp"
#include "sterna/comm/channel.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/region.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

using comm::Buffer;
using comm::nocopy;
using Nanoseconds = std::uint64_t;

Nanoseconds now() {
  return static_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Seed 2: no copy against copying on Blue Gene/Q, from 128 KiB to 64 MiB.
constexpr std::array<double, 10> seed_speedup{1.01, 1.07, 1.12, 1.14, 1.30,
                                              1.31, 1.25, 1.25, 1.39, 1.27};
std::optional<double> seed_speedup_at(std::size_t bytes) {
  for (std::size_t i = 0; i < seed_speedup.size(); ++i) {
    if (bytes == (std::size_t{128 * 1024} << i)) return seed_speedup[i];
  }
  return std::nullopt;
}

/// A way to move an array between the two ranks.
struct MessageWay {
  std::string name;
  /// Writes the source, and waits for what the message before has left to be done.
  std::function<void()> prepare;
  std::function<void()> send;
  /// Waits for the array; the time since it was sent.
  std::function<Nanoseconds()> receive;
  /// Says to the receiver that an array will come, which it answers.
  std::function<void()> greet;
  std::vector<double> times = {};
};

/// All ways for one size.
class Experiment {
 public:
  Experiment(const comm::Context& world, comm::Messenger& messenger, std::size_t bytes)
      : world_(world),
        messenger_(messenger),
        peer_(1 - world.rank()),
        count_(bytes / sizeof(Nanoseconds)),
        own_(count_),
        home_(count_, 1),
        pooled_(messenger.buffer<Nanoseconds>(count_)),
        channel_(messenger, peer_, count_, {.slots = 2, .key = bytes}),
        answer_(messenger.entry<comm::NoCopy<Nanoseconds>>(
            name("answer"), [this](comm::Sender, Buffer<Nanoseconds>) { answered_ = true; })),
        greeting_(messenger.entry<comm::NoCopy<Nanoseconds>>(
            name("greeting"), [this](comm::Sender from, Buffer<Nanoseconds> gift) {
              answer(from, std::move(gift));
            })) {
    const int peers[] = {peer_};
    for (const auto& transport : world.transports()) {
      if (transport.name == "rdma" && transport.available) {
        region_.emplace(world, count_, peers, comm::RegionOptions{.transport = "rdma"});
      }
    }
    add_ways();
  }

  /// So many arrays each way, by every way in turn.
  void run(std::size_t rounds, std::size_t blocks) {
    for (std::size_t block = 0; block < blocks; ++block) {
      for (MessageWay& way : ways_) {
        comm::barrier(world_);
        const std::size_t mine = std::max<std::size_t>(1, rounds / blocks);
        const std::size_t warm_up = block == 0 ? 2 + mine / 10 : 1;
        for (std::size_t round = 0; round < warm_up + mine; ++round) {
          if (world_.rank() == 0) send(way);
          const double time = static_cast<double>(receive(way)) * 1e-3;
          if (world_.rank() == 1) send(way);
          if (round >= warm_up) way.times.push_back(time);
        }
      }
    }
    messenger_.finish();
  }

  std::vector<MessageWay>& ways() { return ways_; }

 private:
  void send(MessageWay& way) {
    way.prepare();
    if (way.greet) {
      way.greet();
      await([&] { return std::exchange(answered_, false); });
    }
    way.send();
  }
  Nanoseconds receive(MessageWay& way) {
    if (way.greet) await([&] { return std::exchange(greeted_, false); });
    return way.receive();
  }

  /// Writes all of a source, as a program would that has something new to send.
  void touch(std::span<Nanoseconds> source) {
    messenger_.wait(free_, lent_);
    while (free_.next()) {
    }
    std::ranges::fill(source, ++round_);
  }

  /// A source holds one number throughout.
  void check(std::span<const Nanoseconds> items) {
    if (items.front() != items.back()) throw comm::Error("message: an array is not what was sent");
  }

  static Nanoseconds since(Nanoseconds sent) { return now() - sent; }

  void await(const std::function<bool()>& condition) { messenger_.wait_until(condition, "array"); }

  void add_ways() {
    add_limit();
    add_mpi();
    if (region_) add_ucx_put();
    if (count_ == 1) add_call();
    add_copying();
    add_lent("lent", false);
    add_lent("lent, own memory", true);
    add_in_place();
    add_posted();
    add_given("given away", true);
    add_given("given away, caches cold", false);
    ways_.push_back({"persistent",
                     [this] {
                       channel_.wait_sent();
                       touch(own_);
                     },
                     [this] {
                       own_[0] = now();
                       channel_.send(own_);
                     },
                     [this] {
                       const Nanoseconds time = since(channel_.wait()[0]);
                       channel_.release();
                       return time;
                     },
                     common_greeting()});
  }

  /// One copy by the receiver of what the other core has just written: nothing that ends in the
  /// receiver's own memory can be faster.
  void add_limit() {
    std::optional<Nanoseconds>& copied = taken_.emplace_back();
    const auto entry = messenger_.entry<Nanoseconds, comm::NoCopy<Nanoseconds>>(
        name("limit"),
        [this, &copied](comm::Sender, Nanoseconds, std::span<const Nanoseconds> items) {
          const Nanoseconds start = now();
          std::memcpy(home_.data(), items.data(), items.size_bytes());
          copied = since(start);
        });
    ways_.push_back({"memcpy", [this] { touch(pooled_.items()); },
                     [this, entry] { lend(entry, pooled_.items()); },
                     [this, &copied] { return take(copied); }, common_greeting()});
  }

  void add_mpi() {
    ways_.push_back({"MPI send-receive", [this] { touch(own_); },
                     [this] {
                       own_[0] = now();
                       MPI_Send(own_.data(), static_cast<int>(count_), MPI_UINT64_T, peer_, 7,
                                MPI_COMM_WORLD);
                     },
                     [this] {
                       MPI_Recv(home_.data(), static_cast<int>(count_), MPI_UINT64_T, peer_, 7,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                       return since(home_[0]);
                     },
                     common_greeting()});
  }

  void add_ucx_put() {
    ways_.push_back({"UCX put",
                     [this] {
                       region_->flush();
                       touch(own_);
                     },
                     [this] {
                       own_[0] = now();
                       region_->put(peer_, 0, own_);
                       region_->notify(peer_);
                     },
                     [this] {
                       region_->wait(peer_, ++puts_);
                       return since(region_->items()[0]);
                     },
                     common_greeting()});
  }

  /// The shortest array as what it is, a number: an argument by value.
  void add_call() {
    std::optional<Nanoseconds>& taken = taken_.emplace_back();
    const auto entry = messenger_.entry<Nanoseconds>(
        "call", [&taken](comm::Sender, Nanoseconds sent) { taken = since(sent); });
    ways_.push_back({"call", [] {}, [this, entry] { entry(peer_, now()); },
                     [this, &taken] { return take(taken); }, common_greeting()});
  }

  /// Arguments are marshalled into a message and taken out of it again: two copies.
  void add_copying() {
    std::optional<Nanoseconds>& taken = taken_.emplace_back();
    const auto entry = messenger_.entry<Nanoseconds, std::span<const Nanoseconds>>(
        name("copying"),
        [this, &taken](comm::Sender, Nanoseconds sent, std::span<const Nanoseconds> items) {
          std::memcpy(home_.data(), items.data(), items.size_bytes());
          taken = since(sent);
          check(home_);
        });
    ways_.push_back({"copying", [this] { touch(own_); },
                     [this, entry] { entry(peer_, now(), own_); },
                     [this, &taken] { return take(taken); }, common_greeting()});
  }

  /// An entry whose array is `Array` for it, and which tells after what time it has begun.
  template <class Array>
  auto timed_entry(const std::string& title, std::optional<Nanoseconds>& taken) {
    return messenger_.entry<Nanoseconds, comm::NoCopy<Nanoseconds>>(
        name(title), [this, &taken](comm::Sender from, Nanoseconds sent, Array items) {
          if constexpr (std::is_same_v<Array, Buffer<Nanoseconds>>) {
            if (sent == 0) return answer(from, std::move(items));
          }
          taken = since(sent);
          check({items.data(), items.size()});
        });
  }
  /// One place that gives buffers away: what is timed begins when the call has its arguments.
  template <class TimedEntry>
  [[gnu::noinline]] void give(const TimedEntry& entry, bool greets, Buffer<Nanoseconds> buffer) {
    auto gift = nocopy(std::move(buffer));
    entry(peer_, greets ? 0 : now(), std::move(gift));
  }
  /// A greeting by the entry that will take the array, as a buffer.
  template <class TimedEntry>
  std::function<void()> greeting(const TimedEntry& entry) {
    return [this, entry] { give(entry, true, messenger_.buffer<Nanoseconds>(8)); };
  }
  std::function<void()> common_greeting() {
    return [this] { greeting_(peer_, nocopy(messenger_.buffer<Nanoseconds>(8))); };
  }
  void answer(comm::Sender from, Buffer<Nanoseconds> gift) {
    greeted_ = true;
    answer_(from.rank, nocopy(std::move(gift)));
  }

  void add_lent(const std::string& title, bool own) {
    std::optional<Nanoseconds>& taken = taken_.emplace_back();
    const auto entry = timed_entry<Buffer<Nanoseconds>>(title, taken);
    ways_.push_back({title, [this, own] { touch(own ? std::span(own_) : pooled_.items()); },
                     [this, own, entry] { lend(entry, own ? std::span(own_) : pooled_.items()); },
                     [this, &taken] { return take(taken); }, common_greeting()});
  }

  void add_in_place() {
    std::optional<Nanoseconds>& taken = taken_.emplace_back();
    const auto entry = timed_entry<std::span<const Nanoseconds>>("lent, read in place", taken);
    ways_.push_back({"lent, read in place", [this] { touch(pooled_.items()); },
                     [this, entry] { lend(entry, pooled_.items()); },
                     [this, &taken] { return take(taken); }, common_greeting()});
  }

  void add_posted() {
    // Posted before the first one comes, and again as soon as one was used.
    auto posted =
        std::make_shared<comm::Future>(messenger_.receive<Nanoseconds>(peer_, count_, home_));
    ways_.push_back({"posted", [this] { touch(pooled_.items()); },
                     [this] {
                       pooled_[0] = now();
                       ++lent_;
                       messenger_.send(peer_, count_, nocopy(pooled_.items(), on_source(free_)));
                     },
                     [this, posted] {
                       messenger_.wait(*posted);
                       const Nanoseconds time = since(home_[0]);
                       *posted = messenger_.receive<Nanoseconds>(peer_, count_, home_);
                       return time;
                     },
                     common_greeting()});
  }

  void add_given(const std::string& title, bool greets) {
    std::optional<Nanoseconds>& taken = taken_.emplace_back();
    const auto entry = timed_entry<Buffer<Nanoseconds>>(title, taken);
    ways_.push_back({title,
                     [this] {
                       gift_ = messenger_.buffer<Nanoseconds>(count_);
                       touch(gift_.items());
                     },
                     [this, entry] { give(entry, false, std::move(gift_)); },
                     [this, &taken] { return take(taken); },
                     greets ? greeting(entry) : std::function<void()>()});
  }

  template <class LentEntry>
  void lend(const LentEntry& entry, std::span<Nanoseconds> items) {
    ++lent_;
    entry(peer_, now(), nocopy(std::span<const Nanoseconds>(items), on_source(free_)));
  }

  Nanoseconds take(std::optional<Nanoseconds>& value) {
    await([&] { return value.has_value(); });
    return *std::exchange(value, std::nullopt);
  }

  std::string name(const std::string& way) const { return fmt::format("{} {}", way, count_); }

  const comm::Context& world_;
  comm::Messenger& messenger_;
  int peer_;
  std::size_t count_;
  std::vector<Nanoseconds> own_;   ///< source that is no memory of a pool
  std::vector<Nanoseconds> home_;  ///< where the receiver wants the array
  Buffer<Nanoseconds> pooled_;
  comm::Channel<Nanoseconds> channel_;
  std::optional<comm::Region<Nanoseconds>> region_;
  comm::Entry<comm::NoCopy<Nanoseconds>> answer_;
  comm::Entry<comm::NoCopy<Nanoseconds>> greeting_;
  bool answered_ = false;
  bool greeted_ = false;
  Buffer<Nanoseconds> gift_;  ///< to be given away next
  std::deque<std::optional<Nanoseconds>> taken_;
  std::uint64_t puts_ = 0;
  Nanoseconds round_ = 0;
  comm::Counter free_;      ///< of the arrays lent
  std::uint64_t lent_ = 0;  ///< so many
  std::vector<MessageWay> ways_;
};

class Message final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--sizes", sizes_, "bytes, multiples of 8")
        ->delimiter(',')
        ->check(CLI::Range(std::size_t{8}, std::size_t{1} << 40U))
        ->default_str("8 B to 64 MiB");
    command.add_option("--copy-below", copy_below_, "lent arrays below so many bytes are copied");
    command.add_flag("--no-pin", no_pin_, "leave the ranks where the launcher put them");
    command.add_flag("--huge", huge_,
                     "instead: 2^31 + 8 bytes by every way and transport, checked");
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    if (world.size() != 2 || world.node_count() != 1) {
      throw comm::Error("message is between 2 ranks of one node: start it on 2 ranks");
    }
    if (!no_pin_) pin(world.rank());
    if (huge_) {
      send_huge_messages(world, report);
      return;
    }
    comm::Messenger messenger(world, {.name = "message", .copy_below = copy_below_});
    for (const std::size_t bytes : sizes_) {
      Experiment experiment(world, messenger, bytes);
      const std::size_t rounds =
          sampling.rounds > 0 ? sampling.rounds
                              : std::clamp((std::size_t{256} << 20U) / bytes,
                                           std::size_t{2 * sampling.blocks}, std::size_t{2000});
      experiment.run(rounds, sampling.blocks);
      add_rows(world, experiment, bytes, report);
    }
  }

 private:
  static void pin(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<unsigned>(core), &cores);
    sched_setaffinity(0, sizeof cores, &cores);  // where it fails, the spread shows it
  }

  static void add_rows(const comm::Context& world, Experiment& experiment, std::size_t bytes,
                       Report& report) {
    std::vector<Timing> timings;
    comm::ReductionBatch slower_rank(world, "slower rank");
    timings.reserve(experiment.ways().size());
    for (MessageWay& way : experiment.ways()) {
      Timing& timing = timings.emplace_back();
      timing.rounds = way.times.size();
      timing.median_us = quantile(way.times, 0.5);
      timing.p10_us = quantile(way.times, 0.1);
      timing.p90_us = quantile(way.times, 0.9);
      for (const double time : way.times)
        timing.mean_us += time / static_cast<double>(timing.rounds);
      slower_rank.max(timing.median_us).max(timing.p10_us).max(timing.p90_us).max(timing.mean_us);
    }
    slower_rank.run();
    std::map<std::string, double> median;
    for (std::size_t i = 0; i < timings.size(); ++i) {
      median[experiment.ways()[i].name] = timings[i].median_us;
    }
    for (std::size_t i = 0; i < timings.size(); ++i) {
      Row row = row_of(experiment.ways()[i].name, world, 1, bytes, timings[i]);
      row["to_limit"] = timings[i].median_us / median["memcpy"];
      row["to_mpi"] = timings[i].median_us / median["MPI send-receive"];
      row["speedup"] = median["copying"] / timings[i].median_us;
      const auto seed = seed_speedup_at(bytes);
      row["seed_speedup"] = seed ? Row(*seed) : Row();
      report.add(std::move(row));
    }
  }

  std::vector<std::size_t> sizes_{8,       64,      512,     4096,    32768,
                                  131072,  262144,  524288,  1 << 20, 1 << 21,
                                  1 << 22, 1 << 23, 1 << 24, 1 << 25, 1 << 26};
  std::optional<std::size_t> copy_below_;
  bool no_pin_ = false;
  bool huge_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_message() {
  return std::make_unique<Message>();
}

}  // namespace sterna::bench
