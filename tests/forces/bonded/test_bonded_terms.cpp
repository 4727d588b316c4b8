#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/cross_product.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/bonded/bonded_work.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/simd/instruction_set.hpp"

// Every term of the table, by every instruction set and in both precisions: forces are the
// derivative of the energy, the virial is that over strains, and nothing acts on the whole.

using namespace sterna::md;

namespace {

std::vector<const BondedKernels*> all_kernels() {
  return available_kernels<BondedKernels>(STERNA_KERNEL_FAMILY(bonded_kernels));
}

constexpr int table_edge = 24;

/// A smooth function of two angles, in radians.
double surface(double phi, double psi) {
  return 2.0 * std::cos(phi - 0.4) + 1.5 * std::sin(psi + 0.3) + 0.7 * std::cos(2.0 * phi + psi) +
         0.4 * std::sin(phi - 2.0 * psi);
}

std::vector<double> table_of_surface(double factor) {
  std::vector<double> values;
  constexpr double pi = std::numbers::pi, step = 2.0 * pi / table_edge;
  for (int row = 0; row < table_edge; ++row) {
    for (int column = 0; column < table_edge; ++column) {
      values.push_back(factor * surface(row * step - pi, column * step - pi));
    }
  }
  return values;
}

/// Of a smooth function of a distance or an angle in degrees, with its forces; or of a surface.
std::vector<double> table_of(const BondedRow& entry, double factor) {
  if (entry.atoms == 5) return entry.table({}, table_of_surface(factor), {});
  const double first = entry.atoms == 2 ? 0.1 : entry.atoms == 3 ? 0.0 : -180.0;
  const double last = entry.atoms == 2 ? 3.1 : 180.0;
  // Whole waves over the range.
  constexpr int points = 41;
  const double wave = 2.0 * std::numbers::pi / (last - first);
  std::vector<double> energies, forces;
  for (int n = 0; n < points; ++n) {
    const double x = first + (last - first) * n / (points - 1);
    energies.push_back(factor * (2.0 * std::cos(wave * x - 0.4) + std::sin(2.0 * wave * x)));
    forces.push_back(factor * wave *
                     (2.0 * std::sin(wave * x - 0.4) - 2.0 * std::cos(2.0 * wave * x)));
  }
  const double ends[] = {first, last};
  return entry.table(entry.atoms == 2 ? std::span<const double>(ends) : std::span<const double>(),
                     energies, forces);
}

/// Some terms of one kind, each with atoms of its own at random places about `length` apart.
struct Terms {
  Terms(std::uint32_t number, std::size_t count, double length, unsigned seed)
      : entry(&bonded_table()[number]), kind(number), terms(count) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    const auto atoms = static_cast<std::size_t>(entry->atoms);
    for (std::size_t t = 0; t < count; ++t) {
      Vec3 at{normal(engine), normal(engine), normal(engine)};
      for (std::size_t k = 0; k < atoms; ++k) {
        positions.push_back(at);
        Vec3 step{normal(engine), normal(engine), normal(engine)};
        step *= length * (0.9 + 0.05 * static_cast<double>(t % 5)) / std::sqrt(dot(step, step));
        at += step;
        places.push_back(static_cast<std::uint32_t>(places.size()));
      }
    }
    // Two rows of different coefficients.
    std::array<std::uint32_t, 2> begin{0, 1};
    for (const double factor : {1.0, 1.03}) {
      if (entry->table != nullptr) {
        const std::vector<double> table = table_of(*entry, factor);
        begin[1] = static_cast<std::uint32_t>(coefficients.size());
        coefficients.insert(coefficients.end(), table.begin(), table.end());
        continue;
      }
      std::vector<double> parameters;
      for (const BondedParameter& parameter : entry->parameters) {
        const bool scaled = !parameter.whole && parameter.name != "zero_angle";
        parameters.push_back((scaled ? factor : 1.0) * parameter.example);
      }
      std::vector<double> own(static_cast<std::size_t>(entry->coefficient_count), 0.0);
      entry->coefficients(parameters, own);
      coefficients.insert(coefficients.end(), own.begin(), own.end());
    }
    coefficients.resize(coefficients.size() + 3);
    for (std::size_t t = 0; t < count; ++t) row.push_back(begin[t % 2]);
  }

  struct Result {
    double energy = 0.0;
    std::vector<Vec3> forces;
    std::array<double, 6> virial{};
  };
  Result compute(const BondedKernels& kernels, bool mixed, std::size_t first,
                 std::size_t count) const {
    AlignedBuffer<Position> position(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      position[i] = {positions[i].x, positions[i].y, positions[i].z, 0};
    }
    Result result;
    result.forces.resize(positions.size());
    const auto atoms = static_cast<std::size_t>(entry->atoms);
    BondedWork work{};
    work.position = position.data();
    work.count = count;
    work.places = places.data() + first * atoms;
    work.local_count = positions.size();
    work.row = row.data() + first;
    work.with_sums = true;
    work.coefficients = coefficients.data();
    work.force = result.forces.data();
    (mixed ? kernels.terms[kind].mixed : kernels.terms[kind].in_double)(work);
    result.energy = work.energy;
    std::copy_n(work.virial, 6, result.virial.begin());
    return result;
  }
  Result compute(const BondedKernels& kernels, bool mixed = false) const {
    return compute(kernels, mixed, 0, terms);
  }

