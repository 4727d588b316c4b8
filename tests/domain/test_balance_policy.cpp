#include <doctest/doctest.h>

#include "md/domain/balance_policy.hpp"

using namespace sterna::md;
using Decision = BalancePolicy::Decision;

namespace {

constexpr double kCost = 0.1;  // seconds; a step of these tests takes about 1 ms

struct World {
  double most, mean, whole;
};

BalancePolicy::Measurement at(std::int64_t step, const World& world, std::int64_t left = 100000) {
  return {step, left, world.most, world.mean, world.whole};
}

}  // namespace

TEST_CASE("even work is left alone, and looked at less and less") {
  BalancePolicy policy(0, kCost);
  std::int64_t looks = 0;
  for (std::int64_t step = 0; step < 20000; ++step) {
    if (step < policy.next_look()) continue;
    ++looks;
    CHECK(policy.look(at(step, {1.02e-3, 1e-3, 1.1e-3})) == Decision::keep);
  }
  CHECK(looks < 35);
}

TEST_CASE("a cut comes when what was lost since the last one would have paid for it") {
  BalancePolicy policy(0, kCost);
  std::int64_t step = 0;
  while (policy.look(at(step, {2e-3, 1e-3, 2.1e-3})) == Decision::keep) {
    step = policy.next_look();
    REQUIRE(step < 10000);
  }
  // 1 ms is lost a step: after 100 steps it would have paid.
  CHECK(step > 50);
  CHECK(step <= 200);
  CHECK(policy.accepts(1.1e-3));
  CHECK_FALSE(policy.accepts(1.99e-3));
}

TEST_CASE("nothing is cut for the last steps of a run") {
  BalancePolicy policy(0, kCost);
  CHECK(policy.look(at(5000, {2e-3, 1e-3, 2.1e-3}, 50)) == Decision::keep);
  CHECK(policy.look(at(5000, {2e-3, 1e-3, 2.1e-3}, 5000)) == Decision::cut);
}

TEST_CASE("a cut that makes steps longer is taken back; three of them are enough") {
  BalancePolicy policy(0, 1e-4);
  std::int64_t step = 100;
  int roll_backs = 0, cuts = 0;
  for (; step < 40000; step = policy.next_look()) {
    const auto decision = policy.look(at(step, {2e-3, 1e-3, 2.1e-3}));
    if (policy.is_off()) break;
    if (decision != Decision::cut) continue;
    REQUIRE(policy.accepts(1e-3));
    policy.cut_was_made(1e-4);
    ++cuts;
    step = policy.next_look();
    // Even work, but so much communication that the step is longer.
    CHECK(policy.look(at(step, {1.1e-3, 1e-3, 2.6e-3})) == Decision::keep);  // once may be chance
    step = policy.next_look();
    CHECK(policy.look(at(step, {1.1e-3, 1e-3, 2.6e-3})) == Decision::roll_back);
    policy.rolled_back(1e-4);
    ++roll_backs;
  }
  CHECK(policy.is_off());
  CHECK(cuts == 3);
  CHECK(roll_backs == 3);
  // Off it stays, until the imbalance has become much worse.
  CHECK(policy.look(at(step + 1000, {1.2e-3, 1e-3, 2.1e-3})) == Decision::keep);
  CHECK(policy.is_off());
  CHECK(policy.look(at(step + 3000, {3.5e-3, 1e-3, 3.6e-3})) == Decision::cut);
  CHECK_FALSE(policy.is_off());
}

TEST_CASE("cuts that change nothing end, cuts that help go on") {
  for (const bool helps : {false, true}) {
    BalancePolicy policy(0, 1e-4);
    int cuts = 0;
    bool just_cut = false;
    std::int64_t step = 100;
    for (int look = 0; look < 200; ++look, step = policy.next_look()) {
      // Where a cut helps, matter moves on and makes the next one necessary.
      const World world =
          just_cut && helps ? World{1.01e-3, 1e-3, 1.2e-3} : World{1.5e-3, 1e-3, 1.6e-3};
      just_cut = policy.look(at(step, world)) == Decision::cut && policy.accepts(1.01e-3);
      if (!just_cut) continue;
      policy.cut_was_made(1e-4);
      ++cuts;
    }
    CHECK(policy.is_off() == !helps);
    CHECK((helps ? cuts > 20 : cuts == 3));
  }
}
