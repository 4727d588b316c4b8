// Molecules on several ranks: each is computed by one of them, and what acts on its atoms reaches
// the ranks that have these.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "domain/domain_support.hpp"
#include "md/domain/halo.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;
using namespace sterna::md::test;

namespace {

constexpr std::int64_t count_of_short = 120, count_of_long = 2;
constexpr int short_atoms = 5, long_atoms = 30;

Topology topology() {
  const auto molecule = [](const std::string& name, int atoms) {
    Topology::Molecule result;
    result.name = name;
    for (int k = 0; k < atoms; ++k) result.atoms.push_back({"A", k == 2 ? 1 : 0, 0.0});
    return result;
  };
  return {{molecule("short", short_atoms), molecule("long", long_atoms)},
          {{0, count_of_short}, {1, count_of_long}},
          {}};
}

/// By id less one, which is also the type: chains with steps of this length.
std::vector<Position> positions(const Box& box, double step) {
  std::vector<Position> all;
  const auto add_chain = [&](int atoms) {
    Vec3 at;
    for (int k = 0; k < atoms; ++k) {
      const std::size_t id = all.size();
      for (int axis = 0; axis < 3; ++axis) {
        const double u = uniform(id, 20 + static_cast<std::uint64_t>(axis));
        at[axis] = k == 0 ? u * box.length[axis] : at[axis] + step * (u - 0.5);
      }
      // A long one goes around the box.
      if (atoms == long_atoms) at.x += 0.5 * step;
      int image[3];
      const Vec3 w = box.wrap(at, image);
      all.push_back({w.x, w.y, w.z, static_cast<std::int64_t>(id)});
    }
  };
  for (std::int64_t m = 0; m < count_of_short; ++m) add_chain(short_atoms);
  for (std::int64_t m = 0; m < count_of_long; ++m) add_chain(long_atoms);
  return all;
}

/// A rank's particles, and what it finds.
struct Rank {
  Rank(const comm::Context& context, const RegularGrid& grid, const std::string& halo_route,
       const std::vector<Position>& all, const std::vector<char>& without_return)
      : topology(::topology()),
        places(topology, grid.box()),
        halo(context, grid, width, options(halo_route)) {
    particles.set_ghost_ids(true);
    for (const Position& p : all) {
      if (grid.owner(p.vector()) != context.rank()) continue;
      particles.resize_local(particles.local_count() + 1);
      particles.position[particles.local_count() - 1] = p;
      particles.id[particles.local_count() - 1] = p.type + 1;
    }
    halo.rebuild(particles);
    const std::vector<char> half = halo.half_shell();
    std::vector<std::uint32_t> slots;
    std::vector<char> by_place;
    for (std::size_t k = half.size(); k-- > 0;) {
      slots.push_back(static_cast<std::uint32_t>(k));
      by_place.push_back(half[k]);
    }
    halo.order_ghosts(particles, slots);
    places.rebuild(particles);
    places.spanning().find(context, places, particles, by_place, without_return);
    places.spanning().take_positions(particles);
  }

  static constexpr double width = 2.5;
  /// Others than those of the half shell are seen less far, which must not matter.
  static HaloOptions options(const std::string& route) {
    HaloOptions options{.route = route, .ghost_forces = GhostForces::half_shell};
    options.narrow_other_half = true;
    options.narrow_width = 0.2;
    return options;
  }

  Topology topology;
  MoleculePlaces places;
  Halo halo;
  ParticleStore particles;
};

}  // namespace

