#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "md/neighbors/pair_kernels.hpp"
#include "md/neighbors/pair_list.hpp"
#include "neighbors/periodic_system.hpp"

using namespace sterna::md;

namespace {

/// Energy and -u'(r)/r from the textbook formulas, with std::pow; independent of the kernels.
struct Reference {
  double epsilon, sigma;
  double cutoff, switch_start;
  Truncation truncation;

  double plain(double r) const {
    return 4 * epsilon * (std::pow(sigma / r, 12) - std::pow(sigma / r, 6));
  }
  double plain_force(double r) const {
    return 24 * epsilon * (2 * std::pow(sigma / r, 12) - std::pow(sigma / r, 6)) / r;
  }
  double energy(double r) const {
    if (r >= cutoff) return 0.0;
    switch (truncation) {
      case Truncation::truncated:
        return plain(r);
      case Truncation::shifted:
        return plain(r) - plain(cutoff);
      case Truncation::force_shifted:
        return plain(r) - plain(cutoff) + (r - cutoff) * plain_force(cutoff);
      case Truncation::switched:
        break;
      default:
        throw std::logic_error("no reference of this truncation");
    }
    if (r <= switch_start) return plain(r);
    const double rc2 = cutoff * cutoff, rs2 = switch_start * switch_start;
    return plain(r) * std::pow(rc2 - r * r, 2) * (rc2 + 2 * r * r - 3 * rs2) /
           std::pow(rc2 - rs2, 3);
  }
  double force(double r) const {
    if (r >= cutoff) return 0.0;
    // Away from the cutoff and the switch start, where the one-sided formulas hold.
    const double h = 1e-5;
    switch (truncation) {
      case Truncation::truncated:
      case Truncation::shifted:
        return plain_force(r);
      case Truncation::force_shifted:
        return plain_force(r) - plain_force(cutoff);
      case Truncation::switched:
        break;
      default:
        throw std::logic_error("no reference of this truncation");
    }
    return (energy(r - h) - energy(r + h)) / (2 * h);
  }
};

struct Expected {
  std::map<std::int64_t, Vec3> force;
  EnergyAndVirial sums;
};

Expected brute_force(const ParticleStore& particles, const Box& box,
                     const std::vector<Reference>& references, int types) {
  Expected expected;
  const auto n = particles.local_count();
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 force;
    for (std::size_t j = 0; j < n; ++j) {
      const Reference& pair = references[static_cast<std::size_t>(
          particles.position[i].type * types + particles.position[j].type)];
      for (int s = 0; s < 125; ++s) {
        const Vec3 shift = box.translation(s % 5 - 2, s / 5 % 5 - 2, s / 25 - 2);
        if (i == j && s == 62) continue;
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector() - shift;
        const double r = std::sqrt(dot(d, d));
        if (r >= pair.cutoff) continue;
        const double f = pair.force(r) / r;
        force += f * d;
        expected.sums.energy += 0.5 * pair.energy(r);
        const double products[6] = {d.x * d.x, d.y * d.y, d.z * d.z,
                                    d.x * d.y, d.x * d.z, d.y * d.z};
        for (int k = 0; k < 6; ++k) expected.sums.virial[k] += 0.5 * f * products[k];
      }
    }
    expected.force[particles.id[i]] = force;
  }
  return expected;
}

double deviation(double a, double b, double scale) {
  return std::fabs(a - b) / scale;
}

struct ListCase {
  Box box;
  int count;
  double radius;
};
// Compressed rows; one cell that is too full for them; both in triclinic boxes.
const ListCase list_cases[] = {{{{9.3, 8.9, 9.7}}, 512, 2.8},
                               {{{3.0, 3.0, 3.0}}, 4096, 1.6},
                               {{{9.3, 8.9, 9.7}, {4.0, -3.0, 3.5}}, 512, 2.8},
                               {{{3.0, 3.0, 3.0}, {0.3, -0.2, 0.4}}, 4096, 1.6}};

}  // namespace

