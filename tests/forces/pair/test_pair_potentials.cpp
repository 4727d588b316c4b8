// Every potential of the list, with every way to end, in every precision and instruction set.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "md/forces/pair/pair_forces.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/neighbors/pair_kernels.hpp"
#include "neighbors/periodic_system.hpp"

using namespace sterna::md;

namespace {

constexpr double cutoff = 2.5, switch_start = 2.0;
constexpr Truncation truncations[] = {Truncation::truncated,           Truncation::shifted,
                                      Truncation::force_shifted,       Truncation::switched,
                                      Truncation::quintic_switched,    Truncation::force_switched,
                                      Truncation::cubic_force_switched};

/// Those that this potential has.
std::vector<Truncation> truncations_of(const PairPotentialRow& entry) {
  std::vector<Truncation> possible;
  for (const Truncation truncation : truncations) {
    if (can_end(entry, truncation)) possible.push_back(truncation);
  }
  return possible;
}

double norm(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

double lennard_jones(double r) {
  return 4.0 * (std::pow(r, -12) - std::pow(r, -6));
}
double lennard_jones_force(double r) {
  return 24.0 * (2.0 * std::pow(r, -12) - std::pow(r, -6)) / r;
}

/// Of a Lennard-Jones potential; where `uneven`, at distances that lie closer the shorter they are.
PairTable table_of_lennard_jones(int points, bool uneven = false) {
  PairTable table;
  for (int k = 0; k < points; ++k) {
    const double x = static_cast<double>(k) / (points - 1);
    const double r = 0.5 + 2.1 * (uneven ? x * (0.5 + 0.5 * x) : x);
    table.distance.push_back(r);
    table.energy.push_back(lennard_jones(r));
    table.force.push_back(lennard_jones_force(r));
  }
  return table;
}

/// With the parameters that are its example, made a little different by `factor`.
PairFunction example(const PairPotentialRow& entry, Truncation truncation, double factor = 1.0,
                     double own_cutoff = 0.0) {
  std::vector<double> parameters;
  for (const PairParameter& parameter : entry.parameters) {
    parameters.push_back(parameter.dimension == Dimension::none ? parameter.example
                                                                : factor * parameter.example);
  }
  const PairTable table = table_of_lennard_jones(3000);
  return PairFunction(entry, parameters, own_cutoff, {cutoff, truncation, switch_start},
                      entry.reads_table ? &table : nullptr);
}

struct Expected {
  std::map<std::int64_t, Vec3> force;
  EnergyAndVirial sums;
};

Expected brute_force(const ParticleStore& particles, const Box& box,
                     const std::vector<PairFunction>& pairs, std::size_t types) {
  Expected expected;
  const auto n = particles.local_count();
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 force;
    for (std::size_t j = 0; j < n; ++j) {
      const PairFunction& pair =
          pairs[static_cast<std::size_t>(particles.position[i].type) * types +
                static_cast<std::size_t>(particles.position[j].type)];
      for (int s = 0; s < 27; ++s) {
        if (i == j && s == 13) continue;
        const Vec3 shift = box.translation(s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1);
        const Vec3 d = particles.position[i].vector() - particles.position[j].vector() - shift;
        const double r = std::sqrt(dot(d, d));
        if (r >= pair.cutoff()) continue;
        const double f = pair.ended_force(r) / r;
        force += f * d;
        expected.sums.energy += 0.5 * pair.ended_energy(r);
        const double products[6] = {d.x * d.x, d.y * d.y, d.z * d.z,
                                    d.x * d.y, d.x * d.z, d.y * d.z};
        for (int k = 0; k < 6; ++k) expected.sums.virial[k] += 0.5 * f * products[k];
      }
    }
    expected.force[particles.id[i]] = force;
  }
  return expected;
}

/// All kernels of all precisions against plain doubles.
void check_kernels(const std::vector<PairFunction>& pairs, int types, Truncation truncation,
                   const Box& box, int count) {
  ParticleStore particles = test::jittered_lattice(box, count, types, 0.1, 11);
  const Expected expected = brute_force(particles, box, pairs, static_cast<std::size_t>(types));
  double force_scale = 0.0, virial_scale = 0.0;
  for (const auto& [id, f] : expected.force) force_scale = std::max(force_scale, norm(f));
  for (const double v : expected.sums.virial) virial_scale = std::max(virial_scale, std::abs(v));
  const PairFunction::Ending ending{cutoff, truncation, switch_start};
  for (const PairKernels* kernels : available_pair_kernels()) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
      CAPTURE(std::string(kernels->name));
      CAPTURE(static_cast<int>(precision));
      PairForces forces(pairs, types, ending, precision, kernels->name);
      const double tolerance = precision == Precision::mixed ? 2e-5 : 1e-12;
      for (const std::uint32_t group : {std::uint32_t{1}, forces.group()}) {
        CAPTURE(group);
        PairList list(kernels->name, group, forces.reads_half_lists());
        const auto shell = group == 1 ? test::Shell::full : test::Shell::half;
        const auto originals = test::rebuild(list, particles, box, cutoff + 0.3, shell);
        const EnergyAndVirial sums = test::compute(forces, list, particles, originals);
        CHECK(std::abs(sums.energy - expected.sums.energy) <
              tolerance * std::max(std::abs(expected.sums.energy), 0.1 * virial_scale));
        for (int k = 0; k < 6; ++k) {
          CHECK(std::abs(sums.virial[k] - expected.sums.virial[k]) < tolerance * virial_scale);
        }
        double worst = 0.0;
        for (std::size_t i = 0; i < particles.local_count(); ++i) {
          worst = std::max(worst, norm(particles.force[i] - expected.force.at(particles.id[i])));
        }
        CHECK(worst < tolerance * force_scale);
        // Parts are of the last sums, and are all there is.
        const auto parts = forces.parts();
        double energy = 0.0, virial = 0.0;
        for (const ForceTerm::Part& part : parts) {
          energy += part.energy;
          virial += *part.virial;
        }
        if (!parts.empty()) {
          CHECK(energy == doctest::Approx(sums.energy).epsilon(1e-12));
          CHECK(virial == doctest::Approx(sums.virial_trace()).epsilon(1e-12));
        }
        // Without energy the kernel is another, and the forces have the same bits.
        std::vector<Vec3> before(particles.force.data(),
                                 particles.force.data() + particles.local_count());
        test::compute_step(forces, list, particles, originals, nullptr);
        bool same = true;
        for (std::size_t i = 0; i < before.size(); ++i) same &= particles.force[i] == before[i];
        CHECK(same);
      }
    }
  }
}

}  // namespace