  /// Two terms after each other as one molecule, all of them side by side.
  Result compute_molecules(const BondedKernels& kernels, bool mixed) const {
    AlignedBuffer<Position> position(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      position[i] = {positions[i].x, positions[i].y, positions[i].z, 1};
    }
    Result result;
    result.forces.resize(positions.size());
    const auto atoms = 2 * static_cast<std::size_t>(entry->atoms);
    AlignedBuffer<double> room(atoms * MoleculeBatch::room_per_atom);
    TermsOfMolecule of_molecule{kind, 2, places.data(), row.data(), coefficients.data(), 0.0, {}};
    MoleculeWork work{{terms / 2, atoms, places.data(), position.data(), nullptr, positions.size(),
                       result.forces.data(), room.data()},
                      &of_molecule,
                      1,
                      true};
    (mixed ? kernels.molecules_mixed : kernels.molecules_in_double)(work);
    result.energy = of_molecule.energy;
    std::copy_n(of_molecule.virial, 6, result.virial.begin());
    return result;
  }

  const BondedRow* entry;
  std::uint32_t kind;
  std::size_t terms;
  std::vector<Vec3> positions;
  std::vector<std::uint32_t> places, row;
  std::vector<double> coefficients;
};

double rms(const std::vector<Vec3>& forces) {
  double sum = 0.0;
  for (const Vec3& f : forces) sum += dot(f, f);
  return std::sqrt(sum / static_cast<double>(forces.size()));
}

/// By five points, the error of which falls with the fourth power of the step.
template <class Energy>
double derivative(const Energy& energy, double step) {
  return (8.0 * (energy(step) - energy(-step)) - (energy(2.0 * step) - energy(-2.0 * step))) /
         (12.0 * step);
}

/// The energy of one term of four atoms that begin at (1, 0, 0), the origin and (0, 0, 1), whose
/// last atom is turned by `degrees` from the first.
double energy_of_dihedral(std::string_view section, std::string_view name,
                          const std::vector<double>& parameters, double degrees) {
  const std::uint32_t kind = *find_bonded(section, name);
  Terms term(kind, 1, 1.0, 1);
  const double phi = degrees * std::numbers::pi / 180.0;
  // Seen along the middle bond, which points to +z, clockwise turns from +x to +y.
  term.positions = {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {std::cos(phi), std::sin(phi), 1}};
  std::ranges::fill(term.coefficients, 0.0);
  term.entry->coefficients(parameters, {term.coefficients.data(),
                                        static_cast<std::size_t>(term.entry->coefficient_count)});
  return term.compute(*all_kernels().back()).energy;
}

}  // namespace

TEST_CASE("forces are minus the derivative of the energy") {
  for (const BondedKernels* kernels : all_kernels()) {
    for (std::uint32_t kind = 0; kind < bonded_table().size(); ++kind) {
      Terms terms(kind, 13, 1.2, 7 + kind);
      INFO(kernels->name, " ", terms.entry->energy_name);
      const auto atoms = static_cast<std::size_t>(terms.entry->atoms);
      const Terms::Result result = terms.compute(*kernels);
      const double scale = rms(result.forces);
      CHECK(scale > 0.0);
      for (std::size_t i = 0; i < terms.positions.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 before = terms.positions[i];
          const double slope = derivative(
              [&](double by) {
                terms.positions[i] = before;
                terms.positions[i][axis] += by;
                return terms.compute(*kernels, false, i / atoms, 1).energy;
              },
              2e-5);
          terms.positions[i] = before;
          CHECK(result.forces[i][axis] == doctest::Approx(-slope).scale(scale).epsilon(1e-8));
        }
      }
    }
  }
}

