#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/process.hpp"
#include "comm/context/waiter.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/processor_time.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "support/child.hpp"

using namespace sterna::comm;
using sterna::test::Child;

namespace {

Context impatient(double seconds) {
  Context context;
  context.set_timeout(std::chrono::duration<double>(seconds));
  return context;
}

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// One that has ended.
class Zombie : public Child {
 public:
  Zombie() : Child(SIGKILL, WEXITED) {}
};

}  // namespace

TEST_CASE("no context is made of no communicator") {
  const MPI_Comm none = MPI_COMM_NULL;
  CHECK_THROWS_WITH_AS(Context::from_communicator(&none),
                       "making a context: the communicator is MPI_COMM_NULL", Error);
  CHECK_THROWS_AS(Context::from_communicator(nullptr), Error);
}

TEST_CASE("the processor's time of a wait is counted, and none but that") {
  const Context context;
  const auto none = [] { return Awaited{}; };
  double before = context.processor_seconds_waited();
  Waiter(context.implementation()).wait([] { return true; }, none);
  CHECK(context.processor_seconds_waited() == before);
  // Until the wait asks for the processor's time it takes what passes, in which another program may
  // have had the core: so the best of some tries counts.
  double least = 1.0, excess = 1.0;
  for (int k = 0; k < 20 && excess > 0.001; ++k) {
    before = context.processor_seconds_waited();
    const double start = processor_seconds_now();
    // Beyond all polls, so that the core is yielded; what the condition computes is part of the wait.
    Waiter(context.implementation())
        .wait([&] { return processor_seconds_now() > start + 0.01; }, none);
    const double waited = context.processor_seconds_waited() - before;
    least = std::min(least, waited);
    excess = std::min(excess, waited - (processor_seconds_now() - start));
  }
  CHECK(least > 0.009);
  CHECK(excess <= 0.001);
}

TEST_CASE("a process lives, is a zombie, or is gone") {
  CHECK(is_alive(Process::self()));
  Zombie zombie;
  CHECK(!is_alive(zombie.process()));
  zombie.bury();
  CHECK(!is_alive(zombie.process()));

  Process successor = Process::self();
  successor.start_time += 1;
  CHECK_MESSAGE(!is_alive(successor), "the same number at another time is another process");
  Process elsewhere = zombie.process();
  elsewhere.number_space += 1;
  CHECK_MESSAGE(is_alive(elsewhere), "numbers of another space mean nothing here");
}

TEST_CASE("a wait ends with its condition, however late") {
  const Context world;
  int polls = 0;
  const auto describe = [] { return Awaited{"test", "none", 1, {}}; };
  Waiter(world.implementation()).wait([&] { return ++polls == 3; }, describe);
  CHECK(polls == 3);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(120);
  };
  Waiter(world.implementation()).wait(passed, describe);
  CHECK(passed());
}

TEST_CASE("the idle hook is called inside long waits and may give them up") {
  const Context world;
  int calls = 0;
  world.on_idle([&] {
    if (++calls == 3) throw std::runtime_error("signal");
  });
  CHECK_THROWS_WITH_AS(Waiter(world.implementation())
                           .wait([] { return false; },
                                 [] {
                                   return Awaited{"test", "none", 1, {}};
                                 }),
                       "signal", std::runtime_error);
  CHECK(calls == 3);
}

TEST_CASE("a passed deadline names the exchange, the method, the round and the ranks") {
  const Context world = impatient(0.05);
  const auto wait_for = [&](std::vector<int> ranks) {
    return error_of([&] {
      Waiter(world.implementation())
          .wait([] { return false; },
                [&] {
                  return Awaited{"halo positions", "p2p", 812, ranks};
                });
    });
  };
  const std::string text = wait_for({3});
  CAPTURE(text);
  CHECK(text.starts_with("halo positions: waited "));
  CHECK(
      text.ends_with(" s in method p2p, round 812, for rank 3; the timeout of 0.05 s has passed"));
  CHECK(wait_for({3, 5}).find("for ranks 3, 5; the timeout") != std::string::npos);
  CHECK(wait_for({}).ends_with(
      "for the other ranks; the timeout of 0.05 s has passed; which of them is late is not known"));
}

TEST_CASE("of a wait for anybody, the ranks of this node that are stopped are named") {
  const Context world = impatient(0.05);
  if (world.size() == 1) return;
  Context::Implementation& implementation = world.implementation();
  barrier(world);
  const Child child(SIGSTOP, WSTOPPED);
  CHECK(is_stopped(child.process()));
  CHECK(is_alive(child.process()));
  const int victim = (world.rank() + 1) % world.size();
  implementation.processes_on_node[static_cast<std::size_t>(victim)] = child.process();
  const std::string text = error_of([&] {
    Waiter(implementation)
        .wait([] { return false; },
              [] {
                return Awaited{"energies", "allreduce", 7, {}};
              });
  });
  CAPTURE(text);
  const std::string rank = "rank " + std::to_string(victim);
  CHECK(text.ends_with("round 7, for " + rank + "; the timeout of 0.05 s has passed; " + rank +
                       " (process " + std::to_string(child.process().id) + ") is stopped"));
}

TEST_CASE("a rank of this node that has died ends the waits for it long before the deadline") {
  const Context world = impatient(60);
  if (world.size() == 1) return;
  Context::Implementation& implementation = world.implementation();
  const auto ranks = world.ranks_on_node();
  REQUIRE(ranks.size() == static_cast<std::size_t>(world.size()));
  const int victim = (world.rank() + 1) % world.size();
  barrier(world);
  Zombie zombie;
  implementation.processes_on_node[static_cast<std::size_t>(victim)] = zombie.process();
  const std::string text = error_of([&] {
    Waiter(implementation)
        .wait([] { return false; },
              [&] {
                return Awaited{"halo positions", "p2p", 7, {victim}};
              });
  });
  const std::string expected_end = "s in method p2p, round 7, for rank " + std::to_string(victim) +
                                   "; rank " + std::to_string(victim) + " (process " +
                                   std::to_string(zombie.process().id) + ") has died";
  CAPTURE(text);
  CHECK(text.starts_with("halo positions: waited "));
  CHECK(text.ends_with(expected_end));

  // What the dead rank had sent before still counts.
  bool looked = false;
  Waiter(implementation)
      .wait([&] { return looked; },
            [&] {
              looked = true;
              return Awaited{"halo positions", "p2p", 7, {victim}};
            });
}

TEST_CASE("every kind of wait notices a missing rank") {
  const Context world;
  if (world.size() == 1) return;
  const bool missing = world.rank() == world.size() - 1;
  const auto check = [&](const char* what, const auto& action) {
    CAPTURE(what);
    const Context part = impatient(0.2);
    const std::string text = missing ? "missing" : error_of([&] { action(part); });
    if (!missing) CHECK(text.find("the timeout of 0.2 s has passed") != std::string::npos);
    barrier(world);
  };
  check("barrier", [](const Context& part) { barrier(part); });
  check("broadcast", [](const Context& part) {
    std::string text;
    broadcast(part, part.size() - 1, text);
  });
  check("reduction", [](const Context& part) {
    double value = 1;
    ReductionBatch(part, "energies").sum(value).run();
  });
  check("pattern", [](const Context& part) { NeighborPattern::from_peers(part, {}); });
}