TEST_CASE("forces, energy and virial agree with brute force for every kernel") {
  struct Case {
    Box box;
    int count, types;
    int without_forces = -1;  ///< a type that is not in the list
  };
  // Many cells; few cells with an uneven box; a box narrower than twice the cutoff; a gas, whose
  // cells have few candidates; triclinic boxes of many and of few cells, and a gas in one.
  const Case cases[] = {{{{9.3, 8.9, 9.7}}, 512, 1},
                        {{{6.1, 9.0, 7.0}}, 300, 3},
                        {{{4.2, 4.4, 9.0}}, 130, 2},
                        {{{14.0, 15.0, 13.0}}, 500, 2},
                        {{{10.3, 9.9, 9.7}, {2.0, -3.0, 2.5}}, 512, 1},
                        {{{6.6, 8.0, 7.4}, {-2.5, 1.5, 3.0}}, 216, 3},
                        {{{14.0, 15.0, 13.0}, {5.0, -4.0, 6.0}}, 500, 2},
                        {{{6.1, 9.0, 7.0}}, 300, 3, 1},
                        {{{14.0, 15.0, 13.0}}, 500, 2, 0},
                        {{{6.6, 8.0, 7.4}, {-2.5, 1.5, 3.0}}, 216, 3, 2}};
  for (const Case& system : cases) {
    for (const Truncation truncation : {Truncation::truncated, Truncation::shifted,
                                        Truncation::force_shifted, Truncation::switched}) {
      const double cutoff = 2.5, switch_start = 2.0, skin = 0.3;
      std::vector<LennardJones::PairParameters> parameters;
      std::vector<Reference> references;
      for (int a = 0; a < system.types; ++a) {
        for (int b = 0; b < system.types; ++b) {
          const bool forces = a != system.without_forces && b != system.without_forces;
          const double epsilon = forces ? 1.0 + 0.2 * (a + b) : 0.0;
          const double sigma = 1.0 - 0.04 * (a + b);
          parameters.push_back({epsilon, sigma});
          references.push_back({epsilon, sigma, cutoff, switch_start, truncation});
        }
      }
      const LennardJones potential(parameters, system.types, cutoff, truncation, switch_start);
      ParticleStore particles =
          test::jittered_lattice(system.box, system.count, system.types, 0.12, 7);
      const Expected expected = brute_force(particles, system.box, references, system.types);
      double force_scale = 0.0;
      for (const auto& [id, f] : expected.force)
        force_scale = std::max(force_scale, std::sqrt(dot(f, f)));

      for (const PairKernels* kernels : available_pair_kernels()) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
          CAPTURE(std::string(kernels->name));
          CAPTURE(static_cast<int>(precision));
          CAPTURE(static_cast<int>(truncation));
          PairForces forces(potential, precision, kernels->name);
          // Rows that nobody shares, and those that the engine uses.
          const std::uint32_t groups[] = {1, forces.group()};
          const std::uint32_t group = groups[static_cast<std::size_t>(truncation) % 2];
          CAPTURE(group);
          PairList list(kernels->name, group, forces.reads_half_lists());
          std::vector<char> listed;
          for (int type = 0; type < system.types; ++type) {
            listed.push_back(forces.needs_in_list(type));
            CHECK(forces.needs_in_list(type) == (type != system.without_forces));
          }
          list.set_listed_types(listed);
          // Each with all ghosts, and with those of the half shell.
          const auto shell =
              static_cast<std::size_t>(truncation) / 2 == 0 ? test::Shell::full : test::Shell::half;
          const auto originals = test::rebuild(list, particles, system.box, cutoff + skin, shell);
          const EnergyAndVirial sums = test::compute(forces, list, particles, originals);
          // Switched forces of the reference are central differences.
          const double exact = truncation == Truncation::switched ? 2e-7 : 1e-12;
          const double tolerance = precision == Precision::mixed ? 1e-5 : exact;
          CHECK(deviation(sums.energy, expected.sums.energy, std::fabs(expected.sums.energy)) <
                tolerance);
          for (int k = 0; k < 6; ++k) {
            CHECK(deviation(sums.virial[k], expected.sums.virial[k],
                            std::fabs(expected.sums.virial[0]) + 100.0) < tolerance);
          }
          double worst = 0.0;
          for (std::size_t i = 0; i < particles.local_count(); ++i) {
            const Vec3 d = particles.force[i] - expected.force.at(particles.id[i]);
            worst = std::max(worst, std::sqrt(dot(d, d)) / force_scale);
          }
          CHECK(worst < tolerance);
          // Without energy the kernel is another, and the forces have the same bits.
          const Vec3 before = particles.force[5];
          test::compute_step(forces, list, particles, originals, nullptr);
          CHECK(particles.force[5] == before);
        }
      }
    }
  }
}

