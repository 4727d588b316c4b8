// Springs to places, on any number of ranks.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "forces/external/external_support.hpp"
#include "md/forces/external/restraints.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

const Box box{{10.0, 12.0, 14.0}, {2.0, -1.0, 1.5}};
const std::vector<double> masses{1.0, 2.5};

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

/// What rank 0 has.
std::vector<double> on_all(const comm::Context& world, const std::vector<double>& values) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  comm::broadcast(world, 0, bytes);
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// A box with a small strain: along an axis, or of x by y.
Box strained(const Box& from, int kind, double by) {
  Box to = from;
  if (kind == 3) {
    to.tilt.xy += by * from.length.y;
    to.tilt.xz += by * from.tilt.yz;
    return to;
  }
  to.length[kind] *= 1.0 + by;
  if (kind == 0) to.tilt.xy *= 1.0 + by, to.tilt.xz *= 1.0 + by;
  if (kind == 1) to.tilt.yz *= 1.0 + by;
  return to;
}

Vec3 strained(Vec3 position, int kind, double by) {
  if (kind == 3) {
    position.x += by * position.y;
  } else {
    position[kind] *= 1.0 + by;
  }
  return position;
}

/// A file that has these places of the twelve molecules, in two pieces.
std::function<void(const Restraints::TakePlaces&)> file_with(std::vector<Vec3> places,
                                                             Box box_of_file) {
  return [=](const Restraints::TakePlaces& take) {
    for (const std::size_t begin : {std::size_t{0}, places.size() / 2}) {
      const std::size_t end = begin == 0 ? places.size() / 2 : places.size();
      std::vector<Restraints::PlaceOfAtom> some;
      for (std::size_t k = begin; k < end; ++k) {
        some.push_back({100 * (static_cast<std::int64_t>(k) + 1), places[k]});
      }
      take(some, box_of_file);
    }
  };
}

}  // namespace

TEST_CASE("springs pull back to where molecules were at the start, whoever has them now") {
  const comm::Context world;
  Selection odd;
  odd.type = 1;
  const std::vector<Restraints::Restraint> springs{
      {.stiffness = 3.0, .where = odd}, {.stiffness = 5.0, .axes = {false, false, true}}};
  Restraints term(world, box, springs, masses);
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
  Restraints resumed(world, box, springs, masses);
  const std::vector<double> state = on_all(world, term.state());
  resumed.restore(state);
  resumed.rebuild(moved);
  CHECK(energy(world, resumed, moved) == energy(world, term, moved));
  Restraints other(world, box, {springs[0]}, masses);
  CHECK_THROWS_AS(other.restore(state), std::invalid_argument);
  CHECK_THROWS_AS(other.restore(std::span(state).first(state.size() - 1)), std::invalid_argument);
}