TEST_CASE("names of potentials and of their parameters are good keys") {
  for (const PairPotentialRow& entry : pair_potential_table()) {
    CAPTURE(entry.name);
    CHECK(find_pair_potential(entry.name) == &entry);
    CHECK(std::ranges::count(pair_potential_table(), entry.name, &PairPotentialRow::name) == 1);
    CHECK(entry.sentence.ends_with('.'));
    CHECK(!entry.formula.empty());
    CHECK(!entry.source.empty());
    for (const PairParameter& parameter : entry.parameters) {
      CHECK(std::ranges::all_of(parameter.name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      }));
      CHECK(parameter.example >= parameter.range.minimum);
      // One name means one thing.
      for (const PairPotentialRow& other : pair_potential_table()) {
        for (const PairParameter& same : other.parameters) {
          if (same.name == parameter.name) CHECK(same.dimension == parameter.dimension);
        }
      }
    }
  }
  CHECK(find_pair_potential("mors") == nullptr);
}

TEST_CASE("rules of mixing are symmetric, keep like types, and give what a potential allows") {
  int rules = 0;
  for (const PairPotentialRow& entry : pair_potential_table()) {
    CAPTURE(entry.name);
    CHECK((entry.mix == nullptr) == entry.mixing.empty());
    if (entry.mix == nullptr) continue;
    ++rules;
    std::vector<double> small, large;
    for (const PairParameter& parameter : entry.parameters) {
      small.push_back(parameter.example);
      large.push_back(1.25 * parameter.example);
    }
    const auto mixed = [&](Mixing rule, const auto& first, const auto& second) {
      std::vector<double> unlike(entry.parameters.size(), -1.0);
      entry.mix(rule, first, second, unlike);
      return unlike;
    };
    for (const Choice<Mixing>& choice : choice_table<Mixing>) {
      CAPTURE(choice.name);
      const Mixing rule = choice.value;
      if (entry.no_mixing != nullptr && !entry.no_mixing(rule, small, large).empty()) continue;
      const std::vector<double> same = mixed(rule, large, large);
      const std::vector<double> unlike = mixed(rule, small, large);
      CHECK(unlike == mixed(rule, large, small));
      for (std::size_t n = 0; n < unlike.size(); ++n) {
        CAPTURE(entry.parameters[n].name);
        CHECK(same[n] == doctest::Approx(large[n]).epsilon(1e-14));
        // A well between unlike sizes may be less deep than both.
        const bool may_be_small = entry.parameters[n].dimension == Dimension::energy;
        CHECK(unlike[n] > (may_be_small ? 0.8 : 1.0) * small[n]);
        CHECK(unlike[n] < large[n]);
      }
      if (entry.contradiction != nullptr) CHECK(entry.contradiction(unlike).empty());
    }
  }
  CHECK(rules >= 8);
}

