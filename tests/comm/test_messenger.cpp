#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "comm/message/copy_limit.hpp"
#include "comm/messenger_items.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"

using namespace sterna::comm;
using test::faults;
using test::fill;
using test::for_each_transport;

namespace {

/// A barrier in which messages go on: others may wait for what this rank has still to do for them.
class Meeting {
 public:
  Meeting(const Context& world, Messenger& messenger)
      : ranks_(world.size()),
        messenger_(messenger),
        here_(messenger.entry<>("here", [this](Sender) { ++seen_; })) {}

  void operator()() {
    for (int rank = 0; rank < ranks_; ++rank) here_(rank);
    ++round_;
    messenger_.wait_until([&] { return seen_ >= ranks_ * round_; }, "all ranks");
  }

 private:
  int ranks_;
  Messenger& messenger_;
  std::int64_t seen_ = 0, round_ = 0;
  Entry<> here_;
};

/// Sizes in doubles, from nothing to more than a slab, around every threshold.
const std::vector<std::size_t> sizes{0, 1, 2, 127, 128, 255, 256, 257, 2047, 2049, 20000, 600000};

}  // namespace

TEST_CASE("calls carry their arguments, in order, to every rank and to oneself") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int ranks = world.size();
    std::vector<std::int64_t> next(static_cast<std::size_t>(ranks));
    std::size_t wrong = 0;
    const auto call = messenger.entry<std::int64_t, double, std::string, std::vector<std::int32_t>>(
        "call", [&](Sender from, std::int64_t number, double half, const std::string& text,
                    const std::vector<std::int32_t>& list) {
          wrong += number != next[static_cast<std::size_t>(from.rank)]++ ? 1 : 0;
          wrong += half != 0.5 * static_cast<double>(number) ? 1 : 0;
          wrong += text != std::string(static_cast<std::size_t>(number % 90), 'x') ? 1 : 0;
          wrong += list.size() != static_cast<std::size_t>(number % 3) ? 1 : 0;
        });
    constexpr std::int64_t calls = 300;
    for (std::int64_t number = 0; number < calls; ++number) {
      for (int rank = 0; rank < ranks; ++rank) {
        call(rank, number, 0.5 * static_cast<double>(number),
             std::string(static_cast<std::size_t>(number % 90), 'x'),
             std::vector<std::int32_t>(static_cast<std::size_t>(number % 3)));
      }
    }
    messenger.wait_until(
        [&] { return std::ranges::all_of(next, [](std::int64_t n) { return n == calls; }); },
        "all calls");
    CHECK(wrong == 0);
  });
}

TEST_CASE("arrays arrive whole: lent from own or pool memory, given away, copied") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    std::size_t expected = 0;
    std::size_t arrived = 0;
    std::size_t wrong = 0;
    const auto view = messenger.entry<int, NoCopy<double>>(
        "view", [&](Sender from, int sender, std::span<const double> items) {
          wrong += faults(items, sender) + (from.rank == left ? 0 : 1);
          ++arrived;
        });
    std::vector<Buffer<double>> kept;
    const auto keep = messenger.entry<NoCopy<double>, NoCopy<double>>(
        "keep", [&](Sender from, Buffer<double> first, Buffer<double> second) {
          wrong += faults(first.items(), from.rank) + faults(second.items(), from.rank);
          kept.push_back(std::move(first));
          ++arrived;
        });
    const auto copy = messenger.entry<std::span<const double>>(
        "copy", [&](Sender from, std::span<const double> items) {
          wrong += faults(items, from.rank);
          ++arrived;
        });
    for (const std::size_t size : sizes) {
      CAPTURE(size);
      std::vector<double> own(size);
      fill(own, world.rank());
      Buffer<double> pooled = messenger.buffer<double>(size);
      fill(pooled.items(), world.rank());
      Buffer<double> gift = messenger.buffer<double>(size);
      fill(gift.items(), world.rank());
      std::vector<double> vector_gift = own;
      expected += 5;

      Counter sources;
      Counter operations;
      view(right, world.rank(), nocopy(own, on_source(sources), on_operation(operations)));
      view(right, world.rank(), nocopy(pooled.items(), on_source(sources)));
      keep(right, nocopy(std::move(gift)), nocopy(pooled.items(), on_source(sources)));
      copy(right, own);
      view(right, world.rank(), nocopy(std::move(vector_gift)));
      messenger.wait(sources, 3);
      fill(own, 77);  // must hurt nobody any more
      fill(pooled.items(), 77);
      messenger.wait(operations, 1);
      messenger.wait_until([&] { return arrived >= expected; }, "five arrays");
      CHECK(wrong == 0);
      CHECK(operations.next()->buffer.data() == reinterpret_cast<const std::byte*>(own.data()));
      CHECK(faults(kept.front().items(), left) == 0);  // of an earlier size: still what it was
      if (kept.size() > 2) kept.erase(kept.begin());
    }
    messenger.finish();
    CHECK(arrived == expected);
    kept.clear();
  });
}