TEST_CASE("the list holds while particles move by half the skin") {
  const Box box{{8.0, 8.0, 8.0}};
  const LennardJones potential(std::vector<LennardJones::PairParameters>{{1.0, 1.0}}, 1, 2.5,
                               Truncation::shifted);
  ParticleStore particles = test::jittered_lattice(box, 343, 1, 0.1, 3);
  PairList list("auto", 1, true);
  PairForces forces(potential, Precision::double_precision, "auto");
  test::rebuild(list, particles, box, 2.8);
  CHECK(list.displacements(particles, 0.1).largest < 1e-5);
  CHECK(list.displacements(particles, 0.1).far.empty());
  // Move locals and their images alike, by just below half the skin.
  const std::size_t n = particles.local_count();
  const Vec3 move{0.08, -0.09, 0.085};
  for (std::size_t i = 0; i < particles.total_count(); ++i) {
    // Images lie whole box lengths away from their particle: the same parity pattern moves both.
    const auto cell = static_cast<long>(std::floor(particles.position[i].x + 0.5));
    const double sign = ((cell % 8) + 8) % 8 < 4 ? 1.0 : -1.0;
    particles.position[i].x += sign * move.x;
    particles.position[i].y += sign * move.y;
    particles.position[i].z += sign * move.z;
  }
  CHECK(list.displacements(particles, 0.1).largest ==
        doctest::Approx(std::sqrt(dot(move, move))).epsilon(1e-5));
  const EnergyAndVirial stale = test::compute(forces, list, particles);
  ParticleStore fresh;
  fresh.resize_local(n);
  for (std::size_t i = 0; i < n; ++i) {
    int image[3];
    const Vec3 p = box.wrap(particles.position[i].vector(), image);
    fresh.position[i] = {p.x, p.y, p.z, 0};
    fresh.velocity[i] = {};
    fresh.id[i] = particles.id[i];
    fresh.image[i] = {};
  }
  test::rebuild(list, fresh, box, 2.8);
  const EnergyAndVirial rebuilt = test::compute(forces, list, fresh);
  CHECK(stale.energy == doctest::Approx(rebuilt.energy).epsilon(1e-12));
  CHECK(stale.virial_trace() == doctest::Approx(rebuilt.virial_trace()).epsilon(1e-11));
}

TEST_CASE("every kernel finds the same displacements") {
  const Box box{{8.0, 8.0, 8.0}};
  for (const PairKernels* kernels : available_pair_kernels()) {
    CAPTURE(kernels->name);
    // Not a multiple of any vector's length.
    ParticleStore moved = test::jittered_lattice(box, 343, 1, 0.1, 3);
    PairList list(kernels->name);
    test::rebuild(list, moved, box, 2.8);
    for (std::size_t i = 0; i < moved.local_count(); ++i) {
      moved.position[i].x += 0.001 * static_cast<double>(i % 97);
      moved.position[i].z -= 0.001 * static_cast<double>(i % 31);
    }
    double largest = 0.0;
    std::vector<std::uint32_t> far;
    for (std::size_t i = 0; i < moved.local_count(); ++i) {
      const Vec3 d = list.displacement(moved, i);
      largest = std::max(largest, std::sqrt(dot(d, d)));
      if (dot(d, d) >= 0.08 * 0.08) far.push_back(static_cast<std::uint32_t>(i));
    }
    const auto found = list.displacements(moved, 0.08);
    CHECK(found.largest == largest);
    CHECK(far.size() > 10);
    CHECK(std::vector<std::uint32_t>(found.far.begin(), found.far.end()) == far);
    CHECK(list.displacements(moved, 0.0).far.size() == moved.local_count());
    // Measured part by part, and not at all where they have moved on since.
    list.measure_displacements(moved, 0, 101);
    list.measure_displacements(moved, 101, moved.local_count());
    moved.position[7].x += 1.0;
    CHECK(list.displacements(moved, 0.08).largest == largest);
    list.measure_displacements(moved, 0, moved.local_count());
    moved.position[7].x += 1.0;
    list.forget_displacements();
    CHECK(list.displacements(moved, 0.08).largest > 1.9);
  }
}

