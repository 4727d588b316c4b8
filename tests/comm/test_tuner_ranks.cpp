// The tuner among ranks: agreement on made-up times, and exchanges whose method changes from round
// to round, which must deliver what any single method delivers.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/tune/tuner.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/sparse_exchange.hpp"

using namespace sterna::comm;

namespace {

const TuningRules short_rules{
    .rounds_before = 4,
    .race = {.warm_up = 1,
             .untimed = 1,
             .stages = {{1, 3, 3.0}, {2, 3, 1.0}},
             .keep_incumbent = 1.03},
    .rounds_between_looks = 10,
};

CostTerms one_message(const PatternShape& shape) {
  return {.messages = shape.peers};
}
CostTerms barrier_as_well(const PatternShape& shape) {
  return {.messages = shape.peers, .global_steps = global_steps_among(shape.ranks)};
}

Tuner tuner_of(const Context& world, std::vector<std::string> why_not = {"", "", ""},
               const TuningRules& rules = short_rules) {
  return Tuner({world,
                "neighbor",
                "made-up exchange",
                {{"first", one_message, why_not[0]},
                 {"second", one_message, why_not[1]},
                 {"third", barrier_as_well, why_not[2]}},
                0,
                "it is the first",
                rules});
}

/// Rounds that take what `us` says of the candidate; returns which candidates ran, in order.
template <class Us>
std::string run(Tuner& tuner, int rounds, Us us, std::size_t bytes = 800) {
  std::string ran;
  for (int round = 0; round < rounds; ++round) {
    if (tuner.due()) tuner.agree();
    const std::size_t candidate = tuner.current();
    const auto& live = tuner.live();
    REQUIRE(std::find(live.begin(), live.end(), candidate) != live.end());
    ran += static_cast<char>('0' + candidate);
    tuner.note(us(candidate), {6, 0, bytes});
  }
  return ran;
}

/// On all ranks the same file, which did not exist before.
std::string fresh_machine_file(const Context& world) {
  static int count = 0;
  std::string path = (std::filesystem::temp_directory_path() /
                      fmt::format("sterna_test_tuner_{}_{}.json", ::getpid(), ++count))
                         .string();
  broadcast(world, 0, path);
  return path;
}

bool same_on_all(const Context& world, std::string text) {
  const std::string mine = text;
  broadcast(world, 0, text);
  return mine == text;
}

/// The value of an item follows from where and when it was sent.
double value(int from, int to, int round, std::size_t index) {
  return 1e6 * from + 1e3 * to + round + 1e-3 * static_cast<double>(index);
}

std::size_t count(int from, int to, int round, std::size_t capacity) {
  return static_cast<std::size_t>(7 * from + 3 * to + round) % (capacity + 1);
}

}  // namespace

TEST_CASE("the slowest rank decides, all ranks at the same round") {
  Context world;
  world.set_tuning({true, "none"});
  Tuner tuner = tuner_of(world);
  const int last = world.size() - 1;
  // On the last rank the first candidate is slow, which no other rank can see.
  const auto us = [&](std::size_t candidate) {
    return candidate == 0 ? (world.rank() == last ? 50.0 : 1.0) : candidate == 1 ? 10.0 : 11.0;
  };
  const std::string ran = run(tuner, 60, us);
  CHECK(same_on_all(world, ran));
  CHECK(
      ran.starts_with("0000"
                      "0000"
                      "1111"
                      "2222"));  // before the race; its first lap
  CHECK(ran.ends_with("111111111"));
  Verdict verdict;
  tuner.explain(verdict);
  CHECK(verdict.method == "second");
  CHECK(verdict.times_decided == 1);
  REQUIRE(verdict.candidates.size() == 3);
  CHECK(verdict.candidates[0].median_us == 50.0);
  CHECK(verdict.candidates[0].state == "slower");
  CHECK(verdict.candidates[0].rounds == 3);
  CHECK(verdict.candidates[1].state == "chosen");
  CHECK(verdict.text.find("second 10.0 us (model ") == 0);
  CHECK(verdict.text.find("; first 50.0 us, for no reason that the model knows") !=
        std::string::npos);
  CHECK(same_on_all(world, verdict.text));
}

