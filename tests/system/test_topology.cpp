#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "md/system/chemical_bonds.hpp"
#include "md/system/molecule_places.hpp"
#include "md/system/topology.hpp"

using namespace sterna::md;

namespace {

/// 3 molecules of 4 atoms, 1000 of 3 atoms, 2 of 4 atoms.
Topology topology() {
  Topology::Molecule chain{.name = "chain",
                           .atoms = {{"A", 0, 0.0}, {"B", 1, 0.5}, {"C", 1, -0.5}, {"D", 0, 0.0}},
                           .terms = {{0, 0, 2, {0, 1}}, {0, 0, 2, {1, 2}}, {1, 0, 3, {1, 2, 3}}},
                           .bonds = {{0, 1}, {1, 2}, {2, 3}},
                           .exclusions = {{0, 1}, {1, 2}, {0, 3}},
                           .constraints = {{{0, 1}, 0.1}},
                           .virtual_sites = {}};
  Topology::Molecule water{.name = "water",
                           .atoms = {{"O", 2, -0.8}, {"H", 3, 0.4}, {"H", 3, 0.4}},
                           .terms = {},
                           .bonds = {},
                           .exclusions = {},
                           .constraints = {},
                           .virtual_sites = {}};
  return Topology({chain, water}, {{0, 3}, {1, 1000}, {0, 2}}, {{1.0, 2.0}, {3.0}});
}

}  // namespace

TEST_CASE("molecule and place of an atom follow from its id") {
  const Topology molecules = topology();
  CHECK(molecules.atom_count() == 3 * 4 + 1000 * 3 + 2 * 4);
  CHECK(molecules.molecule_count() == 1005);
  std::int64_t id = 1, number = 1;
  for (const Topology::Run& run : molecules.runs()) {
    const auto& atoms = molecules.molecules()[run.molecule].atoms;
    for (std::int64_t n = 0; n < run.count; ++n, ++number) {
      const std::int64_t first = id;
      for (std::size_t a = 0; a < atoms.size(); ++a, ++id) {
        const Topology::Place place = molecules.place_of(id);
        const bool right = place.molecule == run.molecule &&
                           place.atom == static_cast<std::int32_t>(a) && place.first_id == first &&
                           place.molecule_number == number;
        CHECK(right);
      }
    }
  }
  CHECK(molecules.description(13) == "atom 1 (O, id 13) of molecule 4 (water)");
  CHECK(molecules.description(3020) == "atom 4 (D, id 3020) of molecule 1005 (chain)");
}

TEST_CASE("each atom knows its terms and whom it is excluded from") {
  const Topology molecules = topology();
  const auto list = [](std::span<const std::uint32_t> items) {
    return std::vector<std::uint32_t>(items.begin(), items.end());
  };
  const auto terms = [&](std::int64_t id) {
    return list(molecules.terms_of(molecules.place_of(id)));
  };
  const auto exclusions = [&](std::int64_t id) {
    return list(molecules.exclusions_of(molecules.place_of(id)));
  };
  using List = std::vector<std::uint32_t>;
  CHECK(terms(5) == List{0});
  CHECK(terms(6) == List{0, 1, 2});
  CHECK(terms(8) == List{2});
  CHECK(terms(100).empty());
  CHECK(exclusions(5) == List{1, 3});
  CHECK(exclusions(6) == List{0, 2});
  CHECK(exclusions(8) == List{0});
  CHECK(molecules.has_terms(1));
  CHECK_FALSE(molecules.has_terms(2));
  CHECK(molecules.has_charges());
}