TEST_CASE("particles that are not listed have no rows, are in none, and do not end a list") {
  const Box box{{8.0, 8.0, 8.0}};
  for (std::uint32_t group = 1; group <= largest_group; ++group) {
    CAPTURE(group);
    ParticleStore particles = test::jittered_lattice(box, 343, 3, 0.1, 3);
    const auto is_listed = [&](std::size_t i) { return particles.position[i].type != 1; };
    PairList list("auto", group);
    list.set_listed_types({1, 0, 1});
    test::rebuild(list, particles, box, 2.8);
    // They come behind all others, local ones and ghosts.
    const auto in_front = [&](std::size_t begin, std::size_t end) {
      std::size_t count = 0;
      while (begin + count < end && is_listed(begin + count)) ++count;
      for (std::size_t i = begin + count; i < end; ++i) CHECK(!is_listed(i));
      return count;
    };
    const std::size_t local = particles.local_count();
    CHECK(in_front(0, local) == list.grid().listed_local());
    CHECK(in_front(local, particles.total_count()) == list.grid().listed_ghosts());
    std::size_t pairs = 0, expected = 0, wrong = 0;
    list.for_each_neighbor(particles, 2.5, [&](std::uint32_t i, std::uint32_t j, double) {
      ++pairs;
      wrong += is_listed(i) && is_listed(j) ? 0 : 1;
    });
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      for (std::size_t j = 0; j < particles.total_count(); ++j) {
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
        const bool near = i != j && dot(d, d) < 2.5 * 2.5;
        expected += near && is_listed(i) && is_listed(j) ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
    CHECK(pairs == expected);
    for (std::size_t i = 0; i < particles.total_count(); ++i) {
      particles.position[i].x += is_listed(i) ? 0.01 : 0.5;
    }
    CHECK(list.displacements(particles, 0.3).largest > 0.4);
    CHECK(list.displacements(particles, 0.3, true).largest == doctest::Approx(0.01).epsilon(1e-4));
    CHECK(list.displacements(particles, 0.3, true).far.empty());
    CHECK(list.ghost_displacements(particles, 0.3).far.empty());
  }
}

TEST_CASE("dense cells fall back to plain entries") {
  // Everything in one cell: more particles than a compressed run can name.
  const Box box{{3.0, 3.0, 3.0}};
  const LennardJones potential(std::vector<LennardJones::PairParameters>{{1.0, 0.1}}, 1, 1.2,
                               Truncation::shifted);
  ParticleStore particles = test::jittered_lattice(box, 4096, 1, 0.02, 5);
  for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
    PairForces forces(potential, precision, "auto");
    const double exact = precision == Precision::mixed ? 1e-5 : 1e-12;
    PairList list("auto", forces.group(), forces.reads_half_lists());
    test::rebuild(list, particles, box, 1.6);
    const EnergyAndVirial plain = test::compute(forces, list, particles);
    std::map<std::int64_t, Vec3> before;
    double scale = 0.0;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3& force = before[particles.id[i]] = particles.force[i];
      scale = std::max(scale, std::sqrt(dot(force, force)));
    }
    // The same with cells small enough.
    PairList fine("auto", forces.group(), forces.reads_half_lists());
    test::rebuild(fine, particles, box, 1.25);
    const EnergyAndVirial compressed = test::compute(forces, fine, particles);
    CHECK(plain.energy == doctest::Approx(compressed.energy).epsilon(exact));
    CHECK(list.grid().nx() == 1);
    CHECK(fine.grid().nx() == 2);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3 d = particles.force[i] - before.at(particles.id[i]);
      CHECK(std::sqrt(dot(d, d)) < exact * scale);
    }
  }
}

