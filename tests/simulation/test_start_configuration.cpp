#include "md/simulation/starting/start_configuration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "md/domain/regular_grid.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/published_components.hpp"
#include "md/input/read_input.hpp"
#include "md/simulation/starting/start_orientation.hpp"
#include "md/simulation/starting/start_velocity.hpp"

using namespace sterna::md;

namespace {

const std::vector<double> one_type{1.0};

std::vector<ParticleRecord> particles_in(const StartConfiguration& start, const Region& region) {
  std::vector<ParticleRecord> particles;
  start.visit(region, [&](const ParticleRecord& p) { particles.push_back(p); });
  return particles;
}

/// In the order of their ids; empty where those are not 1 ... N.
std::vector<ParticleRecord> in_order(const std::vector<ParticleRecord>& particles) {
  std::vector<ParticleRecord> ordered(particles.size());
  std::vector<bool> seen(particles.size(), false);
  for (const ParticleRecord& p : particles) {
    const auto place = static_cast<std::size_t>(p.id - 1);
    if (place >= seen.size() || seen[place]) return {};
    seen[place] = true;
    ordered[place] = p;
  }
  return ordered;
}

std::vector<ParticleRecord> all(const StartConfiguration& start) {
  return in_order(particles_in(start, {{0, 0, 0}, start.box().length}));
}

double distance(const Vec3& a, const Vec3& b, const Box& box) {
  double square = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double d = a[axis] - b[axis];
    d -= box.length[axis] * std::nearbyint(d / box.length[axis]);
    square += d * d;
  }
  return std::sqrt(square);
}

double smallest_distance(const std::vector<ParticleRecord>& particles, const Box& box) {
  double smallest = 1e300;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      smallest = std::min(
          smallest, distance(particles[i].position.vector(), particles[j].position.vector(), box));
    }
  }
  return smallest;
}

bool same(const ParticleRecord& a, const ParticleRecord& b) {
  return a.id == b.id && a.position.vector() == b.position.vector() &&
         a.position.type == b.position.type;
}

/// Ids are 1 ... N, positions are wrapped, type counts hold, and every division of the box gives
/// the same particles, each to one rank.
void check_sound(const StartConfiguration& start) {
  const auto particles = all(start);
  REQUIRE(static_cast<std::int64_t>(particles.size()) == start.particle_count());
  std::vector<std::int64_t> counts(start.type_counts().size(), 0);
  const Region whole{{0, 0, 0}, start.box().length};
  bool sound = true;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    sound = sound && particles[i].id == static_cast<std::int64_t>(i) + 1 &&
            whole.contains(particles[i].position.vector());
    ++counts[static_cast<std::size_t>(particles[i].position.type)];
  }
  CHECK(sound);
  CHECK(counts == start.type_counts());
  for (const int ranks : {2, 3, 8, 30}) {
    CAPTURE(ranks);
    const RegularGrid grid(start.box(), ranks);
    std::vector<ParticleRecord> together;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto local = particles_in(start, grid.region(rank));
      together.insert(together.end(), local.begin(), local.end());
    }
    together = in_order(together);
    REQUIRE(together.size() == particles.size());
    CHECK(std::equal(together.begin(), together.end(), particles.begin(), same));
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a full fcc lattice") {
  const auto start = StartConfiguration::lattice(CrystalLattice::face_centered_cubic, {3, 4, 5},
                                                 0.8442, one_type, 1);
  check_sound(start);
  CHECK(start.particle_count() == 240);
  CHECK(240.0 / start.box().volume() == doctest::Approx(0.8442).epsilon(1e-14));
  const double edge = std::cbrt(4.0 / 0.8442);
  CHECK(start.box().length.y == doctest::Approx(4.0 * edge).epsilon(1e-14));
  const auto particles = all(start);
  CHECK(particles[0].position.x == doctest::Approx(0.25 * edge).epsilon(1e-14));
  CHECK(smallest_distance(particles, start.box()) ==
        doctest::Approx(edge / std::sqrt(2.0)).epsilon(1e-12));
  CHECK(start.guaranteed_distance() == doctest::Approx(edge / std::sqrt(2.0)).epsilon(1e-12));
  // Twelve nearest neighbors.
  int neighbors = 0;
  for (const auto& p : particles) {
    const double d = distance(p.position.vector(), particles[100].position.vector(), start.box());
    neighbors += d > 0.0 && d < 1.01 * edge / std::sqrt(2.0);
  }
  CHECK(neighbors == 12);
}