TEST_CASE("where rounds are rare, the time between them counts") {
  Context world;
  world.set_tuning({true, "none"});
  TuningRules rules = short_rules;
  rules.race_us = 3000.0;
  const auto us = [](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1.0;
  };
  // By the rounds alone it would begin after 3000 of them.
  Tuner by_rounds = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(by_rounds, 100, us) == std::string(100, '0'));
  rules.part_of_program = 0.1;
  Tuner by_time = tuner_of(world, {"", "", ""}, rules);
  const std::string ran = run(by_time, 100, us);
  CHECK(ran.find('1') != std::string::npos);
  CHECK(same_on_all(world, ran));
}

TEST_CASE("the model's best is the same on all ranks, and one that works") {
  Context world;
  world.set_tuning({true, "none"});
  const auto best_of = [&](std::vector<std::string> why_not) {
    return expected_best(
        {world,
         "neighbor",
         "made-up exchange",
         {{"barrier", barrier_as_well, why_not[0]}, {"one", one_message, why_not[1]}},
         0,
         "",
         short_rules},
        {world.size(), 1, 3.0, 100.0, 1.0});
  };
  CHECK(best_of({"", ""}) == (world.size() > 1 ? 1 : 0));
  CHECK(best_of({"", "does not work"}) == 0);
}

TEST_CASE("a race begins once the rounds have taken as long as it costs") {
  Context world;
  world.set_tuning({true, "none"});
  TuningRules rules = short_rules;
  rules.race_us = 300.0;
  // The slowest rank decides: ten rounds of 30 us.
  const auto us = [&](std::size_t) { return world.rank() == 0 ? 30.0 : 10.0; };
  Tuner tuner = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(tuner, 10, us) == std::string(10, '0'));
  Verdict before;
  tuner.explain(before);
  CHECK(before.times_decided == 0);
  CHECK(before.text.find("not measured, which begins in round 11 at the earliest") !=
        std::string::npos);
  CHECK(run(tuner, 12, us) == "000011112222");

  Tuner slow = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(slow, 16, [](std::size_t) { return 100.0; }) == "0000000011112222");
  world.implementation().race_at_once = true;
  Tuner measuring = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(measuring, 16, us) == "0000000011112222");
}

TEST_CASE("a race takes no larger part of the time than it may, stage by stage") {
  Context world;
  world.set_tuning({true, "none", false});
  TuningRules rules = short_rules;
  rules.race.stages = {{1, 3, 3.0}, {1, 3, 1.5}, {1, 3, 1.0}};
  rules.largest_loss = 0.25;
  // The slowest rank decides here, too.
  const auto us = [&](std::size_t candidate) {
    const double slowest = candidate == 0 ? 20.0 : candidate == 1 ? 10.0 : 40.0;
    return world.rank() == 0 ? slowest : 1.0;
  };
  Tuner tuner = tuner_of(world, {"", "", ""}, rules);
  // Twelve rounds of the first stage, taken for twice as long: earned by 48. The stage loses 40 us
  // by the first and 120 by the third, who leaves, and the next would lose 40 by the first, who
  // leaves then: 200 us, earned by 80 rounds of 10 us.
  const std::string expected = std::string(48, '0') + "000011112222" + std::string(20, '1') +
                               "00001111" + std::string(40, '1');
  const std::string ran = run(tuner, static_cast<int>(expected.size()), us);
  CHECK(ran == expected);
  Verdict verdict;
  tuner.explain(verdict);
  CHECK(verdict.method == "second");

  // Long before the end of the first stage's wait nothing but the usual one is made.
  Tuner young = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(young, 47, us) == std::string(47, '0'));
  CHECK(young.live().size() == 1);

  world.implementation().race_at_once = true;
  Tuner measuring = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(measuring, 24, us) == "000000001111222200001111");
}