TEST_CASE("rows hold every neighbor within the list radius once, and hardly any other particle") {
  for (const ListCase& system : list_cases) {
    ParticleStore particles = test::jittered_lattice(system.box, system.count, 1, 0.1, 13);
    for (std::uint32_t group = 1; group <= largest_group; ++group) {
      CAPTURE(group);
      PairList list("auto", group);
      test::rebuild(list, particles, system.box, system.radius);
      std::vector<int> met(particles.local_count(), 0), in_row(particles.total_count(), 0);
      std::size_t wrong = 0, entries = 0, expected = 0;
      // A hair narrower: the list is built in single precision.
      const double radius = system.radius - 1e-5;
      for (const auto which : {PairList::Cells::interior, PairList::Cells::boundary}) {
        list.for_each_row(which, [&](std::uint32_t i, std::span<const std::uint32_t> neighbors) {
          ++met[i];
          for (const std::uint32_t j : neighbors) {
            wrong += j == i || ++in_row[j] > 1 ? 1 : 0;
            if (which == PairList::Cells::interior && j >= particles.local_count()) ++wrong;
          }
          for (std::uint32_t j = 0; j < particles.total_count(); ++j) {
            const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
            const bool near = j != i && dot(d, d) < radius * radius;
            expected += near ? 1 : 0;
            if (near && in_row[j] == 0) ++wrong;
          }
          for (const std::uint32_t j : neighbors) in_row[j] = 0;
          entries += neighbors.size();
        });
      }
      CHECK(wrong == 0);
      CHECK(std::all_of(met.begin(), met.end(), [](int times) { return times == 1; }));
      CHECK(entries >= expected);
      // A row of one particle holds nobody else; of four close ones, not all that many.
      const double excess = group == 1 ? 1.001 : 2.5;
      CHECK(static_cast<double>(entries) < excess * static_cast<double>(expected));
      // Groups that are not full count as full ones do.
      CHECK(list.neighbor_count() >= entries);
      CHECK(static_cast<double>(list.neighbor_count()) < 1.25 * static_cast<double>(entries));
    }
  }
}

TEST_CASE("a half list holds every pair once, and visits it from both sides") {
  for (const ListCase& system : list_cases) {
    ParticleStore particles = test::jittered_lattice(system.box, system.count, 1, 0.1, 13);
    for (std::uint32_t group = 1; group <= largest_group; ++group) {
      CAPTURE(group);
      PairList list("auto", group, true);
      test::rebuild(list, particles, system.box, system.radius);
      const auto local = static_cast<std::uint32_t>(particles.local_count());
      const double radius = system.radius - 1e-5;
      using Pair = std::pair<std::uint32_t, std::uint32_t>;
      std::vector<Pair> in_rows, visited, expected;
      for (const auto which : {PairList::Cells::interior, PairList::Cells::boundary}) {
        list.for_each_row(which, [&](std::uint32_t i, std::span<const std::uint32_t> neighbors) {
          for (const std::uint32_t j : neighbors) {
            if (j < local) in_rows.emplace_back(std::min(i, j), std::max(i, j));
          }
        });
      }
      list.for_each_neighbor(particles, radius, [&](std::uint32_t i, std::uint32_t j, double) {
        visited.emplace_back(i, j);
      });
      for (std::uint32_t i = 0; i < local; ++i) {
        for (std::uint32_t j = 0; j < particles.total_count(); ++j) {
          const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
          if (j != i && dot(d, d) < radius * radius) expected.emplace_back(i, j);
        }
      }
      std::sort(visited.begin(), visited.end());
      CHECK(visited == expected);
      // Only those who share a row both have the other.
      std::sort(in_rows.begin(), in_rows.end());
      const std::size_t all = in_rows.size();
      in_rows.erase(std::unique(in_rows.begin(), in_rows.end()), in_rows.end());
      CHECK(all - in_rows.size() <= local * (group - 1) / 2);
    }
  }
}

