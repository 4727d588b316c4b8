// What every kind of collective variable must do, on any number of ranks.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "forces/bias/bias_support.hpp"
#include "md/core/cross_product.hpp"
#include "md/core/quaternion.hpp"
#include "sterna/comm/context.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

Vec3 center_of(const test::Atoms& atoms, std::size_t group) {
  Vec3 sum;
  double mass = 0.0;
  for (std::size_t k = 0; k < test::atoms_of_group; ++k) {
    const std::size_t i = group * test::atoms_of_group + k;
    sum += atoms.mass(i) * atoms.places[i];
    mass += atoms.mass(i);
  }
  return (1.0 / mass) * sum;
}

Vec3 solve(const double (&m)[3][3], const Vec3& b) {
  const Vec3 x{m[0][0], m[1][0], m[2][0]}, y{m[0][1], m[1][1], m[2][1]},
      z{m[0][2], m[1][2], m[2][2]};
  const double determinant = dot(x, cross(y, z));
  return (1.0 / determinant) * Vec3{dot(b, cross(y, z)), dot(x, cross(b, z)), dot(x, cross(y, b))};
}

/// The deviation after the best rotation, which small rotations approach until none is better.
double deviation(const test::Atoms& atoms, const test::Atoms& start) {
  std::vector<Vec3> here, there;
  Vec3 middle, middle_there;
  const auto count = static_cast<double>(test::atoms_of_group);
  for (std::size_t i = 0; i < test::atoms_of_group; ++i) {
    middle += (1.0 / count) * atoms.places[i];
    middle_there += (1.0 / count) * start.places[i];
  }
  for (std::size_t i = 0; i < test::atoms_of_group; ++i) {
    here.push_back(atoms.places[i] - middle);
    there.push_back(start.places[i] - middle_there);
  }
  for (int pass = 0; pass < 60; ++pass) {
    double m[3][3] = {};
    Vec3 torque;
    for (std::size_t i = 0; i < here.size(); ++i) {
      for (int a = 0; a < 3; ++a) {
        m[a][a] += dot(there[i], here[i]);
        for (int b = 0; b < 3; ++b) {
          m[a][b] -= 0.5 * (there[i][a] * here[i][b] + there[i][b] * here[i][a]);
        }
      }
      torque += cross(there[i], here[i]);
    }
    const Vec3 turn = solve(m, torque);
    const Quaternion small = Quaternion{1.0, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z}.normalized();
    for (Vec3& place : there) place = small.to_lab(place);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const Vec3 away = here[i] - there[i];
    sum += dot(away, away);
  }
  return std::sqrt(sum / count);
}

/// The value by its definition, of atoms that no box repeats. `start`: for deviations.
double defined(const std::string& kind, const test::Atoms& atoms, const test::Atoms& start) {
  std::vector<Vec3> c;
  for (std::size_t g = 0; g < 4; ++g) c.push_back(center_of(atoms, g));
  if (kind == "distance") return length(c[1] - c[0]);
  if (kind == "position") {
    // Along z, where no other edge leans.
    return c[0].z - std::floor(c[0].z / atoms.box.length.z) * atoms.box.length.z;
  }
  if (kind == "angle") {
    const Vec3 a = c[0] - c[1], b = c[2] - c[1];
    return std::acos(dot(a, b) / (length(a) * length(b)));
  }
  if (kind == "torsion") {
    const Vec3 n = cross(c[1] - c[0], c[2] - c[1]), m = cross(c[2] - c[1], c[3] - c[2]);
    const double angle = std::acos(dot(n, m) / (length(n) * length(m)));
    return dot(n, c[3] - c[2]) > 0.0 ? angle : -angle;
  }
  if (kind == "radius_of_gyration") {
    double sum = 0.0, mass = 0.0;
    for (std::size_t i = 0; i < test::atoms_of_group; ++i) {
      const Vec3 away = atoms.places[i] - c[0];
      sum += atoms.mass(i) * dot(away, away);
      mass += atoms.mass(i);
    }
    return std::sqrt(sum / mass);
  }
  if (kind == "coordination") {
    double sum = 0.0;
    for (std::size_t i = 0; i < test::atoms_of_group; ++i) {
      for (std::size_t k = 0; k < test::atoms_of_group; ++k) {
        const double x = length(atoms.places[i] - atoms.places[test::atoms_of_group + k]) / 1.3;
        sum += 1.0 / (1.0 + std::pow(x, 6));
      }
    }
    return sum;
  }
  if (kind == "rmsd") return deviation(atoms, start);
  FAIL("a kind of variable has no definition in this test: " << kind);
  return 0.0;
}

