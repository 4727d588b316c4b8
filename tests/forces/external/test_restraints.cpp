// Springs to places, on any number of ranks.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "forces/external/external_support.hpp"
#include "md/forces/external/restraints.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

const Box box{{10.0, 12.0, 14.0}, {2.0, -1.0, 1.5}};

/// Twelve molecules, of which each rank has its part, or the last rank all.
ParticleStore part_of(const comm::Context& world, bool all_on_last) {
  std::vector<Vec3> places;
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 1; id <= 12; ++id) {
    const bool mine =
        all_on_last ? world.rank() == world.size() - 1 : id % world.size() == world.rank();
    if (!mine) continue;
    const double x = static_cast<double>(id);
    places.push_back({0.7 * x, 0.9 * x, 1.1 * x});
    ids.push_back(100 * id);
  }
  ParticleStore store = test::molecules_at(places);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    store.id[i] = ids[i];
    store.position[i].type = (ids[i] / 100) % 2;
  }
  return store;
}

double energy(const comm::Context& world, Restraints& term, ParticleStore& store) {
  double sum = test::energy_of(term, store);
  comm::ReductionBatch batch(world, "energy");
  batch.sum(sum).run();
  return sum;
}

}  // namespace

TEST_CASE("springs pull back to where molecules were at the start, whoever has them now") {
  const comm::Context world;
  Selection odd;
  odd.type = 1;
  const std::vector<Restraints::Restraint> springs{
      {.stiffness = 3.0, .where = odd}, {.stiffness = 5.0, .axes = {false, false, true}}};
  Restraints term(world, box, springs);
  ParticleStore store = part_of(world, false);
  term.rebuild(store);
  CHECK(energy(world, term, store) == 0.0);
  // All go to the last rank and away from their places, through a face of the box.
  ParticleStore moved = part_of(world, true);
  for (std::size_t i = 0; i < moved.local_count(); ++i) {
    const Vec3 place =
        moved.position[i].vector() + Vec3{0.3, -0.2, 0.1} - box.translation(1.0, 0.0, -1.0);
    moved.position[i] = {place.x, place.y, place.z, moved.position[i].type};
    moved.image[i] = {1, 0, -1};
  }
  term.rebuild(moved);
  const double of_one = 0.5 * 3.0 * (0.09 + 0.04 + 0.01), of_all = 0.5 * 5.0 * 0.01;
  CHECK(energy(world, term, moved) == doctest::Approx(6.0 * of_one + 12.0 * of_all).epsilon(1e-10));
  CHECK(test::error_of_forces(term, moved) < 1e-8);

  // A resumed run knows the places of the start.
  Restraints resumed(world, box, springs);
  resumed.restore(term.state());
  resumed.rebuild(moved);
  CHECK(energy(world, resumed, moved) == energy(world, term, moved));
  Restraints other(world, box, {springs[0]});
  CHECK_THROWS_AS(other.restore(term.state()), std::invalid_argument);
}

TEST_CASE("springs to one place go to its nearest image") {
  const comm::Context world;
  Restraints term(world, box, {{.stiffness = 2.0, .place = Vec3{0.21, 0.33, 0.47}}});
  ParticleStore store = part_of(world, true);
  term.rebuild(store);
  CHECK(test::error_of_forces(term, store) < 1e-8);
  if (store.local_count() == 0) return;
  const Vec3 beyond =
      Vec3{0.21, 0.33, 0.47} + Vec3{-0.5, 0.0, 0.0} + box.translation(1.0, 1.0, 1.0);
  store.position[0] = {beyond.x, beyond.y, beyond.z, 0};
  test::energy_of(term, store);
  CHECK(store.force[0].x == doctest::Approx(1.0).epsilon(1e-9));
  CHECK(std::fabs(store.force[0].y) < 1e-12);
}