TEST_CASE("bcc and sc lattices") {
  for (const auto& [lattice, basis, neighbors, spacing] :
       {std::tuple{CrystalLattice::body_centered_cubic, 2, 8, std::sqrt(0.75)},
        std::tuple{CrystalLattice::simple_cubic, 1, 6, 1.0}}) {
    INFO(choice_name(lattice));
    const auto start = StartConfiguration::lattice(lattice, {4, 5, 6}, 0.5, one_type, 1);
    check_sound(start);
    CHECK(start.particle_count() == 120 * basis);
    const double edge = std::cbrt(basis / 0.5);
    const auto particles = all(start);
    CHECK(smallest_distance(particles, start.box()) ==
          doctest::Approx(spacing * edge).epsilon(1e-12));
    int near = 0;
    for (const auto& p : particles) {
      const double d = distance(p.position.vector(), particles[7].position.vector(), start.box());
      near += d > 0.0 && d < 1.01 * spacing * edge;
    }
    CHECK(near == neighbors);
  }
}

TEST_CASE("diamond has four neighbors at sqrt(3)/4 of the edge, in zincblende of the other type") {
  for (const auto lattice : {CrystalLattice::diamond, CrystalLattice::zincblende}) {
    INFO(choice_name(lattice));
    const std::vector<double> shares(lattice == CrystalLattice::diamond ? 1 : 2, 1.0);
    const auto start = StartConfiguration::lattice(lattice, {2, 3, 2}, 8.0, shares, 1);
    CHECK(start.particle_count() == 96);
    CHECK(start.guaranteed_distance() == doctest::Approx(std::sqrt(3.0) / 4.0));
    if (lattice == CrystalLattice::zincblende)
      CHECK(start.type_counts() == std::vector<std::int64_t>{48, 48});
    check_sound(start);
    const auto particles = all(start);
    std::size_t wrong = 0;
    for (const ParticleRecord& p : particles) {
      int neighbors = 0, of_other_type = 0;
      for (const ParticleRecord& q : particles) {
        if (p.id == q.id ||
            distance(p.position.vector(), q.position.vector(), start.box()) > 0.45) {
          continue;
        }
        ++neighbors;
        of_other_type += p.position.type != q.position.type ? 1 : 0;
      }
      wrong += neighbors != 4 || of_other_type != (lattice == CrystalLattice::zincblende ? 4 : 0)
                   ? 1
                   : 0;
    }
    CHECK(wrong == 0);
  }
  CHECK_THROWS_AS(
      StartConfiguration::lattice(CrystalLattice::zincblende, {2, 2, 2}, 8.0, one_type, 1),
      std::invalid_argument);
}

TEST_CASE("a lattice of a number of particles leaves surplus sites empty evenly") {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 33, 255, 256, 257, 864, 1000}) {
    CAPTURE(count);
    const auto start =
        StartConfiguration::lattice(CrystalLattice::face_centered_cubic, count, 0.7, one_type, 5);
    check_sound(start);
    CHECK(start.particle_count() == count);
    CHECK(static_cast<double>(count) / start.box().volume() == doctest::Approx(0.7).epsilon(1e-13));
  }
  // 1000 particles on 1372 sites: eighths of the box hold nearly the same numbers.
  const auto start =
      StartConfiguration::lattice(CrystalLattice::face_centered_cubic, 1000, 0.7, one_type, 5);
  const RegularGrid grid(start.box(), 8);
  for (int rank = 0; rank < 8; ++rank) {
    CHECK(std::abs(static_cast<double>(particles_in(start, grid.region(rank)).size()) - 125.0) <
          25.0);
  }
  // The seed moves the holes and nothing else.
  const auto other =
      StartConfiguration::lattice(CrystalLattice::face_centered_cubic, 1000, 0.7, one_type, 6);
  CHECK_FALSE(std::ranges::equal(all(start), all(other), same));
}

TEST_CASE("types are dealt in exact proportion and without pattern") {
  const std::vector<double> fractions{0.5, 0.3, 0.0, 0.2};
  const auto start =
      StartConfiguration::lattice(CrystalLattice::simple_cubic, {10, 10, 10}, 0.8, fractions, 3);
  check_sound(start);
  CHECK(start.type_counts() == std::vector<std::int64_t>{500, 300, 0, 200});
  // Nearest neighbors along x are of independent types.
  const auto particles = all(start);
  int pairs = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::size_t next = i % 10 == 9 ? i - 9 : i + 1;
    pairs += particles[i].position.type == 0 && particles[next].position.type == 0;
  }
  CHECK(std::abs(pairs - 250.0) < 4.0 * std::sqrt(250.0));
  // Remainders: a third each of a hundred.
  const std::vector<double> thirds{1.0, 1.0, 1.0};
  const auto hundred =
      StartConfiguration::lattice(CrystalLattice::simple_cubic, std::int64_t{100}, 0.8, thirds, 3);
  CHECK(hundred.type_counts() == std::vector<std::int64_t>{34, 33, 33});
  check_sound(hundred);
}