TEST_CASE("unlike parameters are those of the rules as published") {
  const auto mixed = [](const char* name, Mixing rule, std::vector<double> first,
                        std::vector<double> second) {
    std::vector<double> unlike(first.size());
    find_pair_potential(name)->mix(rule, first, second, unlike);
    return unlike;
  };
  const auto check = [](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      CAPTURE(n);
      CHECK(found[n] == doctest::Approx(expected[n]).epsilon(1e-14));
    }
  };
  check(mixed("mie", Mixing::lorentz_berthelot, {1.0, 1.0, 16.0, 6.0}, {4.0, 2.0, 12.0, 6.0}),
        {2.0, 1.5, 14.0, 6.0});
  check(mixed("mie", Mixing::geometric, {1.0, 1.0, 16.0, 6.0}, {4.0, 4.0, 9.0, 6.0}),
        {2.0, 2.0, 12.0, 6.0});
  // Waldman and Hagler for 9-6, as in class II force fields: 16 3^(1/2) / 65 with sizes of 1 and 2.
  check(mixed("mie", Mixing::waldman_hagler, {1.0, 1.0, 9.0, 6.0}, {3.0, 2.0, 9.0, 6.0}),
        {16.0 * std::sqrt(3.0) / 65.0, std::pow(32.5, 1.0 / 6.0), 9.0, 6.0});
  check(mixed("lennard_jones_smoothed", Mixing::fender_halsey, {1.0, 1.0, 2.0}, {4.0, 2.0, 3.0}),
        {1.6, 1.5, 2.5});
  // GROMACS: B is 2 / (1/B_i + 1/B_j), and rho is 1/B.
  const double b = 2.0 / (1.0 / 4.0 + 1.0 / 2.5);
  check(mixed("buckingham", Mixing::geometric, {100.0, 1.0 / 4.0, 9.0}, {400.0, 1.0 / 2.5, 4.0}),
        {200.0, 1.0 / b, 6.0});
  // Nuclei of 14 and 79 charges: strength Z1 Z2 q, length a / (Z1^0.23 + Z2^0.23).
  const double q = 14.4, a = 0.4685, z1 = std::pow(14.0, 0.23), z2 = std::pow(79.0, 0.23);
  check(mixed("ziegler_biersack_littmark", Mixing::lorentz_berthelot,
              {14.0 * 14.0 * q, a / (z1 + z1)}, {79.0 * 79.0 * q, a / (z2 + z2)}),
        {14.0 * 79.0 * q, a / (z1 + z2)});
}

TEST_CASE("rules that are not ones for the exponents of Mie's potential are named") {
  const auto allows = [](Mixing rule, double n, double m, double other_n, double other_m) {
    const std::vector<double> a{1.0, 1.0, n, m}, b{2.0, 1.5, other_n, other_m};
    return find_pair_potential("mie")->no_mixing(rule, a, b).empty();
  };
  for (const Mixing rule : {Mixing::lorentz_berthelot, Mixing::geometric, Mixing::fender_halsey}) {
    CHECK(allows(rule, 16.0, 6.0, 10.0, 5.0));
  }
  CHECK(allows(Mixing::waldman_hagler, 9.0, 6.0, 9.0, 6.0));
  CHECK_FALSE(allows(Mixing::waldman_hagler, 9.0, 6.0, 10.0, 6.0));
  CHECK_FALSE(allows(Mixing::waldman_hagler, 9.0, 5.0, 9.0, 5.0));
  CHECK(allows(Mixing::kong, 12.0, 6.0, 12.0, 6.0));
  CHECK_FALSE(allows(Mixing::kong, 9.0, 6.0, 9.0, 6.0));
}