TEST_CASE("the virial is minus the derivative of the energy over strains of space") {
  for (const BondedKernels* kernels : all_kernels()) {
    for (std::uint32_t kind = 0; kind < bonded_table().size(); ++kind) {
      Terms terms(kind, 11, 1.1, 3 + kind);
      INFO(kernels->name, " ", terms.entry->energy_name);
      const Terms::Result result = terms.compute(*kernels);
      double scale = 0.0;
      for (const double component : result.virial) scale = std::max(scale, std::abs(component));
      const std::vector<Vec3> before = terms.positions;
      constexpr std::pair<int, int> components[] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
      for (std::size_t c = 0; c < 6; ++c) {
        const auto [a, b] = components[c];
        const double slope = derivative(
            [&, a = a, b = b](double strain) {
              for (std::size_t i = 0; i < before.size(); ++i) {
                terms.positions[i] = before[i];
                terms.positions[i][a] += strain * before[i][b];
              }
              return terms.compute(*kernels).energy;
            },
            5e-5);
        terms.positions = before;
        // Torsions leave hardly any strain that does not turn: energies bound the error.
        CHECK(
            result.virial[c] ==
            doctest::Approx(-slope).scale(std::max(scale, std::abs(result.energy))).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("nothing acts on the whole: no force, no torque") {
  for (const BondedKernels* kernels : all_kernels()) {
    for (std::uint32_t kind = 0; kind < bonded_table().size(); ++kind) {
      const Terms terms(kind, 37, 1.15, 11 + kind);
      INFO(kernels->name, " ", terms.entry->energy_name);
      for (const bool mixed : {false, true}) {
        const Terms::Result result = terms.compute(*kernels, mixed);
        const double scale = rms(result.forces);
        Vec3 force, torque;
        for (std::size_t i = 0; i < result.forces.size(); ++i) {
          force += result.forces[i];
          torque += cross(terms.positions[i], result.forces[i]);
        }
        CHECK(std::sqrt(dot(force, force)) < 1e-12 * scale * 37);
        CHECK(std::sqrt(dot(torque, torque)) < (mixed ? 1e-4 : 1e-11) * scale * 37);
      }
    }
  }
}

TEST_CASE("precisions, instruction sets, terms one by one and molecules side by side agree") {
  for (std::uint32_t kind = 0; kind < bonded_table().size(); ++kind) {
    const Terms terms(kind, 54, 1.12, 23 + kind);
    const Terms::Result reference = terms.compute(*all_kernels().back());
    const double scale = rms(reference.forces);
    const auto check = [&](const Terms::Result& result, bool mixed) {
      double sum = 0.0;
      for (std::size_t i = 0; i < result.forces.size(); ++i) {
        const Vec3 d = result.forces[i] - reference.forces[i];
        sum += dot(d, d);
      }
      const double error = std::sqrt(sum / static_cast<double>(result.forces.size())) / scale;
      const double tolerance = mixed ? 1e-5 : 1e-12;
      CHECK(error < tolerance);
      CHECK(result.energy == doctest::Approx(reference.energy).epsilon(tolerance));
      for (std::size_t k = 0; k < 6; ++k) {
        CHECK(result.virial[k] ==
              doctest::Approx(reference.virial[k]).scale(54.0 * scale).epsilon(tolerance));
      }
    };
    for (const BondedKernels* kernels : all_kernels()) {
      INFO(kernels->name, " ", terms.entry->energy_name);
      for (const bool mixed : {false, true}) {
        check(terms.compute(*kernels, mixed), mixed);
        check(terms.compute_molecules(*kernels, mixed), mixed);
      }
    }
  }
}

TEST_CASE("dihedral angles are those of IUPAC") {
  // A cosine whose maximum lies at 90 degrees tells the sign.
  CHECK(energy_of_dihedral("torsion", "periodic", {1.0, 1.0, 90.0}, 90.0) ==
        doctest::Approx(2.0).epsilon(1e-12));
  CHECK(energy_of_dihedral("torsion", "periodic", {1.0, 1.0, 90.0}, -90.0) ==
        doctest::Approx(0.0).scale(1.0).epsilon(1e-12));
  for (const double degrees : {-180.0, -120.0, -61.0, 0.0, 33.0, 90.0, 179.0}) {
    const double phi = degrees * std::numbers::pi / 180.0;
    INFO(degrees);
    for (int n = 1; n <= 6; ++n) {
      CHECK(
          energy_of_dihedral("torsion", "periodic", {1.5, static_cast<double>(n), 25.0}, degrees) ==
          doctest::Approx(1.5 * (1.0 + std::cos(n * phi - 25.0 * std::numbers::pi / 180.0)))
              .epsilon(1e-12));
    }
    const double v1 = 2.952, v2 = -0.567, v3 = 6.579, v4 = 0.3;
    const double opls = 0.5 * (v1 * (1 + std::cos(phi)) + v2 * (1 - std::cos(2 * phi)) +
                               v3 * (1 + std::cos(3 * phi)) + v4 * (1 - std::cos(4 * phi)));
    CHECK(energy_of_dihedral("torsion", "opls", {v1, v2, v3, v4}, degrees) ==
          doctest::Approx(opls).scale(1.0).epsilon(1e-12));
    // The same as a polynomial, counted from trans and from cis.
    const double c0 = v2 + 0.5 * (v1 + v3), c1 = 0.5 * (3 * v3 - v1), c2 = -v2 + 4 * v4,
                 c3 = -2 * v3, c4 = -4 * v4;
    CHECK(energy_of_dihedral("torsion", "ryckaert_bellemans", {c0, c1, c2, c3, c4, 0.0, 180.0},
                             degrees) == doctest::Approx(opls).scale(1.0).epsilon(1e-12));
    CHECK(energy_of_dihedral("torsion", "ryckaert_bellemans", {c0, -c1, c2, -c3, c4, 0.0, 0.0},
                             degrees) == doctest::Approx(opls).scale(1.0).epsilon(1e-12));
    // The short way round.
    for (const double rest : {-170.0, 0.0, 100.0}) {
      const double bend = std::remainder(degrees - rest, 360.0) * std::numbers::pi / 180.0;
      CHECK(energy_of_dihedral("improper", "harmonic", {3.0, rest}, degrees) ==
            doctest::Approx(1.5 * bend * bend).scale(1.0).epsilon(1e-12));
    }
  }
}

TEST_CASE("terms have the energies of their papers' formulas") {
  // Places by lengths and angles: r of the first bond, theta1 and theta2 of the two angles, phi.
  struct Shape {
    double r, theta1, theta2, phi;
  };
  struct Formula {
    std::string_view section, name;
    std::vector<double> parameters;
    double (*energy)(const Shape&);
  };
  constexpr double degree = std::numbers::pi / 180.0;
  const Formula formulas[] = {
      {"bond",
       "gromos",
       {40.0, 1.1},
       [](const Shape& s) { return 40.0 / (8 * 1.21) * std::pow(s.r * s.r - 1.21, 2); }},
      {"bond",
       "polynomial",
       {40.0, 1.1, -25.0, 60.0},
       [](const Shape& s) {
         const double d = s.r - 1.1;
         return 20.0 * d * d - 25.0 * d * d * d + 60.0 * std::pow(d, 4);
       }},
      {"bond",
       "fene",
       {30.0, 1.6, 1.0, 1.05, 0.02},
       [](const Shape& s) {
         const double x = s.r - 0.02, sixth = std::pow(1.05 / x, 6);
         const double repulsion =
             x < std::pow(2.0, 1.0 / 6.0) * 1.05 ? 4.0 * (sixth * sixth - sixth) + 1.0 : 0.0;
         return -15.0 * 2.56 * std::log(1.0 - x * x / 2.56) + repulsion;
       }},
      {"bond",
       "flat_bottom",
       {40.0, 1.11, 1.17, 1.29},
       [](const Shape& s) {
         if (s.r < 1.11) return 20.0 * std::pow(s.r - 1.11, 2);
         if (s.r < 1.17) return 0.0;
         if (s.r < 1.29) return 20.0 * std::pow(s.r - 1.17, 2);
         return 20.0 * 0.12 * 0.12 + 40.0 * 0.12 * (s.r - 1.29);
       }},
      {"angle",
       "cosine_squared",
       {30.0, 109.5},
       [](const Shape& s) {
         return 15.0 * std::pow(std::cos(s.theta1) - std::cos(109.5 * degree), 2);
       }},
      {"angle",
       "restricted",
       {5.0, 109.5},
       [](const Shape& s) {
         const double bend = std::cos(s.theta1) - std::cos(109.5 * degree);
         return 2.5 * bend * bend / std::pow(std::sin(s.theta1), 2);
       }},
      {"angle",
       "polynomial",
       {109.5, 1.0, 0.5, 15.0, -7.0, 4.0, -4.0, 3.0},
       [](const Shape& s) {
         const double t = s.theta1 - 109.5 * degree;
         return 1.0 + 0.5 * t + 15.0 * t * t - 7.0 * t * t * t + 4.0 * std::pow(t, 4) -
                4.0 * std::pow(t, 5) + 3.0 * std::pow(t, 6);
       }},
      {"angle",
       "cosine_polynomial",
       {3.0, 2.0, -1.5, 4.0, 0.7, -2.5, 1.3, 1.5},
       [](const Shape& s) {
         const double c = std::cos(s.theta1);
         return 3.0 + 2.0 * c - 1.5 * c * c + 4.0 * std::pow(c, 3) + 0.7 * std::pow(c, 4) -
                2.5 * std::pow(c, 5) + 1.3 * std::pow(c, 6) + 1.5 * std::sin(s.theta1);
       }},
      {"torsion",
       "restricted",
       {0.5, 95.0},
       [](const Shape& s) {
         const double bend = std::cos(s.phi) - std::cos(95.0 * degree);
         return 0.25 * bend * bend / std::pow(std::sin(s.phi), 2);
       }},
      {"torsion",
       "bending_torsion",
       {2.0, -1.2, 3.3, 4.1, -2.4},
       [](const Shape& s) {
         const double c = std::cos(s.phi);
         return std::pow(std::sin(s.theta1) * std::sin(s.theta2), 3) *
                (2.0 - 1.2 * c + 3.3 * c * c + 4.1 * c * c * c - 2.4 * std::pow(c, 4));
       }},
      {"bond",
       "shifted_harmonic",
       {8.0, 1.1, 1.6, 1.3},
       [](const Shape& s) {
         return s.r > 1.3 ? 0.0 : 8.0 * (std::pow((s.r - 1.1) / 0.5, 2) - 1.0);
       }},
      {"bond",
       "shifted_harmonic",
       {8.0, 1.1, 1.6, 0.0},
       [](const Shape& s) { return 8.0 * (std::pow((s.r - 1.1) / 0.5, 2) - 1.0); }},
      {"bond",
       "nonlinear",
       {40.0, 1.1, 0.5},
       [](const Shape& s) {
         const double square = std::pow(s.r - 1.1, 2);
         return 20.0 * 0.25 * square / (0.25 - square);
       }},
      {"bond",
       "gaussian",
       {2.5, 0.5, 0.4, 1.0, 0.3, 0.6, 1.5, 0.0, 0.0, 0.0},
       [](const Shape& s) {
         const double root = std::sqrt(std::numbers::pi / 2);
         return -2.5 * std::log(0.5 / (0.4 * root) * std::exp(-2 * std::pow((s.r - 1) / 0.4, 2)) +
                                0.3 / (0.6 * root) * std::exp(-2 * std::pow((s.r - 1.5) / 0.6, 2)));
       }},
      {"angle",
       "gaussian",
       {2.5, 20.0, 18.0, 100.0, 14.0, 25.0, 130.0, 9.0, 15.0, 85.0},
       [](const Shape& s) {
         double sum = 0.0;
         for (const auto& [area, width, center] :
              {Vec3{20, 18, 100}, Vec3{14, 25, 130}, Vec3{9, 15, 85}}) {
           const double apart = (s.theta1 / degree - center) / width;
           sum += area / (width * std::sqrt(std::numbers::pi / 2)) * std::exp(-2 * apart * apart);
         }
         return -2.5 * std::log(sum);
       }},
      {"angle",
       "cosine_exponential",
       {8.0, 109.5, 2.0},
       [](const Shape& s) {
         const double x = 0.5 * (1.0 + std::cos(s.theta1 - 109.5 * degree));
         return 8.0 * (1.0 - std::exp(2.0 * x)) / (std::exp(2.0) - 1.0);
       }},
      {"angle",
       "cosine_exponential",
       {8.0, 100.0, -1.5},
       [](const Shape& s) {
         const double x = 0.5 * (1.0 + std::cos(s.theta1 - 100.0 * degree));
         return 8.0 * (1.0 - std::exp(-1.5 * x)) / (std::exp(-1.5) - 1.0);
       }},
      {"angle",
       "stretch_stretch",
       {9.0, 1.05, 1.4},
       [](const Shape& s) { return 9.0 * (s.r - 1.05) * (1.3 - 1.4); }},
      {"angle",
       "stretch_bend",
       {9.0, -5.0, 1.05, 1.4, 109.5},
       [](const Shape& s) {
         return (9.0 * (s.r - 1.05) - 5.0 * (1.3 - 1.4)) * (s.theta1 - 109.5 * degree);
       }},
      {"angle",
       "stretch_outer",
       {9.0, 1.05, 1.4, 1.9},
       [](const Shape& s) {
         const double outer = std::sqrt(s.r * s.r + 1.69 - 2.6 * s.r * std::cos(s.theta1));
         return 9.0 * (outer - 1.9) * (s.r - 1.05 + 1.3 - 1.4);
       }},
      {"angle",
       "linear",
       {12.0, 0.35},
       [](const Shape& s) {
         const double x = 0.35 * s.r * std::sin(s.theta1);
         const double z = 0.35 * s.r * std::cos(s.theta1) + 0.65 * 1.3;
         return 6.0 * (x * x + z * z);
       }},
      {"torsion",
       "cosine_exponential",
       {8.0, 95.0, 2.0},
       [](const Shape& s) {
         const double x = 0.5 * (1.0 + std::cos(s.phi - 95.0 * degree));
         return 8.0 * (1.0 - std::exp(2.0 * x)) / (std::exp(2.0) - 1.0);
       }},
      {"torsion",
       "flat_bottom",
       {5.0, 95.0, 20.0},
       [](const Shape& s) {
         const double turn = std::abs(std::remainder(s.phi - 95.0 * degree, 360.0 * degree));
         return 2.5 * std::pow(std::max(turn - 20.0 * degree, 0.0), 2);
       }},
      {"torsion",
       "stretch_torsion",
       {3.0, -2.0, 1.5, 4.0, 2.5, -1.0, -3.5, 1.2, 2.2, 1.05, 1.4, 1.0},
       [](const Shape& s) {
         const double c1 = std::cos(s.phi), c2 = std::cos(2 * s.phi), c3 = std::cos(3 * s.phi);
         return (s.r - 1.05) * (3.0 * c1 - 2.0 * c2 + 1.5 * c3) +
                (1.3 - 1.4) * (4.0 * c1 + 2.5 * c2 - c3) +
                (0.9 - 1.0) * (-3.5 * c1 + 1.2 * c2 + 2.2 * c3);
       }},
      {"torsion",
       "bend_torsion",
       {3.0, -2.0, 1.5, -3.5, 1.2, 2.2, 109.5, 115.0},
       [](const Shape& s) {
         const double c1 = std::cos(s.phi), c2 = std::cos(2 * s.phi), c3 = std::cos(3 * s.phi);
         return (s.theta1 - 109.5 * degree) * (3.0 * c1 - 2.0 * c2 + 1.5 * c3) +
                (s.theta2 - 115.0 * degree) * (-3.5 * c1 + 1.2 * c2 + 2.2 * c3);
       }},
      {"torsion",
       "bend_bend_torsion",
       {4.0, 109.5, 115.0},
       [](const Shape& s) {
         return 4.0 * (s.theta1 - 109.5 * degree) * (s.theta2 - 115.0 * degree) * std::cos(s.phi);
       }},
      {"torsion",
       "stretch_stretch",
       {9.0, 1.05, 1.4},
       [](const Shape& s) { return 9.0 * (s.r - 1.05) * (0.9 - 1.4); }},
      {"torsion",
       "spherical",
       {2.0, 3.0, 30.0, 0.8, 2.0, 100.0, 0.3, 0.0, 70.0, -0.4},
       [](const Shape& s) {
         return 2.0 * (0.8 - std::cos(3 * (s.phi - 30.0 * degree))) *
                (0.3 - std::cos(2 * (s.theta1 - 100.0 * degree))) * (-0.4 - 1.0);
       }},
      {"improper",
       "unsigned_harmonic",
       {15.0, 35.0},
       [](const Shape& s) { return 7.5 * std::pow(std::abs(s.phi) - 35.0 * degree, 2); }},
  };
  for (const Formula& formula : formulas) {
    for (const Shape& shape : {Shape{1.05, 1.9, 1.2, 0.7}, Shape{1.14, 0.4, 2.6, -2.1},
                               Shape{1.22, 2.8, 1.6, 1.6}, Shape{1.35, 1.5, 0.9, -0.1}}) {
      INFO(formula.section, " ", formula.name, " ", shape.r);
      Terms term(*find_bonded(formula.section, formula.name), 1, 1.0, 1);
      const auto [r, theta1, theta2, phi] = shape;
      const Vec3 places[] = {
          {r * std::sin(theta1), 0.0, r * std::cos(theta1)},
          {0.0, 0.0, 0.0},
          {0.0, 0.0, 1.3},
          {0.9 * std::sin(theta2) * std::cos(phi), 0.9 * std::sin(theta2) * std::sin(phi),
           1.3 - 0.9 * std::cos(theta2)}};
      std::copy_n(places, term.positions.size(), term.positions.begin());
      term.entry->coefficients(
          formula.parameters,
          {term.coefficients.data(), static_cast<std::size_t>(term.entry->coefficient_count)});
      CHECK(term.compute(*all_kernels().back()).energy ==
            doctest::Approx(formula.energy(shape)).scale(1.0).epsilon(1e-12));
    }
  }
}

TEST_CASE("terms about a center have the energies of their formulas") {
  constexpr double degree = std::numbers::pi / 180.0;
  const auto length = [](const Vec3& a) { return std::sqrt(dot(a, a)); };
  const auto cosine = [&](const Vec3& a, const Vec3& b) {
    return dot(a, b) / (length(a) * length(b));
  };
  const auto out_of_plane = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    return std::asin(cosine(cross(a, b), c));
  };
  // Nearly plane, to either side; a pyramid; one bond to the side of the two others.
  const std::vector<Vec3> places[] = {
      {{0, 0, 0}, {1.1, 0, 0.2}, {-0.5, 0.9, 0.1}, {-0.6, -1.0, -0.1}},
      {{0, 0, 0}, {1.1, 0, -0.2}, {-0.5, 0.9, -0.1}, {-0.6, -1.0, -0.3}},
      {{0.3, 0.2, 1}, {1.1, 0, 0}, {-0.5, 0.9, 0.1}, {-0.6, -1.0, 0}},
      {{0, 0, 0}, {1.1, 0.1, 0.2}, {-0.2, 0.9, 0.1}, {0.9, 0.8, 0.4}},
  };
  for (const std::vector<Vec3>& at : places) {
    const Vec3 u = at[1] - at[0], v = at[2] - at[0], w = at[3] - at[0];
    const auto check = [&](std::string_view name, const std::vector<double>& parameters,
                           double expected) {
      INFO(name, " ", at[0].z, " ", at[1].z);
      Terms term(*find_bonded("improper", name), 1, 1.0, 1);
      term.positions = at;
      term.entry->coefficients(
          parameters,
          {term.coefficients.data(), static_cast<std::size_t>(term.entry->coefficient_count)});
      CHECK(term.compute(*all_kernels().back()).energy ==
            doctest::Approx(expected).scale(1.0).epsilon(1e-12));
    };
    const double omega = out_of_plane(u, v, w);
    check("inversion", {15.0, 12.0}, 7.5 * std::pow(std::abs(omega) - 12.0 * degree, 2));
    const double same_side = dot(w, u) / length(u) + dot(w, v) / length(v);
    const double signed_cosine = (same_side > 0.0 ? -1.0 : 1.0) * std::cos(omega);
    check("inversion_cosine", {3.0, -8.0, 5.0},
          3.0 - 8.0 * signed_cosine + 5.0 * signed_cosine * signed_cosine);
    const double chi = (omega + out_of_plane(v, w, u) + out_of_plane(w, u, v)) / 3.0;
    check("wilson", {15.0, 5.0}, 7.5 * std::pow(chi - 5.0 * degree, 2));
    const Vec3 normal = cross(at[2] - at[1], at[3] - at[1]);
    const double d = dot(at[0] - at[1], normal) / length(normal);
    check("plane_distance", {3.0, -2.0, 9.0, 1.5, 4.0},
          3.0 - 2.0 * d + 9.0 * d * d + 1.5 * d * d * d + 4.0 * d * d * d * d);
    const double uv = cosine(u, v), uw = cosine(u, w), vw = cosine(v, w);
    check("ring", {6.0, 119.0}, std::pow(uv + uw + vw - 3.0 * std::cos(119.0 * degree), 6));
    const double t23 = std::acos(uv) - 112.0 * degree, t24 = std::acos(uw) - 105.0 * degree,
                 t34 = std::acos(vw) - 98.0 * degree;
    check("angle_angle", {7.0, -4.0, 3.0, 112.0, 105.0, 98.0},
          7.0 * t23 * t24 - 4.0 * t23 * t34 + 3.0 * t24 * t34);
    const double theta = std::acos(cosine(u, at[3] - at[2]));
    check("vector_angle", {2.0, 3.0, 30.0}, 2.0 * (1.0 + std::cos(3.0 * theta - 30.0 * degree)));
    check("vector_angle", {2.0, 1.0, -80.0}, 2.0 * (1.0 + std::cos(theta + 80.0 * degree)));
  }
}

TEST_CASE("in line, in a plane and upright on one, energies and forces are finite") {
  const std::vector<Vec3> shapes[] = {
      {{0, 0, -1}, {0, 0, 0}, {0, 0, 1.3}, {0, 0, 2}, {0, 0, 3}},
      {{0, 0, -1}, {0, 0, 0}, {0, 0, -1.3}, {0, 0, 2}, {0, 0, 3}},
      {{0, 0, 0}, {1, 0, 0}, {-0.5, 0.9, 0}, {-0.5, -0.9, 0}, {1, 1, 0}},
      {{0, 0, 0}, {1, 0, 0}, {-0.5, 0.9, 0}, {0, 0, 1.1}, {1, 1, 0}},
      {{0.1, 0.2, 0.3}, {0.7, 0.5, 0.9}, {1.3, 0.8, 1.5}, {1.9, 1.1, 2.1}, {2.5, 1.4, 2.7}},
  };
  for (std::uint32_t kind = 0; kind < bonded_table().size(); ++kind) {
    const BondedRow& entry = bonded_table()[kind];
    // What keeps atoms out of line or out of a plane has no finite energy there.
    if (entry.name == "restricted") continue;
    Terms term(kind, 1, 1.0, 1);
    for (const std::vector<Vec3>& shape : shapes) {
      std::copy_n(shape.begin(), term.positions.size(), term.positions.begin());
      for (const BondedKernels* kernels : all_kernels()) {
        for (const bool mixed : {false, true}) {
          INFO(kernels->name, " ", entry.energy_name, " ", mixed, " ", shape[2].z);
          const Terms::Result result = term.compute(*kernels, mixed);
          CHECK(std::isfinite(result.energy));
          CHECK(std::isfinite(rms(result.forces)));
        }
      }
    }
  }
}

TEST_CASE("near a line, the forces of angles are across the bonds and as large as they should be") {
  constexpr double stiffness = 40.0, rest = 110.0, degree = std::numbers::pi / 180.0;
  const struct {
    std::string_view name;
    std::vector<double> parameters;
    double slope;  ///< derivative of the energy over the angle, of atoms in line
  } angles[] = {
      {"harmonic", {stiffness, rest}, stiffness * (180.0 - rest) * degree},
      {"polynomial", {rest, 0.0, stiffness, 0.0, 0.0, 0.0, 0.0, 0.0}, stiffness},
      {"cosine_polynomial", {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, stiffness}, -stiffness},
  };
  const Vec3 along{0.36, 0.48, 0.8}, across{0.8, -0.6, 0.0};
  const double first = 0.3, last = 0.7;
  for (const auto& angle : angles) {
    for (const double bent : {1e-4, 1e-7, 1e-10, 1e-14}) {
      Terms term(*find_bonded("angle", angle.name), 1, 1.0, 1);
      term.positions[term.places[0]] = -first * along;
      term.positions[term.places[1]] = {};
      term.positions[term.places[2]] = last * along + bent * last * across;
      term.coefficients.assign(static_cast<std::size_t>(term.entry->coefficient_count) + 3, 0.0);
      term.entry->coefficients(angle.parameters, term.coefficients);
      for (const BondedKernels* kernels : all_kernels()) {
        INFO(kernels->name, " ", angle.name, " ", bent);
        const Terms::Result result = term.compute(*kernels);
        for (const auto& [place, length] : {std::pair{0, first}, std::pair{2, last}}) {
          const Vec3& force = result.forces[term.places[static_cast<std::size_t>(place)]];
          const double expected = std::abs(angle.slope) / length;
          CHECK(std::abs(dot(force, along)) < 2.0 * bent * expected + 1e-12 * expected);
          CHECK(std::sqrt(dot(force, force)) == doctest::Approx(expected).epsilon(3e-4));
        }
      }
    }
  }
}

TEST_CASE("atoms in line have finite forces by terms that are made for it") {
  for (const BondedKernels* kernels : all_kernels()) {
    for (const bool mixed : {false, true}) {
      for (const auto& [section, name] :
           {std::pair{"angle", "cosine_squared"}, std::pair{"torsion", "bending_torsion"}}) {
        INFO(kernels->name, " ", name);
        Terms term(*find_bonded(section, name), 1, 1.0, 1);
        const Vec3 places[] = {{0, 0, -1}, {0, 0, 0}, {0, 0, 1.3}, {0.3, 0.2, 2}};
        std::copy_n(places, term.positions.size(), term.positions.begin());
        const Terms::Result result = term.compute(*kernels, mixed);
        CHECK(std::isfinite(result.energy));
        CHECK(rms(result.forces) < 1e-5);
      }
    }
  }
}

namespace {

/// Energy of one term, and the force that pushes its last atom away, of two atoms.
std::array<double, 2> of_two_atoms(std::string_view section, std::string_view name,
                                   const std::vector<double>& parameters, double distance) {
  const auto kind = *find_bonded(section, name);
  Terms terms(kind, 1, 1.0, 1);
  terms.positions[terms.places[0]] = {0.0, 0.0, 0.0};
  terms.positions[terms.places[1]] = {0.0, distance, 0.0};
  terms.row = {0};
  terms.coefficients.assign(static_cast<std::size_t>(terms.entry->coefficient_count) + 3, 0.0);
  terms.entry->coefficients(parameters, terms.coefficients);
  const Terms::Result found = terms.compute(*all_kernels().front());
  return {found.energy, found.forces[terms.places[1]].y};
}

}  // namespace

TEST_CASE("special pairs with a cutoff end as all pairs do") {
  const std::vector<double> lennard_jones{0.7, 0.95};
  const double cutoff = 1.8, start = 1.3;
  for (int ending = 0; ending <= static_cast<int>(Truncation::cubic_force_switched); ++ending) {
    const PairFunction peer(*find_pair_potential("lennard_jones"), lennard_jones, cutoff,
                            {cutoff, static_cast<Truncation>(ending), start});
    for (const double r : {0.9, 1.1, 1.29, 1.31, 1.5, 1.79, 1.81, 2.5}) {
      INFO(ending << " " << r);
      const auto [energy, force] =
          of_two_atoms("special_pair", "ended_lennard_jones",
                       {0.7, 0.95, cutoff, start, static_cast<double>(ending)}, r);
      CHECK(energy == doctest::Approx(peer.ended_energy(r)).scale(1.0).epsilon(1e-12));
      CHECK(force == doctest::Approx(peer.ended_force(r)).scale(1.0).epsilon(1e-12));
    }
  }
}

TEST_CASE("a CMAP goes through the points of its table and is smooth between them") {
  const std::uint32_t kind = *find_bonded("cmap", "bicubic");
  constexpr double pi = std::numbers::pi, step = 2.0 * pi / table_edge;
  const auto energy_at = [&](double phi, double psi) {
    Terms term(kind, 1, 1.0, 1);
    // The fourth atom lies at the angle phi about the bond along z. The last one is turned by psi
    // from the second, about the bond from the third to the fourth.
    const Vec3 second{0, 0, 0}, third{0, 0, 1}, fourth{std::cos(phi), std::sin(phi), 1};
    const Vec3 axis = fourth - third, up{0, 0, -1};
    const Vec3 side = cross(axis, up);
    term.positions = {
        {1, 0, 0}, second, third, fourth, fourth + std::cos(psi) * up + std::sin(psi) * side};
    return term.compute(*all_kernels().back()).energy;
  };
  for (int row = 0; row < table_edge; row += 5) {
    for (int column = 0; column < table_edge; column += 7) {
      const double phi = row * step - pi, psi = column * step - pi;
      INFO(row, " ", column);
      CHECK(energy_at(phi, psi) == doctest::Approx(surface(phi, psi)).scale(1.0).epsilon(1e-12));
      const double between = surface(phi + 0.4 * step, psi + 0.7 * step);
      CHECK(energy_at(phi + 0.4 * step, psi + 0.7 * step) ==
            doctest::Approx(between).scale(1.0).epsilon(1e-3));
    }
  }
}

TEST_CASE("straight angles have finite forces") {
  const std::uint32_t kind = *find_bonded("angle", "harmonic");
  for (const BondedKernels* kernels : all_kernels()) {
    for (const bool mixed : {false, true}) {
      Terms term(kind, 1, 1.0, 1);
      term.positions = {{-1, 0, 0}, {0, 0, 0}, {1.5, 0, 0}};
      term.entry->coefficients(std::vector{10.0, 180.0}, {term.coefficients.data(), 2});
      const Terms::Result at_rest = term.compute(*kernels, mixed);
      CHECK(at_rest.energy < 1e-12);
      CHECK(rms(at_rest.forces) < 1e-12);
      // Bent a little, the middle atom is pulled back.
      term.positions[1] = {0, 1e-3, 0};
      const Terms::Result bent = term.compute(*kernels, mixed);
      const double angle = std::atan(1e-3) + std::atan(1e-3 / 1.5);
      CHECK(bent.energy == doctest::Approx(5.0 * angle * angle).epsilon(mixed ? 1e-3 : 1e-9));
      CHECK(bent.forces[1].y < 0.0);
    }
  }
}