TEST_CASE("random fill keeps its distance at every density") {
  for (const double density : {1e-6, 0.01, 0.1, 0.15, 0.2, 0.3, 0.8442, 1.2}) {
    for (const std::int64_t count : {1, 2, 5, 100, 700}) {
      CAPTURE(density);
      CAPTURE(count);
      const double minimum =
          std::min(0.9, 0.9 * StartConfiguration::largest_minimum_distance(count, density));
      const auto start = StartConfiguration::random(count, density, minimum, one_type, 17);
      check_sound(start);
      CHECK(start.particle_count() == count);
      CHECK(static_cast<double>(count) / start.box().volume() ==
            doctest::Approx(density).epsilon(1e-12));
      CHECK(smallest_distance(all(start), start.box()) >= minimum * (1.0 - 1e-12));
      CHECK(start.guaranteed_distance() == minimum);
    }
  }
}

TEST_CASE("dilute random fill is near an ideal gas") {
  const std::int64_t count = 3000;
  const auto start = StartConfiguration::random(count, 0.01, 1.0, one_type, 23);
  const auto particles = all(start);
  const double length = start.box().length.x;
  // Pair distances in shells beyond the cube's edge (about 2.3).
  const int bins = 8;
  const double from = 4.0, to = 20.0;
  std::vector<double> histogram(bins, 0.0);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d =
          distance(particles[i].position.vector(), particles[j].position.vector(), start.box());
      if (d >= from && d < to)
        ++histogram[static_cast<std::size_t>((d - from) / (to - from) * bins)];
    }
  }
  for (int bin = 0; bin < bins; ++bin) {
    const double r0 = from + (to - from) * bin / bins, r1 = from + (to - from) * (bin + 1) / bins;
    const double shell = 4.0 / 3.0 * 3.14159265358979 * (r1 * r1 * r1 - r0 * r0 * r0);
    const double expected = 0.5 * count * (count - 1.0) * shell / (length * length * length);
    CAPTURE(bin);
    CHECK(std::abs(histogram[bin] / expected - 1.0) < 5.0 / std::sqrt(expected));
  }
  // Positions within the whole box are uniform along x, up to the margins of the cubes.
  std::vector<double> slices(10, 0.0);
  for (const auto& p : particles) ++slices[static_cast<std::size_t>(p.position.x / length * 10.0)];
  for (const double slice : slices) CHECK(std::abs(slice - 300.0) < 5.0 * std::sqrt(300.0));
}

TEST_CASE("a large start is made region by region without the rest") {
  // Four hundred million particles: one cell's worth takes no time and no memory.
  const auto lattice = StartConfiguration::lattice(CrystalLattice::face_centered_cubic,
                                                   {464, 464, 1000}, 0.8442, one_type, 1);
  const double edge = lattice.box().length.x / 464.0;
  const Region region{{100 * edge, 200 * edge, 300 * edge}, {102 * edge, 202 * edge, 302 * edge}};
  CHECK(particles_in(lattice, region).size() == 32);
  const auto random = StartConfiguration::random(1000000000000, 0.8, 0.8, one_type, 1);
  const Region corner{{0, 0, 0}, {10, 10, 10}};
  CHECK(std::abs(static_cast<double>(particles_in(random, corner).size()) - 800.0) < 150.0);
}