TEST_CASE("in a node a buffer given away is the very memory, and returns to its owner") {
  const Context world;
  Messenger messenger(world, {.check = true});
  if (world.size() < 2 || world.node_count() > 1) return;
  if (messenger.route((world.rank() + 1) % world.size()) != "shm") return;
  const std::size_t size = 100000;
  std::uint64_t rounds = 0;
  Entry<NoCopy<double>>* again = nullptr;
  // The buffer goes around the ring of ranks and is changed on the way.
  const auto around = messenger.entry<NoCopy<double>>("around", [&](Sender, Buffer<double> buffer) {
    ++rounds;
    buffer[7] += 1.0;
    if (buffer[7] < 50.0) {
      (*again)((messenger.rank() + 1) % messenger.size(), nocopy(std::move(buffer)));
    }
  });
  auto copy = around;
  again = &copy;
  if (world.rank() == 0) {
    Buffer<double> buffer = messenger.buffer<double>(size);
    buffer[7] = 0.0;
    around(1, nocopy(std::move(buffer)));
  }
  messenger.finish();
  CHECK(rounds >= static_cast<std::uint64_t>(50 / world.size()));
  CHECK(messenger.outstanding_buffers() == 0);
  messenger.finish();
}

TEST_CASE("the receiver says where arrays go, after it has seen the small arguments") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int ranks = world.size();
    const std::size_t size = 3000;
    std::vector<std::vector<double>> homes(static_cast<std::size_t>(ranks),
                                           std::vector<double>(size));
    int arrived = 0;
    std::size_t wrong = 0;
    const auto deliver = messenger.entry<int, NoCopy<double>>(
        "deliver", [&](Sender from, int home, std::span<const double> items) {
          wrong += items.data() != homes[static_cast<std::size_t>(home)].data() ? 1 : 0;
          wrong += faults(items, from.rank);
          ++arrived;
        });
    deliver.provide([&](Sender, int home, ReceiveBuffer<double>& buffer) {
      wrong += buffer.count() != size ? 1 : 0;
      buffer.use(homes[static_cast<std::size_t>(home)]);
    });
    barrier(world);  // hooks are set everywhere
    std::vector<double> items(size);
    fill(items, world.rank());
    Counter sources;
    for (int rank = 0; rank < ranks; ++rank) {
      deliver(rank, world.rank(), nocopy(items, on_source(sources)));
    }
    messenger.wait(sources, static_cast<std::uint64_t>(ranks));
    messenger.wait_until([&] { return arrived == ranks; }, "all homes");
    CHECK(wrong == 0);
  });
}