TEST_CASE("each molecule is computed once, and its forces reach all of its ranks") {
  const comm::Context context;
  const int ranks = context.size();
  struct Setup {
    Vec3 length;
    std::array<int, 3> grid;
    double step;
  };
  const Setup setups[] = {
      {{12, 11, 10}, {0, 0, 0}, 0.9}, {{9, 8, 8}, {ranks, 1, 1}, 0.9}, {{4, 4, 4}, {0, 0, 0}, 0.4}};
  for (const Setup& setup : setups) {
    for (const char* halo_route : {"direct", "staged"}) {
      CAPTURE(setup.step);
      CAPTURE(halo_route);
      const RegularGrid grid({setup.length}, ranks, setup.grid);
      const std::vector<Position> all = positions(grid.box(), setup.step);
      Rank rank(context, grid, halo_route, all, {});
      SpanningMolecules& spanning = rank.places.spanning();
      AlignedBuffer<double> room;

      std::vector<double> computed(count_of_short, 0.0);
      for (const std::uint32_t place : rank.places.whole(0)) {
        const auto atom = static_cast<std::size_t>(rank.particles.id[place] - 1);
        if (atom % short_atoms == 0) computed[atom / short_atoms] += 1.0;
      }
      const MoleculeBatch batch = spanning.of_kind(0, room);
      std::size_t torn = 0;
      for (std::size_t k = 0; k < batch.count * batch.atoms; ++k) {
        const Position& at = batch.position[batch.places[k]];
        if (k % batch.atoms == 0) {
          computed[static_cast<std::size_t>(at.type) / short_atoms] += 1.0;
        } else {
          const Position& before = batch.position[batch.places[k - 1]];
          const Vec3 d = at.vector() - before.vector();
          torn += at.type != before.type + 1 || std::sqrt(dot(d, d)) > setup.step;
        }
      }
      CHECK(torn == 0);
      comm::ReductionBatch sums(context, "molecules");
      std::int64_t spanning_count = static_cast<std::int64_t>(batch.count);
      sums.sum(computed.data(), computed.size()).sum(spanning_count).run();
      CHECK(computed == std::vector<double>(count_of_short, 1.0));
      // One rank sees them from their first atoms, unless images come from the narrow width.
      CHECK((spanning_count > 0) == (ranks > 1 || halo_route == std::string("direct")));
      // Nobody sees the long ones as a whole.
      CHECK(spanning.of_kind(1, room).count == 0);

      // Some bits for each particle, so that sums tell who added what.
      const auto force_on = [](std::int64_t number) {
        return Vec3{1.0, static_cast<double>(number), -3.0};
      };
      for (std::size_t k = 0; k < batch.count * batch.atoms; ++k) {
        batch.force[k] += force_on(batch.position[k].type);
      }
      constexpr double unit = 0.25;
      std::vector<SingleForce> forces(rank.particles.total_count());
      const CollectedForces collected{.forces = std::span(forces), .unit = unit};
      spanning.add_forces(collected);
      rank.halo.start_forces(rank.particles, collected);
      rank.halo.finish_forces(rank.particles, collected);
      std::size_t wrong = 0;
      for (std::uint32_t i = 0; i < rank.particles.local_count(); ++i) {
        const Vec3 force{static_cast<double>(forces[i].x), static_cast<double>(forces[i].y),
                         static_cast<double>(forces[i].z)};
        const bool is_long = rank.particles.id[i] > count_of_short * short_atoms;
        if (is_long) CHECK_FALSE(spanning.has(i));
        const Vec3 expected = spanning.has(i) ? force_on(rank.particles.position[i].type) : Vec3{};
        wrong += unit * force != expected;
        if (!is_long) wrong += spanning.has(i) == rank.places.in_whole(i);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("molecules with atoms whose ghosts get no forces back are not shared out") {
  const comm::Context context;
  const RegularGrid grid({{12, 11, 10}}, context.size(), {0, 0, 0});
  Rank rank(context, grid, "direct", positions(grid.box(), 0.9), {0, 1});
  AlignedBuffer<double> room;
  CHECK(rank.places.spanning().of_kind(0, room).count == 0);
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < rank.particles.local_count(); ++i) {
    found += rank.places.spanning().has(i);
  }
  CHECK(found == 0);
}