TEST_CASE("a start that cannot be says why") {
  using S = StartConfiguration;
  CHECK(message_of([] {
          S::lattice(CrystalLattice::simple_cubic, {0, 1, 1}, 1.0, one_type, 1);
        }) == "the number of cells must be positive, not 0");
  CHECK(message_of([] {
          S::lattice(CrystalLattice::simple_cubic, {1, 1, 1}, 0.0, one_type, 1);
        }) == "the density must be positive, not 0");
  CHECK(message_of([] {
          S::lattice(CrystalLattice::simple_cubic, {1, 1, 1}, NAN, one_type, 1);
        }) == "the density must be positive, not nan");
  const int most = 2147483647;
  CHECK(message_of([&] {
          S::lattice(CrystalLattice::simple_cubic, {most, most, most}, 1.0, one_type, 1);
        }).starts_with("the lattice has more than"));
  CHECK(message_of([] {
          S::lattice(CrystalLattice::simple_cubic, std::int64_t{0}, 1.0, one_type, 1);
        }) == "the number of particles must be from 1 to 17592186044416, not 0");
  CHECK(message_of([] { S::lattice(CrystalLattice::simple_cubic, std::int64_t{9}, 1.0, {}, 1); }) ==
        "there is no particle type");
  const std::vector<double> negative{1.0, -0.5}, nothing{0.0, 0.0};
  CHECK(message_of([&] {
          S::lattice(CrystalLattice::simple_cubic, std::int64_t{9}, 1.0, negative, 1);
        }) == "the fraction of a type must not be negative, as -0.5 is");
  CHECK(message_of([&] {
          S::lattice(CrystalLattice::simple_cubic, std::int64_t{9}, 1.0, nothing, 1);
        }) == "the sum of the fractions of the types must be positive, not 0");
  CHECK(message_of([] { S::random(4, 4.0, 1.0, one_type, 1); }) ==
        "4 particles at a density of 4 cannot all be 1 apart; the largest minimum distance is "
        "0.7071067811865476");
}

TEST_CASE("a start from the input") {
  Input input;
  input.types = {{"A", 1.0, 1.0, 1.0, 0.75}, {"B", 2.0, 1.0, 1.2, 0.25}};
  input.start.kind = StartKind::lattice;
  input.start.lattice = CrystalLattice::body_centered_cubic;
  input.start.cells = {4, 4, 4};
  input.start.density = 0.9;
  const auto lattice = StartConfiguration::from_input(input);
  CHECK(lattice.type_counts() == std::vector<std::int64_t>{96, 32});
  input.start.cells = {0, 0, 0};
  input.start.particles = 100;
  CHECK(StartConfiguration::from_input(input).particle_count() == 100);
  input.start.kind = StartKind::random;
  const auto random = StartConfiguration::from_input(input);
  CHECK(random.particle_count() == 100);
  CHECK(random.guaranteed_distance() ==
        doctest::Approx(0.9 * StartConfiguration::largest_minimum_distance(100, 0.9)));
  input.start.density = 0.01;
  CHECK(StartConfiguration::from_input(input).guaranteed_distance() == doctest::Approx(0.85 * 1.2));
}

TEST_CASE("molecules that can turn start with random orientations, others with none") {
  Input input;
  input.units = *UnitSystem::by_name("nano");
  input.components = {{.name = "CO2", .model = "carbon_dioxide_trappe", .inertia = {}, .sites = {}},
                      {.name = "Ar", .model = "argon", .inertia = {}, .sites = {}}};
  take_published_sites(input);
  input.start.kind = StartKind::lattice;
  input.start.particles = 4000;
  input.start.density = 5.0;
  const auto start = StartConfiguration::from_input(input);
  CHECK(start.type_counts() == std::vector<std::int64_t>{2000, 2000});
  const auto all = in_order(particles_in(start, Region{{0, 0, 0}, start.box().length}));
  REQUIRE(all.size() == 4000);
  // Uniform over rotations: body axes point anywhere, so that means of components are 0 and of
  // their squares 1/3, to four standard errors of 2000 samples.
  Vec3 mean, squares;
  for (const ParticleRecord& record : all) {
    CHECK(record.orientation.norm_squared() == doctest::Approx(1.0).epsilon(1e-14));
    if (record.position.type == 1) {
      CHECK(record.orientation == Quaternion{});
      continue;
    }
    CHECK(record.orientation == StartOrientation(input.run.seed).draw(record.id));
    const Vec3 axis = record.orientation.to_lab({0.0, 0.0, 1.0});
    mean += axis * (1.0 / 2000.0);
    squares += Vec3{axis.x * axis.x, axis.y * axis.y, axis.z * axis.z} * (1.0 / 2000.0);
  }
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(std::abs(mean[axis]) < 4.0 * std::sqrt(1.0 / 3.0 / 2000.0));
    CHECK(std::abs(squares[axis] - 1.0 / 3.0) < 4.0 * std::sqrt(4.0 / 45.0 / 2000.0));
  }
  // The distance that is kept in a thin gas knows how far the molecule reaches.
  input.start.kind = StartKind::random;
  input.start.density = 0.01;
  CHECK(StartConfiguration::from_input(input).guaranteed_distance() ==
        doctest::Approx(0.85 * (2 * 0.116 + 0.305)));
}