TEST_CASE("forces are the slopes of energies, and potentials end as they should") {
  for (const PairPotentialRow& entry : pair_potential_table()) {
    for (const Truncation truncation : truncations_of(entry)) {
      for (const double own_cutoff : {0.0, 2.2}) {
        CAPTURE(entry.name);
        CAPTURE(static_cast<int>(truncation));
        const PairFunction pair = example(entry, truncation, 1.0, own_cutoff);
        const double rc = pair.cutoff();
        CHECK(rc <= (own_cutoff > 0.0 ? own_cutoff : cutoff));
        for (double r = 0.75; r < 0.999 * rc; r += 0.0731) {
          CAPTURE(r);
          const double h = 1e-4;
          const auto slope = [&](auto energy) {
            // Of fourth order: the error is below 1e-12.
            return (energy(r - 2 * h) - 8 * energy(r - h) + 8 * energy(r + h) - energy(r + 2 * h)) /
                   (12 * h);
          };
          const double size = std::abs(pair.force(r)) + std::abs(pair.energy(r)) + 0.01;
          CHECK(std::abs(pair.force(r) + slope([&](double x) { return pair.energy(x); })) <
                1e-8 * size);
          if (std::abs(r - pair.end().switch_start) < 3 * h) continue;
          CHECK(std::abs(pair.ended_force(r) +
                         slope([&](double x) { return pair.ended_energy(x); })) < 1e-8 * size);
        }
        // Just inside the cutoff.
        const double last = rc * (1.0 - 1e-9);
        const bool own = entry.own_end != nullptr;
        const bool energy_jumps = !own && truncation == Truncation::truncated;
        const bool force_jumps = !own && truncation <= Truncation::shifted;
        CHECK(std::abs(pair.ended_energy(last)) ==
              doctest::Approx(energy_jumps ? std::abs(pair.energy(rc)) : 0.0).epsilon(1e-6));
        CHECK(std::abs(pair.ended_force(last)) ==
              doctest::Approx(force_jumps ? std::abs(pair.force(rc)) : 0.0).epsilon(1e-6));
        CHECK(pair.ended_energy(rc) == 0.0);
      }
    }
  }
}

TEST_CASE("every kernel computes every potential") {
  for (const PairPotentialRow& entry : pair_potential_table()) {
    for (const Truncation truncation : truncations_of(entry)) {
      CAPTURE(entry.name);
      CAPTURE(static_cast<int>(truncation));
      const std::vector<PairFunction> pairs{example(entry, truncation)};
      check_kernels(pairs, 1, truncation, {{8.3, 7.9, 8.1}}, 343);
    }
  }
}

TEST_CASE("every kernel computes mixtures with Lennard-Jones pairs and a third potential") {
  const auto& table = pair_potential_table();
  const PairPotentialRow& lennard_jones_entry = *find_pair_potential("lennard_jones");
  for (std::size_t k = 0; k < table.size(); ++k) {
    const PairPotentialRow& next = table[(k + 1) % table.size()];
    const std::vector<Truncation> possible = truncations_of(table[k]);
    Truncation truncation = possible[k % possible.size()];
    if (!can_end(next, truncation)) truncation = Truncation::cubic_force_switched;
    CAPTURE(table[k].name);
    const PairFunction first = example(table[k], truncation),
                       other = example(next, truncation, 1.05, 2.1),
                       also_first = example(table[k], truncation, 0.95, 2.3),
                       mixed = example(lennard_jones_entry, truncation, 0.97);
    // By types: 0 0, 0 1, 0 2; 1 1, 1 2; 2 2.
    const std::vector<PairFunction> pairs{first, mixed, other, mixed,     mixed,
                                          mixed, other, mixed, also_first};
    check_kernels(pairs, 3, truncation, {{8.3, 7.9, 8.1}, {1.0, -0.7, 0.9}}, 343);
  }
}

TEST_CASE("every kernel computes pairs that each end in a way of their own") {
  const PairPotentialRow& lennard_jones_entry = *find_pair_potential("lennard_jones");
  const PairPotentialRow& mie = *find_pair_potential("mie");
  // By types: 0 0, 0 1, 0 2; 1 1, 1 2; 2 2. The first one is that of the run.
  const PairFunction run = example(lennard_jones_entry, Truncation::shifted),
                     shorter = example(lennard_jones_entry, Truncation::shifted, 0.95, 2.2),
                     switched = example(lennard_jones_entry, Truncation::quintic_switched),
                     cut = example(mie, Truncation::truncated, 1.02),
                     smooth = example(mie, Truncation::cubic_force_switched),
                     other = example(mie, Truncation::switched, 0.97, 2.1);
  const std::vector<PairFunction> pairs{run,    shorter,  switched, shorter, cut,
                                        smooth, switched, smooth,   other};
  check_kernels(pairs, 3, Truncation::shifted, {{8.3, 7.9, 8.1}, {1.0, -0.7, 0.9}}, 343);
}

