#include <doctest/doctest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna::comm;

namespace {

/// True on all ranks or on none: whether `value` has the same bits everywhere.
bool same_bits_everywhere(const Context& world, double value) {
  auto low = std::bit_cast<std::int64_t>(value);
  auto high = low;
  ReductionBatch(world).min(low).max(high).run();
  return low == high;
}

}  // namespace

TEST_CASE("a batch of every kind of value reduces each as its kind says") {
  const Context world;
  ReductionOrder order = ReductionOrder::any;
  SUBCASE("in any order") {}
  SUBCASE("in fixed order") {
    order = ReductionOrder::fixed;
  }
  const std::int64_t n = world.size();
  const double rank = world.rank();
  double total = 0;
  double largest = 0;
  double smallest = 0;
  std::int64_t count = 0;
  std::int64_t last = 0;
  std::int64_t first = 0;
  std::vector<double> many(100);
  std::vector<std::int64_t> more(7);
  ReductionBatch batch(world, "everything", order);
  batch.sum(count).min(smallest).sum(many.data(), many.size()).max(last).sum(total);
  batch.max(largest).min(first).sum(more.data(), more.size());
  for (int round = 0; round < 50; ++round) {
    total = rank + 0.5;
    largest = -rank - round;
    smallest = -rank + round;
    count = 3;
    last = (std::int64_t{1} << 60) + world.rank();
    first = -last;
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i) + rank;
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = static_cast<std::int64_t>(i);
    batch.run();
    REQUIRE(total == static_cast<double>(n * (n - 1)) / 2 + 0.5 * static_cast<double>(n));
    REQUIRE(largest == -round);
    REQUIRE(smallest == static_cast<double>(1 - n + round));
    REQUIRE(count == 3 * n);
    REQUIRE(last == (std::int64_t{1} << 60) + n - 1);
    REQUIRE(first == -last);
    for (std::size_t i = 0; i < many.size(); ++i) {
      REQUIRE(many[i] == static_cast<double>(n) * static_cast<double>(i) +
                             static_cast<double>(n * (n - 1)) / 2);
    }
    for (std::size_t i = 0; i < more.size(); ++i) {
      REQUIRE(more[i] == n * static_cast<std::int64_t>(i));
    }
  }
}

TEST_CASE("results have the same bits on every rank") {
  const Context world;
  double rounded = 1.0 / (3 + 7 * world.rank());
  double signed_zero = world.rank() % 2 == 0 ? 0.0 : -0.0;
  double lowest_zero = signed_zero;
  double with_nan = world.rank() == world.size() - 1 ? std::numeric_limits<double>::quiet_NaN() : 1;
  ReductionBatch(world).sum(rounded).max(signed_zero).min(lowest_zero).max(with_nan).run();
  CHECK(same_bits_everywhere(world, rounded));
  CHECK(same_bits_everywhere(world, signed_zero));
  CHECK(!std::signbit(signed_zero));
  CHECK(std::signbit(lowest_zero) == (world.size() > 1));
  CHECK(std::isnan(with_nan));
  CHECK(same_bits_everywhere(world, with_nan));

  // Above the size where MPI libraries change their algorithm.
  std::vector<double> many(50000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = std::sin(static_cast<double>(i) + 0.1 * world.rank());
  }
  ReductionBatch(world).sum(many.data(), many.size()).run();
  double probe = 0;
  for (std::size_t i = 0; i < many.size(); ++i) probe += many[i] * static_cast<double>(i + 1);
  CHECK(same_bits_everywhere(world, probe));
}

TEST_CASE("in fixed order a sum is rounded as one rank after the other adds") {
  const Context world;
  // Large and small values of both signs: each other order of additions gives another sum.
  const auto part = [](int rank, std::size_t i) {
    const double sign = (rank + static_cast<int>(i)) % 3 == 0 ? -1.0 : 1.0;
    return sign * std::pow(10.0, (rank * 7 + static_cast<int>(i) * 5) % 17) / 3.0;
  };
  std::vector<double> values(50);
  ReductionBatch batch(world, "fixed", ReductionOrder::fixed);
  batch.sum(values.data(), values.size());
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = part(world.rank(), i);
    batch.run();
    for (std::size_t i = 0; i < values.size(); ++i) {
      double expected = part(0, i);
      for (int rank = 1; rank < world.size(); ++rank) expected += part(rank, i);
      REQUIRE(std::bit_cast<std::uint64_t>(values[i]) == std::bit_cast<std::uint64_t>(expected));
    }
  }
}