TEST_CASE("memory posted before or after its array arrives, many senders to one receiver") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int ranks = world.size();
    Meeting meet(world, messenger);
    for (const bool late : {false, true}) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{40000}}) {
        CAPTURE(late);
        CAPTURE(size);
        std::vector<double> items(size);
        fill(items, world.rank());
        std::vector<std::vector<double>> targets(static_cast<std::size_t>(ranks),
                                                 std::vector<double>(size + 3));
        std::vector<Future> received;
        const auto post = [&] {
          if (world.rank() != 0) return;
          for (int rank = ranks - 1; rank >= 0; --rank) {
            received.push_back(
                messenger.receive<double>(rank, 9, targets[static_cast<std::size_t>(rank)]));
          }
        };
        if (!late) post();
        meet();
        Future source;
        messenger.send(0, 9, nocopy(items, on_source(source)));
        if (late) {
          for (int i = 0; i < 100; ++i) messenger.progress();
          meet();
          for (int i = 0; i < 100; ++i) messenger.progress();
        }
        if (late) post();
        messenger.wait(source);
        for (const Future& future : received) {
          const Completed& completed = messenger.wait(future);
          const auto arrived = completed.items<double>();
          CHECK(completed.peer >= 0);
          CHECK(arrived.data() == targets[static_cast<std::size_t>(completed.peer)].data());
          CHECK(arrived.size() == size);
          CHECK(faults(arrived, completed.peer) == 0);
        }
      }
    }
  });
}

TEST_CASE("an array is taken in whatever memory it comes, before or after it arrives") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const std::uint64_t key = messenger.reserve_keys();
    CHECK(messenger.reserve_keys() != key);
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    Meeting meet(world, messenger);
    for (const bool late : {false, true}) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{300000}}) {
        CAPTURE(late);
        CAPTURE(size);
        std::vector<Delivery<double>> deliveries;
        const auto post = [&] {
          for (int i = 0; i < 3; ++i) deliveries.push_back(messenger.receive<double>(left, key));
        };
        if (!late) post();
        CHECK((late || !deliveries.front().arrived().ready()));
        std::vector<double> own(size);
        fill(own, world.rank());
        Buffer<double> pooled = messenger.buffer<double>(size);
        fill(pooled.items(), world.rank());
        Buffer<double> gift = messenger.buffer<double>(size);
        fill(gift.items(), world.rank());
        Counter sources;
        messenger.send(right, key, nocopy(own, on_source(sources)));
        messenger.send(right, key, nocopy(pooled.items(), on_source(sources)));
        messenger.send(right, key, nocopy(std::move(gift)));
        if (late) {
          for (int i = 0; i < 50; ++i) messenger.progress();
          meet();
          for (int i = 0; i < 50; ++i) messenger.progress();
          post();
        }
        messenger.wait(sources, 2);
        fill(own, 77);  // must hurt nobody any more
        fill(pooled.items(), 77);
        for (Delivery<double>& delivery : deliveries) {
          const Completed& completed = messenger.wait(delivery.arrived());
          CHECK(completed.peer == left);
          const Buffer<double> items = delivery.take();
          CHECK(completed.buffer.data() == reinterpret_cast<const std::byte*>(items.data()));
          CHECK(items.size() == size);
          CHECK(faults(items.items(), left) == 0);
        }
      }
    }
  });
}

TEST_CASE("who asks for the shared messenger gets the same one as long as somebody holds it") {
  const Context world;
  std::shared_ptr<Messenger> first = Messenger::shared(world);
  CHECK(Messenger::shared(world) == first);
  const std::uint64_t key = first->reserve_keys();
  const Context half = world.split(world.rank() % 2);
  CHECK(Messenger::shared(half) != first);
  CHECK(Messenger::shared(half)->size() == half.size());
  first.reset();
  CHECK(Messenger::shared(world)->reserve_keys() == key);  // a new one
}

TEST_CASE("memory given back to the system comes again when it is needed") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const std::size_t size = std::size_t{1} << 20U;  // 8 MiB: a slab of its own
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    for (int round = 0; round < 2; ++round) {
      Buffer<double> gift = messenger.buffer<double>(size);
      fill(gift.items(), world.rank());
      messenger.send(right, 4, nocopy(std::move(gift)));
      Delivery<double> delivery = messenger.receive<double>(left, 4);
      messenger.wait(delivery.arrived());
      CHECK(faults(delivery.take().items(), left) == 0);
      messenger.finish();
      messenger.release_unused_memory();
    }
  });
}