TEST_CASE("the virial is what straining the box does to the energy") {
  for (const PairPotentialRow& entry : pair_potential_table()) {
    CAPTURE(entry.name);
    const std::vector<PairFunction> pairs{example(entry, Truncation::force_shifted)};
    const PairFunction::Ending ending{cutoff, Truncation::force_shifted, 0.0};
    const Box box{{8.3, 7.9, 8.1}};
    const ParticleStore start = test::jittered_lattice(box, 343, 1, 0.1, 5);
    PairForces forces(pairs, 1, ending, Precision::double_precision, "auto");
    // x += strain * y and so on: number k of xx yy zz xy xz yz.
    const auto strained = [&](int k, double strain) {
      const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
      Box other = box;
      if (k < 3) {
        other.length[row[k]] *= 1.0 + strain;
      } else {
        other = Box{box.length,
                    Tilt{k == 3 ? strain * box.length.y : 0.0, k == 4 ? strain * box.length.z : 0.0,
                         k == 5 ? strain * box.length.z : 0.0}};
      }
      ParticleStore particles;
      particles.resize_local(start.local_count());
      for (std::size_t i = 0; i < start.local_count(); ++i) {
        Vec3 p = start.position[i].vector();
        p[row[k]] += strain * p[column[k]];
        int image[3];
        p = other.wrap(p, image);
        particles.position[i] = {p.x, p.y, p.z, 0};
        particles.id[i] = start.id[i];
        particles.velocity[i] = {};
        particles.image[i] = {};
      }
      PairList list("auto", forces.group(), true);
      test::rebuild(list, particles, other, cutoff + 0.3);
      return test::compute(forces, list, particles);
    };
    const EnergyAndVirial sums = strained(0, 0.0);
    double scale = 0.0;
    for (const double v : sums.virial) scale = std::max(scale, std::abs(v));
    for (int k = 0; k < 6; ++k) {
      CAPTURE(k);
      const double h = 2e-5;
      const double slope = (strained(k, h).energy - strained(k, -h).energy) / (2.0 * h);
      CHECK(std::abs(slope + sums.virial[k]) < 2e-7 * scale);
    }
  }
}

TEST_CASE("particles at one place get no force where the potential is finite there") {
  for (const PairPotentialRow& entry : pair_potential_table()) {
    if (!entry.finite_at_zero) continue;
    CAPTURE(entry.name);
    // Beside Lennard-Jones pairs, which would be infinite there.
    const PairFunction soft = example(entry, Truncation::shifted);
    const PairFunction hard = example(*find_pair_potential("lennard_jones"), Truncation::shifted);
    const std::vector<PairFunction> pairs{soft, hard, hard, hard};
    const PairFunction::Ending ending{cutoff, Truncation::shifted, 0.0};
    for (const PairKernels* kernels : available_pair_kernels()) {
      for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        CAPTURE(std::string(kernels->name));
        const Box box{{9.0, 9.0, 9.0}};
        ParticleStore particles = test::jittered_lattice(box, 27, 1, 0.0, 5);
        particles.position[1] = particles.position[0];
        PairForces forces(pairs, 2, ending, precision, kernels->name);
        PairList list(kernels->name, forces.group(), forces.reads_half_lists());
        test::rebuild(list, particles, box, cutoff + 0.3);
        const EnergyAndVirial sums = test::compute(forces, list, particles);
        CHECK(std::isfinite(sums.energy));
        for (std::size_t i = 0; i < particles.local_count(); ++i) {
          CHECK(std::isfinite(norm(particles.force[i])));
        }
      }
    }
  }
}