BiasOptions spring(double center, double stiffness) {
  BiasOptions options;
  options.name = "b";
  options.kind = "harmonic";
  options.variables = {{.index = 0, .name = "x"}};
  options.center = center;
  options.stiffness = stiffness;
  return options;
}

/// Moves the atoms of the four groups, all in another way.
void disturb(test::Atoms& atoms) {
  RandomStream stream(12, RandomPurpose::velocity);
  for (std::size_t i = 0; i < atoms.places.size(); ++i) {
    RandomSequence random = stream.sequence(i + 1, 0);
    const double x = test::uniform(random), y = test::uniform(random), z = test::uniform(random);
    atoms.places[i] += 0.3 * Vec3{x, y, z};
  }
}

void strain(test::Atoms& atoms, const test::Atoms& from, int a, int b, double by) {
  // Only strains that keep the box's form: a is not behind b.
  const auto sheared = [&](Vec3 v) {
    v[a] += by * v[b];
    return v;
  };
  for (std::size_t i = 0; i < atoms.places.size(); ++i) atoms.places[i] = sheared(from.places[i]);
  const auto edges = from.box.edges();
  const Vec3 x = sheared(edges[0]), y = sheared(edges[1]), z = sheared(edges[2]);
  atoms.box = {{x.x, y.y, z.z}, {y.x, z.x, z.y}};
}

}  // namespace

TEST_CASE("values are those of the definitions, for each kind and any number of ranks") {
  const comm::Context world;
  for (const VariableRow& row : variable_table()) {
    CAPTURE(std::string(row.name));
    const std::string kind(row.name);
    const test::Atoms start = test::four_groups();
    test::BiasedAtoms biased(world, start, {test::variable_of(kind, row.least_groups)}, {});
    biased.at_step(0);
    disturb(biased.atoms);
    biased.at_step(1);
    const double wanted = defined(kind, biased.atoms, start);
    CHECK(biased.term->values()[0] == doctest::Approx(wanted).epsilon(1e-12));
    // Whole groups that a lattice vector moves, and the next step.
    for (std::size_t i = 0; i < test::atoms_of_group; ++i) {
      biased.atoms.places[i] += biased.atoms.box.translation(1.0, -1.0, 0.0);
    }
    biased.at_step(2);
    CHECK(biased.term->values()[0] == doctest::Approx(wanted).epsilon(1e-11));
  }
}

TEST_CASE("forces and virial are derivatives of the energy, for each kind") {
  const comm::Context world;
  for (const VariableRow& row : variable_table()) {
    CAPTURE(std::string(row.name));
    const std::string kind(row.name);
    // A position has a virial only where it counts from a second group.
    const std::size_t groups = kind == "position" ? 2 : row.least_groups;
    test::BiasedAtoms biased(world, test::four_groups(), {test::variable_of(kind, groups)},
                             {spring(0.4, 3.0)});
    biased.at_step(0);
    disturb(biased.atoms);
    const test::Whole whole = biased.at_step(1);
    CHECK(whole.energy > 1e-3);
    const test::Atoms kept = biased.atoms;
    const double h = 1e-5;
    double largest = 0.0;
    const std::size_t every = world.size() > 3 ? 5 : 1;
    for (std::size_t i = 0; i < kept.places.size(); i += every) {
      for (int axis = 0; axis < 3; ++axis) {
        biased.atoms.places[i][axis] = kept.places[i][axis] + h;
        const double up = biased.at_step(1).energy;
        biased.atoms.places[i][axis] = kept.places[i][axis] - h;
        const double down = biased.at_step(1).energy;
        biased.atoms.places[i][axis] = kept.places[i][axis];
        largest = std::max(largest, std::abs((down - up) / (2.0 * h) - whole.forces[i][axis]));
      }
    }
    CHECK(largest < 1e-7);
    // xx yy zz xy xz yz: a shear that moves a by b.
    const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
      strain(biased.atoms, kept, first[k], second[k], h);
      const double up = biased.at_step(1).energy;
      strain(biased.atoms, kept, first[k], second[k], -h);
      const double down = biased.at_step(1).energy;
      CHECK(whole.virial[k] == doctest::Approx((down - up) / (2.0 * h)).epsilon(1e-7));
    }
  }
}