TEST_CASE("messages of all sizes between all ranks at random") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int ranks = world.size();
    std::size_t wrong = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t replies = 0;
    const auto reply = messenger.entry<std::uint64_t>(
        "reply", [&](Sender, std::uint64_t number) { replies += number; });
    const auto call = messenger.entry<std::uint64_t, NoCopy<double>, std::string>(
        "call",
        [&](Sender from, std::uint64_t number, Buffer<double> items, const std::string& text) {
          wrong += faults(items.items(), from.rank) + (text == "t" ? 0 : 1);
          bytes_in += items.size();
          reply(from.rank, number);
        });
    std::mt19937 random(static_cast<unsigned>(17 + world.rank()));
    Counter sources;
    std::uint64_t lent = 0;
    std::uint64_t expected = 0;
    std::deque<std::vector<double>> memory;
    for (std::uint64_t number = 1; number <= 60; ++number) {
      const int to = static_cast<int>(random() % static_cast<unsigned>(ranks));
      const std::size_t size = sizes[random() % (sizes.size() - 1)];
      expected += number;
      if (random() % 2 == 0) {
        Buffer<double> gift = messenger.buffer<double>(size);
        fill(gift.items(), world.rank());
        call(to, number, nocopy(std::move(gift)), "t");
      } else {
        memory.emplace_back(size);
        fill(memory.back(), world.rank());
        call(to, number, nocopy(memory.back(), on_source(sources)), "t");
        ++lent;
      }
      if (random() % 8 == 0) messenger.progress();
    }
    messenger.wait(sources, lent);
    messenger.wait_until([&] { return replies == expected; }, "all replies");
    messenger.finish();  // others may still call what refers to the variables above
    CHECK(wrong == 0);
  });
}

TEST_CASE("a broadcast runs everywhere, from any root, and its source completion comes last") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    int ran = 0;
    std::size_t wrong = 0;
    const auto tell = messenger.entry<int, NoCopy<double>>(
        "tell", [&](Sender from, int root, std::span<const double> items) {
          wrong += faults(items, root) + (from.rank == root ? 0 : 1);
          ++ran;
        });
    const auto word = messenger.entry<int>("word", [&](Sender, int) { ++ran; });
    int expected = 0;
    for (int root = 0; root < world.size(); ++root) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{200},
                                     std::size_t{1000}, std::size_t{30000}}) {
        if (world.rank() == root) {
          Buffer<double> pooled = messenger.buffer<double>(size);
          fill(pooled.items(), root);
          std::vector<double> own(size);
          fill(own, root);
          Counter done;
          tell.broadcast(root, nocopy(pooled.items(), on_source(done)));
          tell.broadcast(root, nocopy(own, on_source(done), on_operation(done), on_remote(done)));
          word.broadcast(3);
          messenger.wait(done, 4);
          fill(pooled.items(), 99);
          fill(own, 99);
          tell.broadcast(99, nocopy(std::move(own)));
        }
        expected += 4;
      }
    }
    // The last broadcast of a size names rank 99 as root, which it is not.
    messenger.finish();
    CHECK(ran == expected);
    CHECK(wrong == static_cast<std::size_t>(5 * world.size()));
  });
}

TEST_CASE("when: an action waits for calls of several entries with one reference number") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int left = (world.rank() + world.size() - 1) % world.size();
    const auto forces = messenger.entry<double, NoCopy<double>>("forces");
    const auto energy = messenger.entry<double>("energy");
    std::vector<std::uint64_t> done;
    std::size_t wrong = 0;
    messenger.when(
        [&](auto& first, auto& second) {
          wrong += first.sender.reference != second.sender.reference ? 1 : 0;
          wrong += first.template get<0>() + 1.0 != second.template get<0>() ? 1 : 0;
          wrong += faults(first.template get<1>().items(), left);
          done.push_back(first.sender.reference);
        },
        forces, energy);
    const int right = (world.rank() + 1) % world.size();
    std::vector<double> items(5000);
    fill(items, world.rank());
    Counter sources;
    for (std::uint64_t step = 1; step <= 20; ++step) {
      forces(right, Reference{step}, static_cast<double>(step), nocopy(items, on_source(sources)));
    }
    for (std::uint64_t step = 20; step >= 1; --step) {
      energy(right, Reference{step}, static_cast<double>(step) + 1.0);
    }
    messenger.wait(sources, 20);
    messenger.wait_until([&] { return done.size() == 20; }, "20 steps");
    std::ranges::sort(done);
    for (std::uint64_t step = 1; step <= 20; ++step) CHECK(done[step - 1] == step);
    CHECK(wrong == 0);
  });
}