TEST_CASE("tail corrections are the integrals beyond the cutoff") {
  const double rc = cutoff;
  const auto tail = [&](const char* name, std::vector<double> parameters) {
    return PairFunction(*find_pair_potential(name), parameters, 0.0, {rc, Truncation::truncated, 0})
        .tail();
  };
  // Integrals of r^2 / r^n and of r^2 r d/dr(-1/r^n).
  const auto power = [&](double n) { return std::pow(rc, 3.0 - n) / (n - 3.0); };
  const auto lj = tail("lennard_jones", {1.3, 0.9});
  const double c6 = 4 * 1.3 * std::pow(0.9, 6), c12 = c6 * std::pow(0.9, 6);
  CHECK(lj.energy == doctest::Approx(c12 * power(12) - c6 * power(6)).epsilon(1e-12));
  CHECK(lj.virial == doctest::Approx(12 * c12 * power(12) - 6 * c6 * power(6)).epsilon(1e-12));

  const double n = 11.5, m = 4.25;
  const auto mie = tail("mie", {0.7, 1.1, n, m});
  const double c = n / (n - m) * std::pow(n / m, m / (n - m)) * 0.7;
  const double cn = c * std::pow(1.1, n), cm = c * std::pow(1.1, m);
  CHECK(mie.energy == doctest::Approx(cn * power(n) - cm * power(m)).epsilon(1e-12));
  CHECK(mie.virial == doctest::Approx(n * cn * power(n) - m * cm * power(m)).epsilon(1e-12));

  // Of r^2 exp(-k r) and r^3 k exp(-k r).
  const auto second = [&](double k) {
    return std::exp(-k * rc) * (rc * rc / k + 2 * rc / (k * k) + 2 / (k * k * k));
  };
  const auto third = [&](double k) {
    return std::exp(-k * rc) *
           (rc * rc * rc + 3 * rc * rc / k + 6 * rc / (k * k) + 6 / (k * k * k));
  };
  const auto buckingham = tail("buckingham", {300.0, 0.3, 2.0});
  CHECK(buckingham.energy == doctest::Approx(300 * second(1 / 0.3) - 2 * power(6)).epsilon(1e-12));
  CHECK(buckingham.virial == doctest::Approx(300 * third(1 / 0.3) - 12 * power(6)).epsilon(1e-12));

  const auto huggins = tail("born_mayer_huggins", {1.5, 1.2, 0.4, 0.6, 0.8});
  const double a = 1.5 * std::exp(1.2 / 0.4);
  CHECK(huggins.energy ==
        doctest::Approx(a * second(2.5) - 0.6 * power(6) - 0.8 * power(8)).epsilon(1e-12));
  CHECK(huggins.virial ==
        doctest::Approx(a * third(2.5) - 3.6 * power(6) - 6.4 * power(8)).epsilon(1e-12));

  const auto morse = tail("morse", {1.4, 2.0, 1.2});
  const double e1 = std::exp(2.0 * 1.2), e2 = e1 * e1;
  CHECK(morse.energy ==
        doctest::Approx(1.4 * (e2 * second(4.0) - 2 * e1 * second(2.0))).epsilon(1e-12));
  CHECK(morse.virial ==
        doctest::Approx(1.4 * (e2 * third(4.0) - 2 * e1 * third(2.0))).epsilon(1e-12));

  // Of r exp(-k r), and of r exp(-k r) + k r^2 exp(-k r).
  const auto yukawa = tail("yukawa", {2.0, 0.8});
  const double k = 0.8, first = std::exp(-k * rc) * (rc / k + 1 / (k * k));
  CHECK(yukawa.energy == doctest::Approx(2 * first).epsilon(1e-12));
  CHECK(yukawa.virial == doctest::Approx(2 * (first + k * second(k))).epsilon(1e-12));

  for (const char* ends : {"weeks_chandler_andersen", "soft", "tabulated"}) {
    const auto nothing = example(*find_pair_potential(ends), Truncation::truncated).tail();
    CHECK(nothing.energy == 0.0);
    CHECK(nothing.virial == 0.0);
  }
}

