#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "md/simulation/engine/rebuild_decision.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr double half_skin = 0.15;

/// The fastest particle of a rank goes straight on, by `speed(step)` in a step.
template <class Speed>
struct Runner {
  Speed speed;
  double error;  ///< of what is expected of the next step
  double moved = 0.0;
  int looks = 0;

  void step(std::int64_t step) { moved += speed(step); }
  RebuildDecision::Motion look(std::int64_t step) {
    ++looks;
    const double next = moved + speed(step + 1);
    return {moved, speed(step), 0.2 * speed(step), next - error, next + error};
  }
};

/// Steps in which the list was built, as they must be: before anybody, on any rank, has gone too
/// far. `look_closely`: the step before the one in which speeds are new.
template <class Speed>
void check_decisions(const comm::Context& world, int maximum_interval, double error, Speed speed,
                     std::int64_t jump_at = -1) {
  PhaseTimer timer;
  RebuildDecision decision(world, half_skin, maximum_interval, timer);
  Runner<Speed> runner{speed, error};
  decision.list_was_built(0);
  std::int64_t built_at = 0;
  int faults = 0, rebuilds = 0;
  for (std::int64_t step = 1; step <= 200; ++step) {
    runner.step(step);
    double most = runner.moved;
    comm::ReductionBatch(world).max(most).run();
    const bool must = most > half_skin || step - built_at >= maximum_interval;
    const bool decided = decision.must_rebuild(
        step, [&] { return runner.look(step); }, world.rank());
    if (decided != must) ++faults;
    if (decided) {
      decision.list_was_built(step);
      built_at = step;
      runner.moved = 0.0;
      ++rebuilds;
      CHECK(decision.others_asked() == world.size() - 1);
    }
    if (step + 1 == jump_at) decision.look_closely();
    decision.progress();
  }
  decision.complete();
  CHECK(faults == 0);
  CHECK(rebuilds > 2);
  CHECK(decision.late_rebuilds() == 0);
  // Fewer looks than steps where steps are short.
  if (maximum_interval >= 10 && speed(1) < 0.02 && jump_at < 0) CHECK(runner.looks < 150);
}

}  // namespace

TEST_CASE("the list is rebuilt in the step in which the fastest of all ranks has gone too far") {
  const comm::Context world;
  const int rank = world.rank();
  for (const double error : {0.0, 1e-4, 0.01, 1.0}) {
    CAPTURE(error);
    check_decisions(world, 100, error, [&](std::int64_t) { return 0.0103 / (1 + rank); });
    // Slower and faster, another rank ahead at each time.
    check_decisions(world, 100, error, [&](std::int64_t step) {
      return 0.012 + 0.002 * std::sin(0.7 * static_cast<double>(step) + rank);
    });
  }
}

TEST_CASE("at the latest it is rebuilt after the interval asked for") {
  const comm::Context world;
  for (const int interval : {1, 2, 3, 10, 40}) {
    CAPTURE(interval);
    check_decisions(world, interval, 0.0, [](std::int64_t) { return 1e-5; });
  }
}

TEST_CASE("steps that are longer than half the skin are seen in time") {
  const comm::Context world;
  check_decisions(world, 100, 0.001, [](std::int64_t) { return 0.2; });
  check_decisions(world, 100, 0.001, [](std::int64_t) { return 0.08; });
}

TEST_CASE("new speeds are looked at in the step that they are told of") {
  const comm::Context world;
  for (const std::int64_t jump : {17, 18, 40, 41}) {
    CAPTURE(jump);
    check_decisions(
        world, 100, 1e-4, [&](std::int64_t step) { return step < jump ? 1e-3 : 0.16; }, jump);
  }
}

TEST_CASE("where the list holds beyond half the skin, it is kept until a rank says otherwise") {
  const comm::Context world;
  constexpr double lost = 1.6 * half_skin;  // on one rank, at another displacement on the others
  for (const double speed : {0.0007, 0.0103, 0.04, 0.2}) {
    CAPTURE(speed);
    PhaseTimer timer;
    RebuildDecision decision(world, half_skin, 1000, timer);
    decision.list_was_built(0);
    std::int64_t built_at = 0;
    int faults = 0, rebuilds = 0;
    for (std::int64_t step = 1; step <= 400; ++step) {
      const auto moved = [&](std::int64_t at) {
        return speed * static_cast<double>(at - built_at) / (1 + world.rank());
      };
      const bool decided = decision.must_rebuild(
          step,
          [&] {
            RebuildDecision::Motion motion{moved(step), moved(step) - moved(step - 1), 0.0};
            motion.next_most = moved(step + 1);
            motion.lost = motion.displacement > lost;
            return motion;
          },
          0);
      const double most = speed * static_cast<double>(step - built_at);
      if (decided != (most > lost)) ++faults;
      if (decided) {
        decision.list_was_built(step);
        built_at = step;
        ++rebuilds;
      }
      decision.progress();
    }
    decision.complete();
    CHECK(faults == 0);
    CHECK(rebuilds > 0);
    CHECK(decision.late_rebuilds() == 0);
  }
}

TEST_CASE("a decision that is told the pace goes on as the one that had it") {
  const comm::Context world;
  PhaseTimer timer;
  RebuildDecision first(world, half_skin, 100, timer);
  const auto look = [] { return RebuildDecision::Motion{0.0, 0.01, 0.001, 0.01, 0.01}; };
  first.list_was_built(0);
  CHECK_FALSE(first.must_rebuild(1, look, 0));
  first.complete();
  CHECK(first.pace().step == 0.01);
  CHECK(first.pace().growth == 0.001);
  RebuildDecision second(world, half_skin, 100, timer);
  second.set_pace(first.pace());
  first.list_was_built(2);
  second.list_was_built(2);
  for (std::int64_t step = 3; step < 60; ++step) {
    const auto same = [&] {
      const double moved = 0.01 * static_cast<double>(step - 2);
      return RebuildDecision::Motion{moved, 0.01, 0.001, moved + 0.0099, moved + 0.0101};
    };
    const bool decided = first.must_rebuild(step, same, 0);
    CHECK(second.must_rebuild(step, same, 0) == decided);
    if (decided) break;
  }
  first.complete();
  second.complete();
}