TEST_CASE("of several images the nearest one is found, where it is there") {
  const Topology molecules = topology();
  const Box box{{10.0, 10.0, 10.0}};
  ParticleStore particles;
  particles.set_ghost_ids(true);
  particles.resize_local(2);
  particles.resize_ghosts(2);
  const auto place = [&](std::size_t i, std::int64_t id, const Vec3& at) {
    particles.position[i] = {at.x, at.y, at.z, 0};
    particles.id[i] = id;
  };
  place(0, 5, {0.5, 5, 5});
  place(1, 6, {9.5, 5, 5});
  place(2, 6, {-0.5, 5, 5});  // its image
  place(3, 7, {4.0, 5, 5});
  MoleculePlaces places(molecules, box);
  places.rebuild(particles);
  CHECK(places.nearest(6, {0.5, 5, 5}) == 2u);
  CHECK(places.nearest(6, {9.0, 5, 5}) == 1u);
  CHECK(places.nearest(7, {0.5, 5, 5}) == 3u);
  // The image of atom 7 that is nearest to there is not in this store.
  CHECK_FALSE(places.nearest(7, {9.5, 5, 5}));
  CHECK_FALSE(places.nearest(8, {0.5, 5, 5}));
  CHECK(places.local(6) == 1u);
  CHECK_FALSE(places.local(7));
  CHECK(places.missing(5, 8, 3).starts_with(
      "rank 3 has atom 1 (A, id 5) of molecule 2 (chain) but not atom 4 (D, id 8) of molecule 2"));
}

TEST_CASE("constraints take the degrees of freedom that a rigid body lacks") {
  struct Body {
    std::vector<Vec3> points;
    std::int64_t degrees_of_freedom;
  };
  const Body bodies[] = {
      {{{0, 0, 0}, {1, 0, 0}}, 5},
      {{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 5},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 6},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, 6},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 6},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, 6},
  };
  constexpr std::int64_t count = 7;
  for (const Body& body : bodies) {
    const auto atoms = static_cast<std::int64_t>(body.points.size());
    CAPTURE(atoms);
    Topology::Molecule molecule{.name = "body",
                                .atoms = {},
                                .terms = {},
                                .bonds = {},
                                .exclusions = {},
                                .constraints = {},
                                .virtual_sites = {}};
    for (std::int32_t a = 0; a < atoms; ++a) {
      molecule.atoms.push_back({"A", a == 0 ? 1 : 0, 0.0});
      for (std::int32_t b = 0; b < a; ++b) {
        const Vec3 apart =
            body.points[static_cast<std::size_t>(a)] - body.points[static_cast<std::size_t>(b)];
        molecule.constraints.push_back({{b, a}, std::sqrt(dot(apart, apart))});
      }
    }
    const auto constraints = static_cast<std::int64_t>(molecule.constraints.size());
    const Topology all({molecule}, {{0, count}}, {});
    CHECK(3 * atoms * count - all.constraint_count() == count * body.degrees_of_freedom);
    double sum = 0.0;
    for (std::int64_t id = 1; id <= atoms; ++id) sum += all.degrees_of(id);
    CHECK(sum == doctest::Approx(static_cast<double>(body.degrees_of_freedom)).epsilon(1e-12));
    // About a fixed atom each constraint takes what it says.
    const char frozen[] = {0, 1};
    CHECK(all.constraint_count(frozen) == count * constraints);
    CHECK(all.degrees_of(2, frozen) <= 2.0);
  }
}

TEST_CASE("constraints count as bonds, but for the longest side of a triangle") {
  using Pairs = std::vector<Topology::Pair>;
  Topology::Molecule water{.name = "water",
                           .atoms = {{"O", 0, 0.0}, {"H", 1, 0.0}, {"H", 1, 0.0}},
                           .terms = {},
                           .bonds = {},
                           .exclusions = {},
                           .constraints = {{{1, 2}, 0.163}, {{0, 2}, 0.1}, {{0, 1}, 0.1}},
                           .virtual_sites = {}};
  CHECK(chemical_bonds(water) == Pairs{{0, 1}, {0, 2}});
  // A ring of three is one.
  water.constraints[0].distance = 0.102;
  CHECK(chemical_bonds(water) == Pairs{{0, 1}, {0, 2}, {1, 2}});
  // Bonds that are constrained, too, count once, whatever their order.
  Topology::Molecule chain = water;
  chain.bonds = {{1, 0}};
  chain.constraints = {{{0, 1}, 0.1}, {{1, 2}, 0.1}};
  CHECK(chemical_bonds(chain) == Pairs{{0, 1}, {1, 2}});
  // A bond is one, however long it is.
  chain.bonds = {{0, 1}, {1, 2}, {0, 2}};
  chain.constraints.clear();
  CHECK(chemical_bonds(chain) == Pairs{{0, 1}, {0, 2}, {1, 2}});
}