TEST_CASE("start velocities have no momentum and exactly the temperature") {
  const double kT = 0.72;
  const std::vector<double> masses{1.0, 40.0, 0.001};
  StartVelocity start(99, 40.0, kT);
  const int count = 3000;
  std::vector<Vec3> velocities;
  for (int i = 0; i < count; ++i) {
    velocities.push_back(start.draw(i + 1, masses[i % 3]));
    start.add(velocities.back(), masses[i % 3]);
  }
  const auto adjust = start.adjustment();
  Vec3 momentum;
  double kinetic = 0.0;
  for (int i = 0; i < count; ++i) {
    const double mass = masses[i % 3];
    velocities[i] = adjust(velocities[i]);
    momentum += mass * velocities[i];
    kinetic += 0.5 * mass * dot(velocities[i], velocities[i]);
  }
  CHECK(std::abs(momentum.x) < 1e-11);
  CHECK(std::abs(momentum.y) < 1e-11);
  CHECK(std::abs(momentum.z) < 1e-11);
  CHECK(kinetic == doctest::Approx(1.5 * (count - 1) * kT).epsilon(1e-12));
  // Each type has its own equipartition, as far as 3000 degrees of freedom can tell.
  for (int type = 0; type < 3; ++type) {
    double part = 0.0;
    for (int i = type; i < count; i += 3) {
      part += 0.5 * masses[type] * dot(velocities[i], velocities[i]);
    }
    CHECK(std::abs(part / (1.5 * 1000 * kT) - 1.0) < 4.0 * std::sqrt(2.0 / 3000.0));
  }
}

TEST_CASE("start velocities are the same bit for bit however the particles are shared out") {
  const auto adjustment_of = [](int ranks) {
    std::vector<std::int64_t> total(14, 0);
    const Vec3 inertia{0.3, 0.3, 0.0};
    for (int rank = 0; rank < ranks; ++rank) {
      StartVelocity start(7, 2.0, 1.44);
      for (int id = 1 + rank; id <= 5000; id += ranks) {
        start.add(start.draw(id, id % 2 ? 1.0 : 2.0), id % 2 ? 1.0 : 2.0);
        const Vec3 l = start.draw_rotation(id, inertia);
        CHECK(l.z == 0.0);
        start.add_rotation(0.5 * (l.x * l.x + l.y * l.y) / 0.3, 2);
      }
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += start.sums()[i];
    }
    StartVelocity start(7, 2.0, 1.44);
    REQUIRE(start.sums().size() == total.size());
    std::copy(total.begin(), total.end(), start.sums().begin());
    return start.adjustment();
  };
  const auto one = adjustment_of(1);
  for (const int ranks : {2, 3, 8, 64}) {
    const auto many = adjustment_of(ranks);
    CHECK(many.drift == one.drift);
    CHECK(many.scale == one.scale);
    CHECK(many.rotation_scale == one.rotation_scale);
  }
  // Ten thousand degrees of freedom of rotation had nearly the right energy as they were drawn.
  CHECK(std::abs(one.rotation_scale - 1.0) < 2.0 * std::sqrt(2.0 / 10000.0));
}

TEST_CASE("velocities that cannot have a temperature are zero") {
  StartVelocity single(1, 1.0, 1.0);
  const Vec3 velocity = single.draw(1, 1.0);
  single.add(velocity, 1.0);
  CHECK(single.adjustment()(velocity) == Vec3{});
  StartVelocity cold(1, 1.0, 0.0);
  for (int id = 1; id <= 5; ++id) cold.add(cold.draw(id, 1.0), 1.0);
  CHECK(cold.adjustment()(cold.draw(1, 1.0)) == Vec3{});
}

TEST_CASE("what is forecast of a start is what it makes") {
  for (const std::string lattice : {"sc", "bcc", "fcc", "diamond", "zincblende"}) {
    CAPTURE(lattice);
    const std::string text =
        "[run]\nsteps = 1\ntimestep = 0.005\n[start]\nkind = \"lattice\"\nlattice = \"" + lattice +
        "\"\ncells = [3, 4, 5]\ndensity = 0.3\n[[type]]\nname = \"A\"\n[[type]]\nname = \"B\"\n"
        "[interaction]\ncutoff = 2.0\n";
    const ReadResult result = read_input_text(text, "start.toml");
    REQUIRE(result.ok());
    const StartConfiguration start = StartConfiguration::from_input(result.input);
    const SystemFacts facts = facts_of(result.input);
    CHECK(*facts.particles == start.particle_count());
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(facts.box->length[axis] == doctest::Approx(start.box().length[axis]));
    }
  }
}