TEST_CASE("candidates that do not work are never asked for") {
  Context world;
  world.set_tuning({true, "none"});
  Tuner tuner = tuner_of(world, {"", "no such network", ""});
  CHECK(run(tuner, 60, [](std::size_t) { return 5.0; }).find('1') == std::string::npos);
  Verdict verdict;
  tuner.explain(verdict);
  CHECK(verdict.candidates[1].state == "unavailable");
  CHECK(verdict.candidates[1].why == "no such network");

  Tuner single = tuner_of(world, {"", "no such network", "nor this one"});
  CHECK(run(single, 60, [](std::size_t) { return 5.0; }) == std::string(60, '0'));
  Verdict only;
  single.explain(only);
  CHECK(only.text.find("the only method that works here") != std::string::npos);

  Tuner failing = tuner_of(world);
  run(failing, 4, [](std::size_t) { return 5.0; });
  failing.agree();
  failing.exclude(2, "no memory");
  CHECK(failing.live().size() == 2);
  CHECK(run(failing, 60, [](std::size_t) { return 5.0; }).find('2') == std::string::npos);
  Verdict failed;
  failing.explain(failed);
  CHECK(failed.candidates[2].state == "failed");
  CHECK(failed.candidates[2].why == "no memory");
}

TEST_CASE("a new race where the pattern or the time drifts, at the same round on all ranks") {
  for (const bool pattern : {false, true}) {
    Context world;
    world.set_tuning({true, "none"});
    Tuner tuner = tuner_of(world);
    run(tuner, 100, [](std::size_t candidate) { return 10.0 + static_cast<double>(candidate); });
    Verdict before;
    tuner.explain(before);
    CHECK(before.method == "first");
    CHECK(before.times_decided == 1);
    // The first becomes slow on rank 0 alone, or messages grow.
    const auto us = [&](std::size_t candidate) {
      return candidate == 0 && world.rank() == 0 ? 30.0 : 10.0 + static_cast<double>(candidate);
    };
    std::string ran = run(tuner, 2000, us, pattern ? 8000 : 800);
    CHECK(same_on_all(world, ran));
    CHECK(ran.find('2') != std::string::npos);
    Verdict after;
    tuner.explain(after);
    CHECK(after.method == "second");
    CHECK(after.times_decided == 2);
    CHECK(after.text.find("chosen again in round ") != std::string::npos);
    CHECK(after.text.find(pattern ? "8000 bytes a round instead of 800"
                                  : "us a round instead of") != std::string::npos);
  }
}

TEST_CASE("a machine file spares the race, until its times prove wrong") {
  const Context first_job;
  const std::string path = fresh_machine_file(first_job);
  first_job.set_tuning({true, path});
  // The third is near the best: with the file it does not run either.
  const auto us = [](std::size_t candidate) {
    return candidate == 1 ? 10.0 : candidate == 2 ? 10.5 : 20.0;
  };
  Tuner first = tuner_of(first_job);
  CHECK(run(first, 60, us).find('2') != std::string::npos);
  barrier(first_job);
  // An exchange that replaces another knows what that one measured.
  Tuner next = tuner_of(first_job);
  CHECK(run(next, 30, us) == std::string(4, '0') + std::string(26, '1'));

  const Context world;
  world.set_tuning({true, path});
  Tuner second = tuner_of(world);
  CHECK(run(second, 30, us) == std::string(4, '0') + std::string(26, '1'));
  Verdict verdict;
  second.explain(verdict);
  CHECK(verdict.method == "second");
  CHECK(verdict.text.find("measured before") != std::string::npos);
  // Making another method must pay, too.
  TuningRules rules = short_rules;
  rules.race_us = 200.0;
  Tuner patient = tuner_of(world, {"", "", ""}, rules);
  CHECK(run(patient, 30, us) == std::string(10, '0') + std::string(20, '1'));

  // Now the second takes ten times as long as the file says.
  run(second, 60, [](std::size_t candidate) { return candidate == 1 ? 100.0 : 20.0; });
  Verdict corrected;
  second.explain(corrected);
  CHECK(corrected.method != "second");
  barrier(world);
  if (world.rank() == 0) {
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".lock");
  }
}

