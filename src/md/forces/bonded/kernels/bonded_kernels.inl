// The kernels of all bonded terms, written once over vectors of doubles or floats and compiled once
// for each instruction set (bonded_kernels_avx512.cpp and its siblings).
//
// Idea:    lanes are terms of one kind. Connections of atoms are formed in double precision, one
//          term after the other, and computed with side by side; forces go back likewise. What
//          belongs to one atom or one row of coefficients moves as a vector of four numbers, and
//          four vectors are transposed where lanes are to be terms.
// Source:  general.
// Cost:    that of reaching the atoms in memory: about half of the whole.
// Hazards: terms of one vector may share atoms, so forces are added one term after the other.
// Others:  none.

#include <utility>

#include "md/forces/bonded/bonded_work.hpp"
#include "md/forces/bonded/terms/list.hpp"
#include "md/simd/transpose.hpp"

namespace sterna::md {
namespace {

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

/// Position of a particle, and 0.
[[gnu::always_inline]] inline void read(const Position& from, Four<double>& to) {
  constexpr Four<std::int64_t> place{-1, -1, -1, 0};
  to = reinterpret_cast<Four<double>>(*reinterpret_cast<const Four<std::int64_t>*>(&from) & place);
}

/// Two stores beside each other, so that none reaches into the next particle's force.
[[gnu::always_inline]] inline void add(const Four<double>& change, Vec3& force) {
  typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
  *reinterpret_cast<Two*>(&force.x) += Two{change[0], change[1]};
  force.z += change[2];
}

/// The sums over the terms of one vector. `acts`, `connections`: what acts beyond each connection.
template <class Real, std::size_t count>
void add_sums(BondedWork& work, std::size_t first, int used, const Vector<Real>& energies,
              const Rows<Real> (&connections)[count], const Rows<Real> (&acts)[count]) {
  constexpr std::size_t atoms = count + 1;
  for (int lane = 0; lane < used; ++lane) {
    const std::size_t term = first + static_cast<std::size_t>(lane);
    std::size_t locals = 0;
    for (std::size_t k = 0; k < atoms; ++k) {
      const std::uint32_t place = work.places[term * atoms + k];
      const bool own =
          place < work.local_count || work.local_of_ghost[place - work.local_count] != no_target;
      locals += own ? 1 : 0;
    }
    // Other ranks that have atoms of the term count the rest.
    const double share = static_cast<double>(locals) / static_cast<double>(atoms);
    work.energy += share * static_cast<double>(energies[lane]);
    for (std::size_t k = 0; k < count; ++k) {
      const auto at = [lane](const Rows<Real>& rows) {
        const Real(&row)[4] = rows.of[lane];
        return Vec3{static_cast<double>(row[0]), static_cast<double>(row[1]),
                    static_cast<double>(row[2])};
      };
      const Vec3 d = share * at(connections[k]), beyond = at(acts[k]);
      work.virial[0] += d.x * beyond.x;
      work.virial[1] += d.y * beyond.y;
      work.virial[2] += d.z * beyond.z;
      work.virial[3] += d.x * beyond.y;
      work.virial[4] += d.x * beyond.z;
      work.virial[5] += d.y * beyond.z;
    }
  }
}

template <class Term, class Real>
void compute_terms(BondedWork& work) {
  using V = Vector<Real>;
  constexpr int atoms = Term::atoms, count = coefficients_of<Term>(), chunks = (count + 3) / 4;
  constexpr int width = lanes<Real>;
  Rows<Real> connections[atoms - 1], coefficients[chunks], acts[atoms - 1];
  const double* table[width];
  for (std::size_t first = 0; first < work.count; first += width) {
    const int used =
        work.count - first < std::size_t{width} ? static_cast<int>(work.count - first) : width;
    for (int lane = 0; lane < width; ++lane) {
      // The lanes behind the last term compute it once more.
      const std::size_t term = first + static_cast<std::size_t>(lane < used ? lane : used - 1);
      const std::uint32_t* const place = work.places + term * atoms;
      Four<double> from, to;
      read(work.position[place[0]], from);
      for (int k = 0; k + 1 < atoms; ++k) {
        read(work.position[place[k + 1]], to);
        write(to - from, connections[k].of[lane]);
        from = to;
      }
      const double* const row = work.coefficients + std::size_t{work.row[term]} * count;
      if constexpr (reads_table<Term>) {
        table[lane] = row;
      } else {
        for (int n = 0; n < chunks; ++n) {
          write(*reinterpret_cast<const Four<double>*>(row + 4 * n), coefficients[n].of[lane]);
        }
      }
    }
    Triple<V> b[atoms - 1], f[atoms - 1];
    V unused;
    for (int k = 0; k + 1 < atoms; ++k) load(connections[k], b[k].x, b[k].y, b[k].z, unused);
    V u;
    if constexpr (reads_table<Term>) {
      u = Term::evaluate(b, table, f);
    } else {
      V c[4 * chunks];
      for (int n = 0; n < chunks; ++n) {
        load(coefficients[n], c[4 * n], c[4 * n + 1], c[4 * n + 2], c[4 * n + 3]);
      }
      u = Term::evaluate(b, c, f);
    }
    for (int k = 0; k + 1 < atoms; ++k) store(f[k].x, f[k].y, f[k].z, V{}, acts[k]);
    for (int lane = 0; lane < used; ++lane) {
      const std::uint32_t* const place =
          work.places + (first + static_cast<std::size_t>(lane)) * atoms;
      // An atom feels what acts beyond the connection that leads to it, less what acts beyond the
      // one that leads on.
      Four<double> before{};
      for (int k = 0; k < atoms; ++k) {
        Four<double> beyond{};
        if (k + 1 < atoms) read(acts[k].of[lane], beyond);
        std::uint32_t target = place[k];
        if (target >= work.local_count) target = work.local_of_ghost[target - work.local_count];
        if (target != no_target) add(before - beyond, work.force[target]);
        before = beyond;
      }
    }
    if (work.with_sums) add_sums(work, first, used, u, connections, acts);
  }
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