namespace {
Task exchange_in_turns(Messenger& messenger, int peer, int turns, std::size_t size, int& done) {
  std::vector<double> out(size);
  std::vector<double> in(size);
  for (int turn = 0; turn < turns; ++turn) {
    Future received = messenger.receive<double>(peer, 4, in);
    fill(out, messenger.rank() + turn);
    Future free;
    messenger.send(peer, 4, nocopy(out, on_source(free)));
    const Completed& arrived = co_await received;
    if (faults(arrived.items<double>(), peer + turn) != 0) throw Error("wrong items");
    co_await free;
    ++done;
  }
}
}  // namespace

TEST_CASE("coroutines await futures") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int turns = 10;
    std::vector<Task> tasks;
    int done = 0;
    for (int rank = 0; rank < world.size(); ++rank) {
      tasks.push_back(exchange_in_turns(messenger, rank, turns, 4000, done));
    }
    for (const Task& task : tasks) messenger.wait(task);
    CHECK(done == turns * world.size());
  });
}

TEST_CASE("calls that come before their entry is registered wait for it") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    int sum = 0;
    const auto add = [&] {
      return messenger.entry<int, NoCopy<double>>(
          "add", [&](Sender, int value, std::span<const double> items) {
            sum += value + static_cast<int>(items.size());
          });
    };
    const std::vector<double> items(1000, 1.0);
    Future source;
    if (world.rank() == 0) {
      add()(world.size() - 1, 5, nocopy(items, on_source(source)));
    }
    for (int i = 0; i < 50; ++i) messenger.progress();
    barrier(world);
    for (int i = 0; i < 50; ++i) messenger.progress();
    if (world.rank() != 0) add();
    if (world.rank() == 0) messenger.wait(source);
    messenger.finish();
    CHECK(sum == (world.rank() == world.size() - 1 ? 1005 : 0));
  });
}

TEST_CASE("what is better copied is measured, kept in the machine file and used") {
  std::string file = "/tmp/sterna_test_messenger_" + std::to_string(getpid()) + ".json";
  const Context world;
  broadcast(world, 0, file);
  world.set_tuning({.machine_file = file, .reuse = false});
  CHECK(copy_limit(world, "shm") == 1024);
  CHECK(copy_limit(world, "rdma") == 2048);
  const std::vector<MessageTiming> timings = tune_messages(world);
  const Messenger messenger(world);
  std::map<std::string, std::size_t> expected;
  for (const MessageTiming& timing : timings) {
    CHECK(timing.copied_us > 0.0);
    CHECK(timing.in_place_us > 0.0);
    std::size_t& limit = expected[timing.transport];
    if (timing.copied_us < timing.in_place_us) limit = timing.bytes + timing.bytes / 2;
  }
  CHECK(expected.empty() == (world.size() == 1));
  if (world.size() > 1) {
    CHECK(expected.contains(std::string(messenger.route(world.rank() == 0 ? 1 : 0))));
  }
  barrier(world);  // the file is written
  const Context later;
  later.set_tuning({.machine_file = file});
  for (const auto& [transport, limit] : expected) {
    CHECK(copy_limit(world, transport) == limit);
    CHECK(copy_limit(later, transport) == limit);
  }
  barrier(world);
  if (world.rank() == 0) {
    std::filesystem::remove(file);
    std::filesystem::remove(file + ".lock");
  }
}