// ------------------------------------------------------------------------------- exchanges

TEST_CASE("neighbor exchange: methods take turns, results stay the same") {
  Context world;
  world.set_tuning({true, "none", false});
  world.implementation().race_at_once = true;
  const int size = world.size();
  const int rank = world.rank();
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  enum { both_ways, one_way, mostly_idle };
  for (const int kind : {both_ways, one_way, mostly_idle}) {
    CAPTURE(kind);
    std::vector<NeighborPattern::Peer> peers;
    if (kind == mostly_idle) {
      // Two ranks talk, one way; the others take part without peers.
      if (size > 1 && rank == 0) peers = {{1, 20, 0}};
      if (size > 1 && rank == 1) peers = {{0, 0, 20}};
    } else if (left == right) {
      peers = {{left, 20, 20}};
    } else {
      const std::size_t back = kind == both_ways ? 20 : 0;
      peers = {{right, 20, back}, {left, back, 20}};
    }
    const auto pattern = NeighborPattern::from_peers(world, peers);
    NeighborExchange<double> exchange(world, pattern, {.method = "auto", .name = "tuned"});
    int faults = 0;
    const int rounds = 420;
    for (int round = 1; round <= rounds; ++round) {
      if (round == 20 || round == 100 || round == 300) {  // in the race, once its methods were made
        std::vector<std::size_t> wanted;
        for (const auto& peer : exchange.peers()) {
          wanted.push_back(peer.send_capacity > 0 ? peer.send_capacity + 10 : 0);
        }
        exchange.reserve(wanted);
      }
      const auto list = exchange.peers();
      for (int p = 0; p < static_cast<int>(list.size()); ++p) {
        const auto& peer = list[static_cast<std::size_t>(p)];
        const std::size_t n =
            count(rank, peer.rank, round, std::min<std::size_t>(peer.send_capacity, 20));
        const auto outbox = exchange.outbox(p);
        for (std::size_t i = 0; i < n; ++i) outbox[i] = value(rank, peer.rank, round, i);
        exchange.commit(p, n);
      }
      exchange.start();
      while (exchange.next()) {
      }
      exchange.finish();
      // Also where the next round is carried by another method, the inboxes can still be read.
      if (!list.empty() && round + 1 != 20 && round + 1 != 100 && round + 1 != 300) {
        exchange.outbox(0);
      }
      for (int p = 0; p < static_cast<int>(list.size()); ++p) {
        const auto& peer = list[static_cast<std::size_t>(p)];
        if (peer.receive_capacity == 0) continue;
        const auto inbox = exchange.inbox(p);
        const std::size_t n =
            count(peer.rank, rank, round, std::min<std::size_t>(peer.receive_capacity, 20));
        if (inbox.size() != n) ++faults;
        for (std::size_t i = 0; i < inbox.size(); ++i) {
          if (inbox[i] != value(peer.rank, rank, round, i)) ++faults;
        }
      }
    }
    CHECK(faults == 0);
    const Verdict verdict = exchange.verdict();
    int usable = 0;
    const auto works = [&](std::string_view method) {
      const auto found = std::ranges::find(verdict.candidates, method, &MethodEvidence::method);
      return found != verdict.candidates.end() && found->state != "unavailable";
    };
    // All ranks are on one node: they would be the same.
    CHECK(!(works("hybrid") && works("shm_direct")));
    for (const MethodEvidence& e : verdict.candidates) {
      CHECK(e.state != "failed");
      usable += e.state == "unavailable" ? 0 : 1;
    }
    CHECK(verdict.candidates.size() == neighbor_methods().size());
    CHECK(usable > 0);
    CHECK(verdict.rounds == rounds);
  }
}