TEST_CASE("springs to one place go to its nearest image") {
  const comm::Context world;
  Restraints term(world, box, {{.stiffness = 2.0, .place = Vec3{0.21, 0.33, 0.47}}}, masses);
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

TEST_CASE("forces and the virial are derivatives of the energy, however places are scaled") {
  const comm::Context world;
  for (const ReferenceScaling scaling :
       {ReferenceScaling::none, ReferenceScaling::all, ReferenceScaling::center}) {
    for (const bool one_place : {false, true}) {
      for (const bool all_axes : {true, false}) {
        CAPTURE(static_cast<int>(scaling));
        CAPTURE(one_place);
        CAPTURE(all_axes);
        Box present = box;
        Restraints::Restraint spring{.stiffness = 3.0, .scaling = scaling, .has_virial = true};
        if (one_place) spring.place = Vec3{3.0, 4.0, 5.0};
        if (!all_axes) spring.axes = {true, false, true};
        Restraints term(world, present, {spring}, masses);
        ParticleStore store = part_of(world, false);
        term.rebuild(store);
        for (std::size_t i = 0; i < store.local_count(); ++i) {
          const double id = static_cast<double>(store.id[i]);
          const Vec3 place =
              store.position[i].vector() +
              Vec3{0.5 * std::sin(id), 0.3 * std::cos(id), 0.4 * std::sin(2.0 * id)} +
              box.translation(0.0, -1.0, 1.0);
          store.position[i] = {place.x, place.y, place.z, store.position[i].type};
          store.image[i] = {0, 1, -1};
        }
        CHECK(test::error_of_forces(term, store) < 1e-8);
        EnergyAndVirial sums;
        term.finish(store, &sums);
        comm::ReductionBatch(world, "virial").sum(sums.virial, 6).run();
        const bool symmetric = all_axes && scaling == ReferenceScaling::all;
        for (int kind = 0; kind < (symmetric ? 4 : 3); ++kind) {
          const auto energy_at = [&](double by) {
            ParticleStore moved = part_of(world, false);
            for (std::size_t i = 0; i < store.local_count(); ++i) {
              const Vec3 place = strained(store.position[i].vector(), kind, by);
              moved.position[i] = {place.x, place.y, place.z, store.position[i].type};
              moved.image[i] = store.image[i];
            }
            present = strained(box, kind, by);
            const double value = energy(world, term, moved);
            present = box;
            return value;
          };
          const double h = 1e-6;
          const double derivative = (energy_at(h) - energy_at(-h)) / (2.0 * h);
          CHECK(sums.virial[kind] == doctest::Approx(-derivative).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("places come from a file, in the image nearest to each atom, on whichever rank it is") {
  const comm::Context world;
  std::vector<Vec3> places;
  for (int id = 1; id <= 12; ++id) {
    const double x = id;
    places.push_back(Vec3{0.7 * x + 0.1, 0.9 * x, 1.1 * x} +
                     box.translation(id % 3 - 1, 1.0, -2.0));
  }
  Restraints::Restraint spring{.stiffness = 2.0, .file = "places"};
  spring.read_places = file_with(places, box);
  Restraints term(world, box, {spring}, masses);
  ParticleStore store = part_of(world, false);
  term.rebuild(store);
  CHECK(energy(world, term, store) == doctest::Approx(12 * 0.01).epsilon(1e-10));
  ParticleStore moved = part_of(world, true);
  term.rebuild(moved);
  CHECK(energy(world, term, moved) == doctest::Approx(12 * 0.01).epsilon(1e-10));

  // Without a selection those are held that the file has.
  places.resize(5);
  spring.read_places = file_with(places, box);
  Restraints some(world, box, {spring}, masses);
  some.rebuild(store);
  CHECK(energy(world, some, store) == doctest::Approx(5 * 0.01).epsilon(1e-10));
  // With one, all that are selected must be there.
  spring.where.type = 1;
  Restraints lacking(world, box, {spring}, masses);
  CHECK_THROWS_WITH_AS(lacking.rebuild(store), doctest::Contains("lacks the atom with the id"),
                       std::runtime_error);
  spring.where.type = -1;
  spring.read_places = file_with({}, box);
  Restraints none(world, box, {spring}, masses);
  CHECK_THROWS_WITH_AS(none.rebuild(store), doctest::Contains("none of the atoms"),
                       std::runtime_error);

  // Of a larger box: places that are scaled are the same fractions of this one.
  Box larger = box;
  larger.scale(1.25);
  std::vector<Vec3> far;
  for (int id = 1; id <= 12; ++id) {
    const double x = id;
    far.push_back(1.25 * (Vec3{0.7 * x, 0.9 * x, 1.1 * x} + Vec3{0.0, 0.2, 0.0}));
  }
  spring.read_places = file_with(far, larger);
  spring.scaling = ReferenceScaling::all;
  Restraints scaled(world, box, {spring}, masses);
  scaled.rebuild(store);
  CHECK(energy(world, scaled, store) == doctest::Approx(12 * 0.04).epsilon(1e-10));
}

TEST_CASE("groups select atoms of molecules, each is held by all of its springs") {
  const comm::Context world;
  const Topology none;
  const std::vector<AtomGroup::Particle> particles{
      {.name = "A", .type = "A", .molecule = "A", .residue = "A", .mass = 1.0, .charge = 0.0},
      {.name = "B", .type = "B", .molecule = "B", .residue = "B", .mass = 2.5, .charge = 0.0}};
  const auto group = [&](const char* text) {
    return AtomGroup("g", SelectionExpression(text), none, particles,
                     *UnitSystem::by_name("reduced"));
  };
  // Ids are 100 to 1200, of odd hundreds the second type. At x below 3 are the first four.
  const std::vector<Restraints::Restraint> springs{
      {.stiffness = 2.0, .groups = {group("prop mass > 1.5 and id 100:700")}},
      {.stiffness = 200.0, .groups = {group("id 1200"), group("id 100 200")}},
      {.stiffness = 20000.0, .groups = {group("prop x < 3.0")}}};
  Restraints term(world, box, springs, masses);
  ParticleStore store = part_of(world, false);
  term.rebuild(store);
  ParticleStore moved = part_of(world, true);
  for (std::size_t i = 0; i < moved.local_count(); ++i) moved.position[i].z += 0.1;
  term.rebuild(moved);
  CHECK(energy(world, term, moved) ==
        doctest::Approx(0.01 * (4 * 1.0 + 3 * 100.0 + 4 * 10000.0)).epsilon(1e-10));
  CHECK(term.verdicts().size() == 2);
}

TEST_CASE("the center of the places goes with the box, and they keep their distances from it") {
  const comm::Context world;
  Box present{{10.0, 12.0, 14.0}};
  Restraints term(world, present, {{.stiffness = 2.0, .scaling = ReferenceScaling::center}},
                  masses);
  ParticleStore store = part_of(world, false);
  term.rebuild(store);
  // Weighed by mass: odd ids weigh 2.5, even ones 1.
  double weight = 0.0, center = 0.0;
  for (int id = 1; id <= 12; ++id) {
    const double mass = id % 2 == 1 ? 2.5 : 1.0;
    weight += mass;
    center += mass * 0.7 * id / 1.0;
  }
  center /= weight;
  present.length.x = 11.0;
  // Atoms that move with the center feel nothing.
  for (std::size_t i = 0; i < store.local_count(); ++i) store.position[i].x += 0.1 * center;
  CHECK(std::fabs(energy(world, term, store)) < 1e-20);
}

TEST_CASE("a checkpoint of the first format has the same springs") {
  const comm::Context world;
  Restraints term(world, box, {{.stiffness = 2.0}}, masses);
  term.restore(std::vector<double>{2.0, 100.0, 0.7, 0.9, 1.0, 200.0, 1.4, 1.8, 2.0});
  ParticleStore store = part_of(world, false);
  term.rebuild(store);
  CHECK(energy(world, term, store) == doctest::Approx(0.01 + 0.04).epsilon(1e-10));
}