TEST_CASE("switched potentials end as the formulas of CHARMM, OpenMM and GROMACS say") {
  // In the form of the papers, which is not that of the code.
  const double rc = cutoff, rs = switch_start, epsilon = 1.3, sigma = 0.9;
  const double c6 = 4 * epsilon * std::pow(sigma, 6), c12 = c6 * std::pow(sigma, 6);
  const auto ended = [&](Truncation truncation) {
    return PairFunction(*find_pair_potential("lennard_jones"), std::vector{epsilon, sigma}, 0.0,
                        {rc, truncation, rs});
  };
  const PairFunction quintic = ended(Truncation::quintic_switched),
                     charmm = ended(Truncation::force_switched),
                     gromacs = ended(Truncation::cubic_force_switched);
  // GROMACS: of each power r^-a.
  const auto shift_function = [&](double r, double a) {
    const double width = rc - rs, x = std::max(0.0, r - rs);
    const double A = -a * ((a + 4) * rc - (a + 1) * rs) / (std::pow(rc, a + 2) * width * width);
    const double B =
        a * ((a + 3) * rc - (a + 1) * rs) / (std::pow(rc, a + 2) * width * width * width);
    const auto rest = [&](double y) { return A / 3 * y * y * y + B / 4 * y * y * y * y; };
    const double C = std::pow(rc, -a) - rest(width);
    return std::pow(r, -a) - rest(x) - C;
  };
  // CHARMM: Steinbach and Brooks, eq. 10 to 13, of r^-2m.
  const auto force_switch = [&](double r, double m) {
    if (r < rs) return std::pow(r, -2 * m) - std::pow(rs * rc, -m);
    const double k = std::pow(rc, m) / (std::pow(rc, m) - std::pow(rs, m));
    return k * std::pow(std::pow(r, -m) - std::pow(rc, -m), 2);
  };
  for (const double r : {0.85, 1.0, 1.4, 1.95, 2.0, 2.1, 2.3, 2.49}) {
    CAPTURE(r);
    const double x = std::max(0.0, (r - rs) / (rc - rs));
    const double smooth = 1 - 10 * std::pow(x, 3) + 15 * std::pow(x, 4) - 6 * std::pow(x, 5);
    CHECK(quintic.ended_energy(r) == doctest::Approx(quintic.energy(r) * smooth).epsilon(1e-12));
    CHECK(charmm.ended_energy(r) ==
          doctest::Approx(c12 * force_switch(r, 6) - c6 * force_switch(r, 3)).epsilon(1e-12));
    CHECK(gromacs.ended_energy(r) ==
          doctest::Approx(c12 * shift_function(r, 12) - c6 * shift_function(r, 6)).epsilon(1e-9));
  }
  // What they take away, against a sum over small steps of all distances that are changed.
  for (const Truncation truncation :
       {Truncation::switched, Truncation::quintic_switched, Truncation::force_switched,
        Truncation::cubic_force_switched}) {
    CAPTURE(static_cast<int>(truncation));
    const PairFunction pair = ended(truncation);
    const PairFunction::Tail beyond = ended(Truncation::truncated).tail(), all = pair.tail();
    double energy = 0.0, virial = 0.0;
    const int steps = 40000;
    for (int k = 0; k < steps; ++k) {
      const double r = rc * (k + 0.5) / steps, volume = rc / steps * r * r;
      if (r < 0.5) {
        // The same difference as at larger distances, without the loss of digits.
        energy += volume * (pair.energy(0.5) - pair.ended_energy(0.5));
        continue;
      }
      energy += volume * (pair.energy(r) - pair.ended_energy(r));
      virial += volume * r * (pair.force(r) - pair.ended_force(r));
    }
    CHECK(all.energy - beyond.energy == doctest::Approx(energy).epsilon(1e-6));
    CHECK(all.virial - beyond.virial == doctest::Approx(virial).epsilon(1e-6));
  }
  CHECK_THROWS_AS(example(*find_pair_potential("morse"), Truncation::force_switched),
                  std::invalid_argument);
}

