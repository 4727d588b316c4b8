// The analytic triangle against what defines it: sides as long as they must be, constraint forces
// along the sides as they were, center of mass where it was; and against SHAKE.

#include "md/integrate/settle.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "md/core/cross_product.hpp"

using namespace sterna::md;

namespace {

struct Model {
  double apex_mass, base_mass, leg, base;
};
/// SPC/E water, a flat angle, a heavy base, equal sides.
constexpr Model models[] = {{15.9994, 1.008, 0.1, 0.1633},
                            {1.0, 2.0, 1.0, 1.9},
                            {0.1, 30.0, 0.4, 0.1},
                            {1.0, 1.0, 1.2, 1.2}};

/// Corners relative to the center of mass, apex first.
struct Corners {
  Vec3 at[3];
};

Settle::Legs legs(const Corners& corners) {
  return {corners.at[1] - corners.at[0], corners.at[2] - corners.at[0]};
}

/// A triangle in any direction, and each corner `step` farther in some direction.
std::pair<Corners, Corners> triangle_and_move(const Model& model, double step,
                                              std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  const auto direction = [&] {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    return Vec3{x, y, z};
  };
  Vec3 x = direction();
  x *= 1.0 / length(x);
  Vec3 y = cross(x, direction());
  y *= 1.0 / length(y);
  const double height = std::sqrt(model.leg * model.leg - 0.25 * model.base * model.base);
  Corners before;
  before.at[0] = direction();
  before.at[1] = before.at[0] - height * y + 0.5 * model.base * x;
  before.at[2] = before.at[0] - height * y - 0.5 * model.base * x;
  Corners moved = before;
  for (Vec3& corner : moved.at) corner += step * direction();
  return {before, moved};
}

/// SHAKE, until the sides are right to rounding.
Corners shake(const Model& model, const Corners& before, Corners moved) {
  constexpr int side[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int sweep = 0; sweep < 3000; ++sweep) {
    for (const auto& [a, b] : side) {
      const double distance = a == 0 ? model.leg : model.base;
      const Vec3 old = before.at[a] - before.at[b], now = moved.at[a] - moved.at[b];
      const double wa = 1.0 / (a == 0 ? model.apex_mass : model.base_mass);
      const double wb = 1.0 / model.base_mass;
      const double g = (dot(now, now) - distance * distance) / (2.0 * (wa + wb) * dot(now, old));
      moved.at[a] -= (wa * g) * old;
      moved.at[b] += (wb * g) * old;
    }
  }
  return moved;
}

/// Of one triangle, in each lane in turn; the other lanes have it turned by a step of its own.
std::optional<std::array<Vec3, 3>> shifts_of(const Settle& settle, const Corners& before,
                                             const Corners& moved) {
  static std::size_t lane = 0;
  lane = (lane + 1) % triangles_together;
  SettleWork work;
  for (std::size_t k = 0; k < triangles_together; ++k) {
    Settle::put(legs(before), legs(k == lane ? moved : before), k, work);
  }
  settle.compute(work);
  return Settle::shifts(work, lane);
}

/// For each instruction set that this processor has.
template <class Function>
void with_settle(const Model& model, Function function) {
  for (const SettleKernels* kernels : available_settle_kernels()) {
    CAPTURE(kernels->name);
    CAPTURE(model.base_mass);
    function(Settle(model.apex_mass, model.base_mass, model.leg, model.base, kernels->name));
  }
}

}  // namespace

TEST_CASE("sides are kept to rounding, the center of mass and the angular momentum stay") {
  std::mt19937_64 engine(11);
  for (const Model& model : models) {
    with_settle(model, [&](const Settle& settle) {
      for (int sample = 0; sample < 200; ++sample) {
        const auto [before, moved] = triangle_and_move(model, 0.02 * model.base, engine);
        const auto shifts = shifts_of(settle, before, moved);
        REQUIRE(shifts.has_value());
        Corners after = moved;
        Vec3 momentum, turning;
        for (std::size_t k = 0; k < 3; ++k) {
          after.at[k] += (*shifts)[k];
          const double mass = k == 0 ? model.apex_mass : model.base_mass;
          momentum += mass * (*shifts)[k];
          turning += mass * cross(before.at[k], (*shifts)[k]);
        }
        const auto [b, c] = legs(after);
        CHECK(length(b) == doctest::Approx(model.leg).epsilon(1e-13));
        CHECK(length(c) == doctest::Approx(model.leg).epsilon(1e-13));
        CHECK(length(c - b) == doctest::Approx(model.base).epsilon(1e-13));
        const double mass = model.apex_mass + 2.0 * model.base_mass;
        CHECK(length(momentum) < 1e-14 * mass);
        CHECK(length(turning) < 1e-13 * mass);
      }
    });
  }
}

TEST_CASE("it is what SHAKE finds") {
  std::mt19937_64 engine(12);
  for (const Model& model : models) {
    with_settle(model, [&](const Settle& settle) {
      for (int sample = 0; sample < 20; ++sample) {
        const auto [before, moved] = triangle_and_move(model, 0.02 * model.base, engine);
        const auto shifts = shifts_of(settle, before, moved);
        REQUIRE(shifts.has_value());
        const Corners expected = shake(model, before, moved);
        for (std::size_t k = 0; k < 3; ++k) {
          CHECK(length(moved.at[k] + (*shifts)[k] - expected.at[k]) < 1e-11);
        }
      }
    });
  }
}

TEST_CASE("a start that violates the sides is put right as SHAKE does it") {
  std::mt19937_64 engine(13);
  const Model& model = models[0];
  with_settle(model, [&](const Settle& settle) {
    for (int sample = 0; sample < 20; ++sample) {
      const auto [ideal, start] = triangle_and_move(model, 0.03 * model.leg, engine);
      const auto shifts = shifts_of(settle, start, start);
      REQUIRE(shifts.has_value());
      const Corners expected = shake(model, start, start);
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK(length(start.at[k] + (*shifts)[k] - expected.at[k]) < 1e-12);
      }
    }
  });
}

TEST_CASE("no triangle where a step goes too far, or where the old one has no plane") {
  with_settle({16.0, 1.0, 1.0, 1.6}, [](const Settle& settle) {
    const Corners before{Vec3{}, Vec3{0.8, -0.6, 0.0}, Vec3{-0.8, -0.6, 0.0}};
    const Corners far{Vec3{}, Vec3{0.8, 0.0, 5.0}, Vec3{-0.8, 0.0, 5.0}};
    const Corners straight{Vec3{}, Vec3{1, 0, 0}, Vec3{-1, 0, 0}};
    CHECK_FALSE(shifts_of(settle, before, far).has_value());
    CHECK_FALSE(shifts_of(settle, straight, before).has_value());
    CHECK(shifts_of(settle, before, before).has_value());
  });
}