TEST_CASE("what is invariant stays: shifts, rotations; then forces have no sum, no torque") {
  const comm::Context world;
  for (const VariableRow& row : variable_table()) {
    CAPTURE(std::string(row.name));
    const std::string kind(row.name);
    const std::size_t groups = row.most_groups;
    test::BiasedAtoms biased(world, test::four_groups(), {test::variable_of(kind, groups)},
                             {spring(0.4, 3.0)});
    biased.at_step(0);
    disturb(biased.atoms);
    const test::Whole whole = biased.at_step(1);
    const double value = biased.term->values()[0];
    CHECK(biased.term->keeps_momentum() == row.is_translation_invariant(groups));
    Vec3 sum, torque;
    for (std::size_t i = 0; i < biased.atoms.places.size(); ++i) {
      sum += whole.forces[i];
      torque += cross(biased.atoms.places[i], whole.forces[i]);
    }
    if (row.is_translation_invariant(groups)) {
      CHECK(length(sum) < 1e-12);
      for (Vec3& place : biased.atoms.places) place += Vec3{0.4, -0.3, 0.7};
      biased.at_step(2);
      CHECK(biased.term->values()[0] == doctest::Approx(value).epsilon(1e-12));
    }
    if (row.is_rotation_invariant) {
      CHECK(length(torque) < 1e-11);
      const Quaternion turn = Quaternion{0.9, 0.2, -0.3, 0.1}.normalized();
      for (Vec3& place : biased.atoms.places) place = turn.to_lab(place);
      biased.at_step(3);
      CHECK(biased.term->values()[0] == doctest::Approx(value).epsilon(1e-11));
    }
  }
  // A position of one group is not invariant, and says so.
  test::BiasedAtoms absolute(world, test::four_groups(), {test::variable_of("position", 1)},
                             {spring(0.4, 3.0)});
  CHECK_FALSE(absolute.term->keeps_momentum());
}

TEST_CASE("a coordination number ends smoothly at its cutoff, and near its radius") {
  const comm::Context world;
  for (const double cutoff : {0.0, 2.0}) {
    test::Atoms two{{{20.0, 20.0, 20.0}, {}}, {{1.0, 1.0, 1.0}, {2.0, 1.0, 1.0}}};
    BiasForces::Variable variable;
    variable.options.name = "x";
    variable.options.kind = "coordination";
    variable.options.groups = {"a", "b"};
    variable.options.radius = 1.0;
    variable.options.power = 7;
    variable.options.lower_power = 10;
    variable.options.cutoff = cutoff;
    variable.groups = {test::group_of_ids("id 1"), test::group_of_ids("id 2")};
    test::BiasedAtoms biased(world, two, {variable}, {});
    const auto at = [&](double r) {
      biased.atoms.places[1].x = 1.0 + r;
      biased.at_step(1);
      return biased.term->values()[0];
    };
    const auto plain = [](double r) { return (1.0 - std::pow(r, 7)) / (1.0 - std::pow(r, 10)); };
    const double end = cutoff > 0.0 ? plain(cutoff) : 0.0;
    for (const double r : {0.3, 0.9, 0.999, 1.001, 1.5, 1.99}) {
      CHECK(at(r) == doctest::Approx((plain(r) - end) / (1.0 - end)).epsilon(1e-10));
    }
    CHECK(at(1.0) == doctest::Approx((0.7 - end) / (1.0 - end)).epsilon(1e-12));
    CHECK(at(1.0 + 1e-9) == doctest::Approx(at(1.0)).epsilon(1e-7));
    if (cutoff > 0.0) CHECK(at(2.0 - 1e-9) == doctest::Approx(0.0).epsilon(1e-7));
    if (cutoff > 0.0) CHECK(at(2.5) == 0.0);
  }
}

TEST_CASE("a group that is as wide as the box is refused on all ranks") {
  const comm::Context world;
  test::Atoms wide{{{10.0, 10.0, 10.0}, {}}, {{1.0, 1.0, 1.0}, {5.6, 1.0, 1.0}, {9.0, 1.0, 1.0}}};
  BiasForces::Variable variable;
  variable.options.name = "x";
  variable.options.kind = "radius_of_gyration";
  variable.options.groups = {"a"};
  variable.groups = {test::group_of_ids("id 1:3")};
  test::BiasedAtoms biased(world, wide, {variable}, {});
  CHECK_THROWS_WITH_AS(biased.at_step(0), doctest::Contains("boxes from its center"),
                       std::runtime_error);
  // Along an axis that does not matter, it may be.
  variable.options.kind = "position";
  variable.options.axis = Axis::z;
  test::BiasedAtoms along_z(world, wide, {variable}, {});
  along_z.at_step(0);
  CHECK(along_z.term->values()[0] == doctest::Approx(1.0).epsilon(1e-12));
  variable.groups = {test::group_of_ids("id 17")};
  test::BiasedAtoms empty(world, wide, {variable}, {});
  CHECK_THROWS_WITH_AS(empty.at_step(0), doctest::Contains("has no atom"), std::runtime_error);
}
