// The kernels of all bonded terms, written once over vectors of doubles or floats and compiled once
// for each instruction set (bonded_kernels_avx512.cpp and its siblings).
//
// Idea:    lanes are terms of one kind. Connections of atoms are formed in double precision, one
//          term after the other, and computed with side by side; forces go back likewise.
// Source:  general.
// Cost:    that of reaching the atoms in memory, a third to a half of the whole.
// Hazards: terms of one vector may share atoms, so forces are added one term after the other.
// Others:  none.

#include <utility>

#include "md/forces/bonded/bonded_work.hpp"
#include "md/forces/bonded/terms/list.hpp"

namespace sterna::md {
namespace {

/// Some terms, as many as a vector holds: numbers of lane after lane.
template <class Real, int atoms, int coefficients>
struct Lanes {
  static constexpr int width = lanes<Real>;
  alignas(64) Real connection[atoms - 1][3][width];
  alignas(64) Real coefficient[coefficients][width];
};

template <class Term>
constexpr bool reads_table = requires {
  Term::reads_table;
};

/// Numbers that each lane has of its own besides its table.
template <class Term>
constexpr int coefficients_of() {
  if constexpr (reads_table<Term>) {
    return 1;
  } else {
    return Term::coefficient_count;
  }
}

template <class Term, class Real>
void compute_terms(BondedWork& work) {
  using V = Vector<Real>;
  constexpr int atoms = Term::atoms, count = coefficients_of<Term>();
  constexpr int width = lanes<Real>;
  Lanes<Real, atoms, count> in;
  const double* table[width];
  double energy = 0.0;
  double virial[6] = {};
  for (std::size_t first = 0; first < work.count; first += width) {
    const int used =
        work.count - first < std::size_t{width} ? static_cast<int>(work.count - first) : width;
    for (int lane = 0; lane < width; ++lane) {
      // The lanes behind the last term compute it once more.
      const std::size_t term = first + static_cast<std::size_t>(lane < used ? lane : used - 1);
      const std::uint32_t* const place = work.places + term * atoms;
      for (int k = 0; k + 1 < atoms; ++k) {
        const Position &from = work.position[place[k]], &to = work.position[place[k + 1]];
        in.connection[k][0][lane] = static_cast<Real>(to.x - from.x);
        in.connection[k][1][lane] = static_cast<Real>(to.y - from.y);
        in.connection[k][2][lane] = static_cast<Real>(to.z - from.z);
      }
      const double* const row = work.coefficients + std::size_t{work.row[term]} * count;
      for (int n = 0; n < count; ++n) in.coefficient[n][lane] = static_cast<Real>(row[n]);
      table[lane] = row;
    }
    Triple<V> b[atoms - 1], f[atoms - 1];
    V c[count];
    for (int k = 0; k + 1 < atoms; ++k) {
      b[k] = {load(in.connection[k][0]), load(in.connection[k][1]), load(in.connection[k][2])};
    }
    for (int n = 0; n < count; ++n) c[n] = load(in.coefficient[n]);
    V u;
    if constexpr (reads_table<Term>) {
      u = Term::evaluate(b, table, f);
    } else {
      u = Term::evaluate(b, c, f);
    }
    for (int lane = 0; lane < used; ++lane) {
      const std::size_t term = first + static_cast<std::size_t>(lane);
      const std::uint32_t* const target = work.targets + term * atoms;
      // An atom feels what acts beyond the connection that leads to it, less what acts beyond the
      // one that leads on.
      Vec3 before;
      const double share = work.share[term];
      for (int k = 0; k < atoms; ++k) {
        Vec3 beyond;
        if (k + 1 < atoms) {
          beyond = {static_cast<double>(f[k].x[lane]), static_cast<double>(f[k].y[lane]),
                    static_cast<double>(f[k].z[lane])};
          const Vec3 d{static_cast<double>(b[k].x[lane]), static_cast<double>(b[k].y[lane]),
                       static_cast<double>(b[k].z[lane])};
          virial[0] += share * d.x * beyond.x;
          virial[1] += share * d.y * beyond.y;
          virial[2] += share * d.z * beyond.z;
          virial[3] += share * d.x * beyond.y;
          virial[4] += share * d.x * beyond.z;
          virial[5] += share * d.y * beyond.z;
        }
        if (target[k] != no_target) work.force[target[k]] += before - beyond;
        before = beyond;
      }
      energy += share * static_cast<double>(u[lane]);
    }
  }
  work.energy += energy;
  for (int k = 0; k < 6; ++k) work.virial[k] += virial[k];
}

template <class... Terms>
struct KernelsOf;
template <class... Terms>
struct KernelsOf<TermList<Terms...>> {
  static constexpr BondedKernels::OfTerm rows[] = {
      {compute_terms<Terms, double>, compute_terms<Terms, float>}...};
};

const BondedKernels kernels{STERNA_KERNEL_NAME, KernelsOf<BondedTerms>::rows};

}  // namespace
}  // namespace sterna::md
