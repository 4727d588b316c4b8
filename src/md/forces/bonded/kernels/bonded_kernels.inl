// The kernels of all bonded terms, written once over vectors of doubles or floats and compiled once
// for each instruction set (bonded_kernels_avx512.cpp and its siblings).
//
// Idea:    if a rank has many molecules of a kind as a whole, lanes are molecules
//          (molecule_block.hpp), and the forces of a term go to arrays of the molecules' atoms. For
//          other molecules lanes are terms of one kind. Their connections are formed in double
//          precision, term by term, and forces are added in the same way. The data of one atom, or
//          a row of coefficients, move as vectors of four numbers; four vectors are transposed if
//          lanes are terms.
// Source:  general.
// Cost:    the time to reach the atoms in memory: for whole molecules once for each atom, for
//          others once for each atom of a term, which is most of the time.
// Hazards: terms of one vector may share atoms, so forces are added term by term.
// Others:  none.

#include <utility>

#include "md/forces/bonded/bonded_work.hpp"
#include "md/forces/bonded/terms/list.hpp"
#include "md/system/kernels/molecule_block.hpp"

namespace sterna::md {
namespace {

template <class Term>
constexpr bool reads_table = requires {
  &Term::table;
};

/// The number of coefficients for each lane; a term with a table has only the index of the table.
template <class Term>
constexpr int coefficients_of() {
  if constexpr (reads_table<Term>) {
    return 1;
  } else {
    return Term::coefficient_count;
  }
}

/// Adds the energies and virials of the terms of one vector. `acts`: for each connection, the force
/// on all atoms beyond it.
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
    // The remaining share is counted by other ranks that have atoms of the term.
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
      // Lanes behind the last term repeat it.
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
      // The force on an atom is the force beyond the connection that leads to it, minus the force
      // beyond the next connection.
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

/// Computes all terms of one kind for the molecules of a block.
template <class Term, class Real>
void compute_in_block(MoleculeBlock<Real>& block, TermsOfMolecule& terms, bool with_sums) {
  using V = Vector<Real>;
  constexpr std::size_t atoms = Term::atoms;
  constexpr int count = coefficients_of<Term>();
  V energy{}, virial[6]{};
  for (std::size_t t = 0; t < terms.count; ++t) {
    const std::uint32_t* const atom = terms.atoms + t * atoms;
    const double* const row = terms.coefficients + std::size_t{terms.row[t]} * count;
    Triple<V> b[atoms - 1], f[atoms - 1];
    for (std::size_t k = 0; k + 1 < atoms; ++k) {
      b[k] = {block.connection(atom[k], atom[k + 1], 0), block.connection(atom[k], atom[k + 1], 1),
              block.connection(atom[k], atom[k + 1], 2)};
    }
    V u;
    if constexpr (reads_table<Term>) {
      const double* table[lanes<Real>];
      for (const double*& own : table) own = row;
      u = Term::evaluate(b, table, f);
    } else {
      V c[count];
      for (int n = 0; n < count; ++n) c[n] = V{} + static_cast<Real>(row[n]);
      u = Term::evaluate(b, c, f);
    }
    Triple<V> before{};
    for (std::size_t k = 0; k < atoms; ++k) {
      const Triple<V> beyond = k + 1 < atoms ? f[k + 1 < atoms ? k : 0] : Triple<V>{};
      block.force(atom[k], 0) += before.x - beyond.x;
      block.force(atom[k], 1) += before.y - beyond.y;
      block.force(atom[k], 2) += before.z - beyond.z;
      before = beyond;
    }
    if (!with_sums) continue;
    energy += u;
    for (std::size_t k = 0; k + 1 < atoms; ++k) {
      virial[0] += b[k].x * f[k].x;
      virial[1] += b[k].y * f[k].y;
      virial[2] += b[k].z * f[k].z;
      virial[3] += b[k].x * f[k].y;
      virial[4] += b[k].x * f[k].z;
      virial[5] += b[k].y * f[k].z;
    }
  }
  if (!with_sums) return;
  terms.energy += block.sum(energy);
  for (int k = 0; k < 6; ++k) terms.virial[k] += block.sum(virial[k]);
}

template <class Real, class... Terms>
void compute_molecules(MoleculeWork& work, TermList<Terms...> /*all*/) {
  constexpr void (*of_kind[])(MoleculeBlock<Real>&, TermsOfMolecule&,
                              bool) = {compute_in_block<Terms, Real>...};
  MoleculeBlock<Real> block(work.molecules);
  for (std::size_t first = 0; first < work.molecules.count; first += block.width) {
    block.gather(first);
    for (std::size_t k = 0; k < work.kinds; ++k) {
      of_kind[work.terms[k].kind](block, work.terms[k], work.with_sums);
    }
    block.scatter();
  }
}
template <class Real>
void compute_molecules(MoleculeWork& work) {
  compute_molecules<Real>(work, BondedTerms{});
}

template <class... Terms>
struct KernelsOf;
template <class... Terms>
struct KernelsOf<TermList<Terms...>> {
  static constexpr BondedKernels::OfTerm rows[] = {
      {compute_terms<Terms, double>, compute_terms<Terms, float>}...};
};

const BondedKernels kernels{STERNA_KERNEL_NAME, KernelsOf<BondedTerms>::rows,
                            compute_molecules<double>, compute_molecules<float>};

}  // namespace
}  // namespace sterna::md