TEST_CASE("with a half shell a list has each pair across the border from one of its two images") {
  for (const ListCase& system : list_cases) {
    ParticleStore particles = test::jittered_lattice(system.box, system.count, 1, 0.1, 13);
    for (std::uint32_t group = 1; group <= largest_group; ++group) {
      CAPTURE(group);
      PairList list("auto", group, true);
      const double radius = system.radius - 1e-5;
      std::size_t of_two_ghosts = 0;
      // Pairs by their particles and the distance, so that an image is told from another.
      using Pair = std::tuple<std::uint32_t, std::uint32_t, double>;
      const auto pairs = [&](test::Shell shell) {
        const auto originals = test::rebuild(list, particles, system.box, system.radius, shell);
        const auto local = static_cast<std::uint32_t>(particles.local_count());
        const auto original = [&](std::uint32_t i) { return i < local ? i : originals[i - local]; };
        std::vector<Pair> visited;
        list.for_each_neighbor(particles, radius, [&](std::uint32_t i, std::uint32_t j, double r2) {
          of_two_ghosts += i >= local && j >= local ? 1 : 0;
          visited.emplace_back(original(i), original(j), 1e-6 * std::round(1e6 * r2));
        });
        std::sort(visited.begin(), visited.end());
        return visited;
      };
      const std::vector<Pair> full = pairs(test::Shell::full);
      const std::vector<Pair> half = pairs(test::Shell::half);
      CHECK(half == full);
      CHECK(of_two_ghosts == 0);
      CHECK(list.grid().listed_ghosts() < particles.ghost_count());
      CHECK(list.grid().ghosts_of_listed_types() == particles.ghost_count());
      std::size_t entries = 0;
      for (const auto which : PairList::all_cells) {
        list.for_each_row(which, [&](std::uint32_t, std::span<const std::uint32_t> neighbors) {
          for (const std::uint32_t j : neighbors) {
            if (j >= particles.local_count() + list.grid().listed_ghosts()) ++entries;
          }
        });
      }
      CHECK(entries == 0);
    }
  }
}

TEST_CASE("particles on the faces of triclinic boxes, where rounding decides on which side") {
  for (const Box& box :
       {Box{{6.3, 5.7, 6.1}, {2.1, -1.3, 1.9}}, Box{{6.0, 6.0, 6.0}, {1.1, 2.3, 0.7}},
        Box{{5.9, 6.7, 6.3}, {-2.9, 2.2, -3.1}}}) {
    CAPTURE(box.tilt.xy);
    constexpr int edge = 6;
    ParticleStore particles;
    particles.resize_local(edge * edge * edge);
    for (int k = 0; k < edge * edge * edge; ++k) {
      int image[3];
      const Vec3 p = box.wrap(
          box.translation(k % edge / 6.0, k / edge % edge / 6.0, k / edge / edge / 6.0), image);
      const auto i = static_cast<std::size_t>(k);
      particles.position[i] = {p.x, p.y, p.z, 0};
      particles.velocity[i] = {};
      particles.id[i] = k + 1;
      particles.image[i] = {};
    }
    PairList list("auto");
    const double radius = 2.05;
    test::rebuild(list, particles, box, radius);
    // A lattice: everybody has the same neighbors.
    std::size_t expected = 0;
    for (int a = -8; a <= 8; ++a)
      for (int b = -8; b <= 8; ++b)
        for (int c = -8; c <= 8; ++c) {
          const Vec3 d = box.translation(a / 6.0, b / 6.0, c / 6.0);
          expected += dot(d, d) < radius * radius && (a != 0 || b != 0 || c != 0) ? 1 : 0;
        }
    std::vector<std::size_t> found(particles.local_count(), 0);
    list.for_each_neighbor(particles, radius,
                           [&](std::uint32_t i, std::uint32_t, double) { ++found[i]; });
    for (const std::size_t neighbors : found) CHECK(neighbors == expected);
  }
}

TEST_CASE("sorting a sorted store changes nothing") {
  const Box box{{9.0, 9.0, 9.0}};
  ParticleStore particles = test::jittered_lattice(box, 512, 1, 0.3, 11);
  CellGrid grid;
  grid.set_region({0, 0, 0}, box.length, 2.8);
  std::vector<std::uint32_t> cell_of(512), source(512);
  std::vector<std::byte> room(512 * CellGrid::sort_room);
  grid.sort_local(particles, cell_of, source, room);
  std::vector<std::int64_t> ids(particles.id.begin(), particles.id.end());
  std::vector<std::int64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k)
    CHECK(sorted[k] == static_cast<std::int64_t>(k + 1));
  grid.sort_local(particles, cell_of, source, room);
  CHECK(ids == std::vector<std::int64_t>(particles.id.begin(), particles.id.end()));
}

TEST_CASE("unknown kernels are refused with the names there are") {
  CHECK_THROWS_WITH_AS(select_pair_kernels("sse9"), doctest::Contains("baseline"),
                       std::invalid_argument);
}