TEST_CASE("sparse exchange: methods take turns, results stay the same") {
  Context world;
  world.set_tuning({true, "none", false});
  world.implementation().race_at_once = true;
  const int size = world.size();
  const int rank = world.rank();
  const auto partners = [&](int from, int round) {
    std::vector<int> to;
    for (const int step : {0, 1, 2 + round % 3}) {
      const int other = (from + step) % size;
      if (std::find(to.begin(), to.end(), other) == to.end()) to.push_back(other);
    }
    return to;
  };
  for (const bool bounded : {false, true}) {
    SparseOptions options{"auto", "tuned", std::nullopt};
    if (bounded) {
      options.possible_sources.emplace();
      for (int other = 0; other < size; ++other) options.possible_sources->push_back(other);
    }
    SparseExchange<double> exchange(world, options);
    int faults = 0;
    const int rounds = 160;
    for (int round = 1; round <= rounds; ++round) {
      std::vector<int> ranks = partners(rank, round);
      std::vector<std::size_t> offsets{0};
      std::vector<double> items;
      for (const int to : ranks) {
        const std::size_t n = count(rank, to, round, 30);
        for (std::size_t i = 0; i < n; ++i) items.push_back(value(rank, to, round, i));
        offsets.push_back(items.size());
      }
      const auto incoming = exchange({ranks, offsets, items});
      std::size_t row = 0;
      for (int from = 0; from < size; ++from) {
        const auto to = partners(from, round);
        const std::size_t n =
            std::find(to.begin(), to.end(), rank) == to.end() ? 0 : count(from, rank, round, 30);
        if (n == 0) continue;
        if (row >= incoming.ranks.size() || incoming.ranks[row] != from ||
            incoming.of(row).size() != n) {
          ++faults;
          break;
        }
        for (std::size_t i = 0; i < n; ++i) {
          if (incoming.of(row)[i] != value(from, rank, round, i)) ++faults;
        }
        ++row;
      }
      if (row != incoming.ranks.size()) ++faults;
    }
    CHECK(faults == 0);
    const Verdict verdict = exchange.verdict();
    CHECK(verdict.rounds == rounds);
    CHECK(verdict.candidates.size() == sparse_methods().size());
    for (const MethodEvidence& e : verdict.candidates) CHECK(e.state != "failed");
  }
}

TEST_CASE("two tuned exchanges, made and used in turn, and one left in the middle of its race") {
  Context world;
  world.set_tuning({true, "none"});
  world.implementation().race_at_once = true;
  const int other = world.size() - 1 - world.rank();
  const auto pattern = NeighborPattern::from_peers(world, {{other, 4, 4}});
  NeighborExchange<int> first(world, pattern, {.name = "first"});
  NeighborExchange<int> second(world, pattern, {.name = "second"});
  int faults = 0;
  for (int round = 0; round < 150; ++round) {
    first.outbox(0)[0] = round + 1000 * world.rank();
    first.commit(0, 1);
    second.outbox(0)[0] = -round;
    second.commit(0, 1);
    first.start();
    second.start();
    while (second.next()) {
    }
    while (first.next()) {
    }
    if (first.inbox(0)[0] != round + 1000 * other) ++faults;
    if (second.inbox(0)[0] != -round) ++faults;
    second.finish();
    first.finish();
  }
  CHECK(faults == 0);
}

TEST_CASE("tuning off, or a named method, leaves the tuner out") {
  Context world;
  world.set_tuning({false, "none"});
  const auto pattern = NeighborPattern::from_peers(world, {});
  const NeighborExchange<int> neighbor(world, pattern);
  CHECK(neighbor.verdict().text.find("tuning is off") != std::string::npos);
  CHECK(neighbor.verdict().candidates.empty());
  const SparseExchange<int> sparse(world);
  CHECK(sparse.verdict().text.find("tuning is off") != std::string::npos);
  world.set_tuning({true, "none"});
  const NeighborExchange<int> pinned(world, pattern, {.method = "p2p"});
  CHECK(pinned.verdict().candidates.empty());
  CHECK(pinned.verdict().text.find("named by the caller") != std::string::npos);
}