TEST_CASE("work between start and finish, other reductions among it, does not disturb") {
  const Context world;
  for (const auto order : {ReductionOrder::any, ReductionOrder::fixed}) {
    double energy = 0;
    double other = 0;
    ReductionBatch outer(world, "outer", order);
    ReductionBatch inner(world, "inner");
    outer.sum(energy);
    inner.max(other);
    for (int round = 0; round < 20; ++round) {
      energy = world.rank() + round;
      outer.start();
      energy = -1.0;  // was read by start, will be written by finish
      for (int i = 0; i < 3; ++i) {
        other = world.rank() + i;
        inner.run();
        REQUIRE(other == world.size() - 1 + i);
      }
      outer.finish();
      REQUIRE(energy == world.size() * (world.size() - 1) / 2.0 + world.size() * round);
    }
  }
}

TEST_CASE("in fixed order, ranks that registered different numbers of values hear of it") {
  const Context world;
  std::vector<double> values(3, 1.0);
  ReductionBatch batch(world, "energies", ReductionOrder::fixed);
  batch.sum(values.data(), world.rank() == 0 ? 3 : 2);
  if (world.size() == 1) {
    batch.run();
  } else {
    CHECK_THROWS_WITH_AS(batch.run(), "energies: the ranks registered different numbers of values",
                         Error);
  }
}

TEST_CASE("two batches may be under way at once, and values may be added later") {
  const Context world;
  double a = 1;
  double b = world.rank();
  ReductionBatch sums(world);
  ReductionBatch maxima(world);
  sums.sum(a);
  maxima.max(b);
  sums.start();
  maxima.start();
  maxima.finish();
  sums.finish();
  CHECK(a == world.size());
  CHECK(b == world.size() - 1);
  double c = 2;
  a = 1;
  sums.sum(c).run();
  CHECK(a == world.size());
  CHECK(c == 2 * world.size());
}

TEST_CASE("values of one kind are reduced round after round, whoever comes late") {
  const Context world;
  const int n = world.size();
  double sum = 0;
  std::int64_t most = 0;
  std::int64_t least = 0;
  std::int64_t count = 0;
  double largest = 0;
  ReductionBatch sums(world, "sums");
  ReductionBatch maxima(world, "maxima");
  ReductionBatch minima(world, "minima");
  ReductionBatch counts(world, "counts");
  ReductionBatch bounds(world, "bounds");
  sums.sum(sum);
  maxima.max(most);
  minima.min(least);
  counts.sum(count);
  bounds.max(largest);
  for (int round = 0; round < 60; ++round) {
    if (round % n == world.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    sum = world.rank() + 0.25 * round;
    most = world.rank() * round;
    least = -most;
    count = round;
    largest = world.rank() == round % n ? -0.0 : -1.0;
    sums.run();
    maxima.start();
    minima.start();
    maxima.finish();
    minima.finish();
    counts.run();
    bounds.run();
    REQUIRE(sum == n * (n - 1) / 2 + 0.25 * n * round);
    REQUIRE(most == (n - 1) * round);
    REQUIRE(least == -most);
    REQUIRE(count == n * round);
    REQUIRE(std::signbit(largest));
    REQUIRE(largest == 0.0);
  }
}

TEST_CASE("values that are added after many rounds are reduced; other numbers are an error") {
  const Context world;
  for (const auto order : {ReductionOrder::any, ReductionOrder::fixed}) {
    double a = 0;
    double b = 0;
    ReductionBatch batch(world, "energies", order);
    batch.sum(a);
    const auto run_rounds = [&](bool both) {
      for (int round = 0; round < 40; ++round) {
        a = world.rank();
        b = round;
        batch.run();
        REQUIRE(a == world.size() * (world.size() - 1) / 2);
        REQUIRE(b == (both ? world.size() * round : round));
      }
    };
    run_rounds(false);
    batch.sum(b);
    run_rounds(true);
  }
  double a = 0;
  double b = 0;
  ReductionBatch batch(world, "energies", ReductionOrder::fixed);
  batch.sum(a);
  for (int round = 0; round < 40; ++round) batch.run();
  if (world.rank() == 0) batch.sum(b);
  // Between nodes the ranks with the old number wait for those with the new one.
  if (world.size() > 1 && world.node_count() == 1) {
    CHECK_THROWS_WITH_AS(batch.run(), "energies: the ranks registered different numbers of values",
                         Error);
  }
}

TEST_CASE("an empty batch runs") {
  const Context world;
  ReductionBatch batch(world);
  batch.run();
}

TEST_CASE("calls out of order are errors") {
  const Context world;
  double value = 1;
  ReductionBatch batch(world, "energies");
  batch.sum(value);
  CHECK_THROWS_WITH_AS(batch.finish(), "energies: finished without start", Error);
  batch.start();
  CHECK_THROWS_WITH_AS(batch.start(), "energies: started twice without finish", Error);
  CHECK_THROWS_WITH_AS(batch.sum(value), "energies: values added between start and finish", Error);
  batch.finish();
  CHECK(value == world.size());
}
