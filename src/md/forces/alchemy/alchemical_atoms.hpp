#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The atoms of all alchemical molecules: which of them are this rank's, where all are, and the pairs
/// that they form.
class AlchemicalAtoms {
 public:
  struct Atom {
    std::int64_t id, type;
    double charge;         ///< in state A, times the factor
    double charge_of_b;    ///< likewise in state B
    std::size_t molecule;  ///< index in `molecules`
  };
  struct Molecule {
    std::size_t first, count;  ///< atoms
    std::uint32_t kind;
    double radius = 0.0;  ///< largest distance of an atom from the first one
  };
  /// Two atoms of a molecule. The pair has its van der Waals potential unless it is excluded.
  struct Inner {
    std::uint32_t first, second;
    bool is_excluded;
    double charge_share;  ///< of the interaction of its charges
  };
  /// Two excluded atoms of a molecule with a share of the charges that end at a cutoff.
  struct SharedPair {
    std::int32_t atoms[2];
    double charge_share;
  };
  struct Options {
    std::vector<char> is_alchemical;  ///< by kind of molecule of the topology
    /// Charges of state B by kind of molecule and atom, as the topology has those of state A.
    std::vector<std::vector<double>> charges_of_b;
    double charge_factor = 1.0;                         ///< multiplies the charges of the topology
    std::vector<std::vector<SharedPair>> shared_pairs;  ///< by kind of molecule; may be empty
  };
  /// The box outlives this object.
  AlchemicalAtoms(const Box& box, const Topology& topology, const Options& options);

  std::size_t size() const { return atoms_.size(); }
  const Atom& operator[](std::size_t a) const { return atoms_[a]; }
  const std::vector<Atom>& all() const { return atoms_; }
  const std::vector<Molecule>& molecules() const { return molecules_; }
  const std::vector<Vec3>& positions() const { return positions_; }  ///< molecules are whole
  bool is_own(std::size_t a) const { return is_own_[a] != 0; }
  /// Indices of this rank's atoms, and their places in the store, ascending.
  const std::vector<std::uint32_t>& slots() const { return slots_; }
  const std::vector<std::uint32_t>& places() const { return places_; }

  /// Finds this rank's atoms, and calls visit(i) for all other local particles.
  template <class Visit>
  void find_own(const ParticleStore& particles, Visit&& visit);
  /// Takes the positions of all atoms, three numbers each.
  void place(std::span<const double> coordinates);

  /// Calls visit(a, i, connection from a to i) for alchemical atoms a and particles i in `which`
  /// that may be within the range.
  template <class Visit>
  void for_each_surrounding(const ParticleStore& particles, std::span<const std::uint32_t> which,
                            double range, Visit&& visit) const;
  /// Calls visit(a, b, connection from a to b) for alchemical atoms of different molecules of which
  /// the first is this rank's.
  template <class Visit>
  void for_each_outer(Visit&& visit) const;
  /// Calls visit(a, b, inner, connection from a to b) for pairs of a molecule whose first atom is
  /// this rank's.
  template <class Visit>
  void for_each_inner(Visit&& visit) const;
  /// Calls visit(molecule, positions of its atoms) for the molecules whose first atom is this rank's.
  template <class Visit>
  void for_each_own_molecule(Visit&& visit) const;

 private:
  static std::vector<Inner> inner_pairs_of(const Topology::Molecule& molecule,
                                           std::span<const SharedPair> shared);
  /// Whether a particle is alchemical, and if so takes it as this rank's.
  bool takes(std::int64_t id, std::uint32_t place);
  void forget_own();

  const Box& box_;
  std::vector<Atom> atoms_;
  std::vector<Molecule> molecules_;
  std::vector<std::vector<Inner>> inner_;  ///< by kind of molecule
  std::vector<std::uint32_t> slots_, places_;
  std::vector<char> is_own_;
  std::vector<Vec3> positions_;
};

template <class Visit>
void AlchemicalAtoms::find_own(const ParticleStore& particles, Visit&& visit) {
  forget_own();
  for (std::uint32_t i = 0; i < particles.local_count(); ++i) {
    if (!takes(particles.id[i], i)) visit(i);
  }
}

template <class Visit>
void AlchemicalAtoms::for_each_surrounding(const ParticleStore& particles,
                                           std::span<const std::uint32_t> which, double range,
                                           Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    const Vec3& center = positions_[molecule.first];
    const double reach = molecule.radius + range;
    for (const std::uint32_t i : which) {
      const Vec3 at = particles.position[i].vector();
      const Vec3 away = box_.nearest_image(at - center);
      if (dot(away, away) >= reach * reach) continue;
      for (std::size_t a = molecule.first; a < molecule.first + molecule.count; ++a) {
        const Vec3 connection = box_.nearest_image(at - positions_[a]);
        if (dot(connection, connection) < range * range) visit(a, i, connection);
      }
    }
  }
}

template <class Visit>
void AlchemicalAtoms::for_each_outer(Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    for (std::size_t a = molecule.first; a < molecule.first + molecule.count; ++a) {
      if (is_own_[a] == 0) continue;
      for (std::size_t b = molecule.first + molecule.count; b < atoms_.size(); ++b) {
        visit(a, b, box_.nearest_image(positions_[b] - positions_[a]));
      }
    }
  }
}

template <class Visit>
void AlchemicalAtoms::for_each_inner(Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    for (const Inner& inner : inner_[molecule.kind]) {
      const std::size_t a = molecule.first + inner.first, b = molecule.first + inner.second;
      if (is_own_[a] != 0) visit(a, b, inner, box_.nearest_image(positions_[b] - positions_[a]));
    }
  }
}

template <class Visit>
void AlchemicalAtoms::for_each_own_molecule(Visit&& visit) const {
  for (const Molecule& molecule : molecules_) {
    if (is_own_[molecule.first] != 0) {
      visit(molecule, std::span(positions_).subspan(molecule.first, molecule.count));
    }
  }
}

}  // namespace sterna::md