TEST_CASE("sizes, energies and curvatures come from the curves") {
  const auto make = [](const char* name, std::vector<double> parameters) {
    return PairFunction(*find_pair_potential(name), parameters, 0.0,
                        {2.5, Truncation::truncated, 0});
  };
  const PairFunction lj = make("lennard_jones", {1.3, 0.9});
  CHECK(lj.scale().size == 0.9);
  CHECK(lj.scale().energy == 1.3);
  CHECK(lj.stiffness(0.0) == doctest::Approx(57.14628 * 1.3 / 0.81).epsilon(1e-5));
  const PairFunction morse = make("morse", {1.4, 6.0, 1.2});
  CHECK(morse.scale().size == doctest::Approx(1.2 - std::numbers::ln2 / 6.0).epsilon(1e-9));
  CHECK(morse.stiffness(0.0) == doctest::Approx(2.0 * 1.4 * 36.0).epsilon(1e-5));
  const PairFunction buckingham = make("buckingham", {2000.0, 0.15, 1.0});
  CHECK(buckingham.energy(buckingham.scale().size) == doctest::Approx(0.0).epsilon(1e-9));
  CHECK(buckingham.force(buckingham.scale().size) > 0.0);
  double deepest = 0.0;
  for (double r = buckingham.scale().size; r < 2.5; r += 1e-4) {
    deepest = std::max(deepest, -buckingham.energy(r));
  }
  CHECK(buckingham.scale().energy == doctest::Approx(deepest).epsilon(1e-4));
  const PairFunction wca = make("weeks_chandler_andersen", {1.3, 0.9});
  CHECK(wca.scale().size == 0.9);
  CHECK(wca.stiffness(0.0) == doctest::Approx(57.14628 * 1.3 / 0.81).epsilon(1e-3));
  // With charges: the minimum of 1/r^9 - 1/r is at 9^(1/8).
  PairTable table;
  for (int k = 0; k < 4000; ++k) {
    const double r = 0.5 + 0.0005 * k;
    table.distance.push_back(r);
    table.energy.push_back(std::pow(r, -9));
    table.force.push_back(9 * std::pow(r, -10));
  }
  const PairFunction ions(*find_pair_potential("tabulated"), {}, 0.0,
                          {2.5, Truncation::truncated, 0}, &table);
  const double r = std::pow(9.0, 0.125);
  CHECK(ions.stiffness(-1.0) ==
        doctest::Approx(90 * std::pow(r, -11) - 2 * std::pow(r, -3)).epsilon(1e-5));
}

TEST_CASE("tables: the spline is as good as its points") {
  const PairPotentialRow& entry = *find_pair_potential("tabulated");
  for (const bool uneven : {false, true}) {
    const PairTable table = table_of_lennard_jones(2000, uneven);
    const PairFunction pair(entry, {}, 0.0, {2.5, Truncation::truncated, 0}, &table);
    for (double r = 0.8; r < 2.5; r += 0.00317) {
      CAPTURE(r);
      CHECK(std::abs(pair.energy(r) - lennard_jones(r)) < 1e-10 * (1 + std::abs(lennard_jones(r))));
      CHECK(std::abs(pair.force(r) - lennard_jones_force(r)) <
            1e-9 * (1 + std::abs(lennard_jones_force(r))));
    }
    // Below the first point the force stays.
    CHECK(pair.force(0.3) == doctest::Approx(lennard_jones_force(0.5)));
    CHECK(pair.energy(0.3) == doctest::Approx(lennard_jones(0.5) + 0.2 * lennard_jones_force(0.5)));
    // It ends where it ends.
    const PairFunction longer(entry, {}, 0.0, {4.0, Truncation::shifted, 0}, &table);
    CHECK(longer.cutoff() == doctest::Approx(2.6));
  }
}

TEST_CASE("tables: what is wrong is said with its place") {
  const auto message = [](const char* text) -> std::string {
    try {
      read_pair_table(text, 0.1, 4.184);
    } catch (const PairTableError& error) {
      return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.what();
    }
    return "";
  };
  const PairTable good = read_pair_table(
      "# r u f\n\n1.0 4.0 4\n 2.0 1.0 2\t# two\n3.0 0.0 0.5\r\n4.0 0.0 0.0", 0.1, 4.184);
  CHECK(good.distance == std::vector<double>{0.1, 0.2, 0.1 * 3, 0.4});
  CHECK(good.energy[0] == 4.0 * 4.184);
  CHECK(good.force[2] == doctest::Approx(0.5 * 41.84));
  CHECK(message("1 2 3\n2 1 x 4\n") == "2:5: the force is \"x\"; expected a number");
  CHECK(message("1 2 3\n2 1 0.5 4\n") ==
        "2:9: \"4\" is too many: expected three numbers in a line: the distance, the energy and "
        "the force");
  CHECK(message("1 2\n") ==
        "1:4: there are 2 numbers; expected three in a line: the distance, the energy and the "
        "force");
  CHECK(message("1 2 3\n1 1 1\n") ==
        "2:1: distances must ascend: this one is not greater than that before it");
  CHECK(message("0 2 3\n") == "1:1: a distance must be greater than 0");
  CHECK(message("1 2 nan\n") == "1:5: the force is \"nan\"; expected a number");
  CHECK(message("1 2 3\n2 1 1\n# no more\n") ==
        "3:1: there are 2 points; expected at least four lines of distance, energy and force");
  CHECK(message("1 4 -4\n2 1 -2\n3 0 -0.5\n4 0 0\n") ==
        "1:1: the forces in the third column are not -du/dr of the energies in the second; is the "
        "sign right, and the unit?");
}
