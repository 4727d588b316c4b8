#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/system/virtual_site.hpp"

namespace sterna::md {

/// Which atoms are bonded to which, and how: kinds of molecules, and how many molecules of which
/// kind follow each other. The atoms of a molecule have consecutive ids in the order of its kind,
/// and the first atom of all has the id 1. Molecule and place of an atom follow from its id, so the
/// memory grows neither with the number of molecules nor with that of ranks.
class Topology {
 public:
  struct Atom {
    std::string name;
    std::int64_t type;
    double charge;             ///< internal units: with the root of Coulomb's constant
    std::string residue = {};  ///< part of the molecule, such as an amino acid; empty: all of it
    std::optional<std::int64_t> residue_number = {};
    char insertion_code = 0;  ///< a letter behind that number, or 0
  };
  /// A bond, an angle, a torsion ... between the atoms at these places of the molecule, from 0.
  struct Term {
    std::uint32_t kind;          ///< as its forces count them
    std::uint32_t coefficients;  ///< number of its row in `coefficients(kind)`, or, of a table's,
                                 ///< that of the number where it begins
    std::uint32_t size;          ///< atoms
    std::array<std::int32_t, 5> atoms;
  };
  using Pair = std::array<std::int32_t, 2>;
  /// Two atoms whose distance stays as it is.
  struct Constraint {
    Pair atoms;
    double distance;
  };
  struct Molecule {
    std::string name;
    std::vector<Atom> atoms;
    std::vector<Term> terms;
    std::vector<Pair> bonds;  ///< chemical ones, for files
    /// Each pair once. Forces between the atoms of one, in their nearest images, are those of
    /// `terms` only.
    std::vector<Pair> exclusions;
    std::vector<Constraint> constraints;  ///< each pair once
    std::vector<VirtualSite> virtual_sites;
  };
  /// Numbers that follow each other; a single one may have a letter behind it.
  struct Numbers {
    std::int64_t first, count;
    char insertion_code = 0;
  };
  /// Molecules of one kind whose ids follow each other.
  struct Run {
    std::uint32_t molecule;
    std::int64_t count;
    /// Of the molecules, where each is a residue; empty: the molecules are counted.
    std::vector<Numbers> residue_numbers = {};
  };

  Topology() = default;
  /// `coefficients`: of each kind of term, the rows of its coefficients one after the other.
  Topology(std::vector<Molecule> molecules, std::vector<Run> runs,
           std::vector<std::vector<double>> coefficients);

  bool empty() const { return runs_.empty(); }
  std::int64_t atom_count() const { return atom_count_; }
  std::int64_t molecule_count() const;
  const std::vector<Molecule>& molecules() const { return molecules_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::span<const double> coefficients(std::uint32_t kind) const {
    return kind < coefficients_.size() ? std::span<const double>(coefficients_[kind])
                                       : std::span<const double>();
  }
  bool has_terms(std::uint32_t kind) const;
  bool has_charges() const;
  bool has_virtual_sites() const;
  /// Of all molecules, without those between two atoms of frozen types; `frozen` by type, empty:
  /// none is. Where they make atoms a rigid body, as many as take its other degrees of freedom.
  std::int64_t constraint_count(std::span<const char> frozen = {}) const;
  /// Translational degrees of freedom of an atom that is not frozen, if a constraint takes half a
  /// one from each of its atoms, and a whole one from that whose partner is frozen.
  double degrees_of(std::int64_t id, std::span<const char> frozen = {}) const;

  struct Place {
    std::uint32_t molecule;        ///< kind
    std::int32_t atom;             ///< in the molecule, from 0
    std::int64_t first_id;         ///< of the molecule's first atom
    std::int64_t molecule_number;  ///< among all molecules, from 1
  };
  /// `id`: 1 to atom_count().
  Place place_of(std::int64_t id) const;
  const Atom& atom_of(std::int64_t id) const {
    const Place place = place_of(id);
    return molecules_[place.molecule].atoms[static_cast<std::size_t>(place.atom)];
  }
  /// Places in `Molecule::terms` of the terms that an atom is in.
  std::span<const std::uint32_t> terms_of(const Place& place) const {
    return terms_of_[place.molecule].of(place.atom);
  }
  /// Atoms, by their places in the molecule and ascending, that an atom is excluded from.
  std::span<const std::uint32_t> exclusions_of(const Place& place) const {
    return exclusions_of_[place.molecule].of(place.atom);
  }
  /// Places in `Molecule::constraints` of those that an atom is in.
  std::span<const std::uint32_t> constraints_of(const Place& place) const {
    return constraints_of_[place.molecule].of(place.atom);
  }

  /// Places in `Molecule::virtual_sites` of that which an atom is, and those that it makes.
  std::span<const std::uint32_t> virtual_sites_of(const Place& place) const {
    return virtual_sites_of_[place.molecule].of(place.atom);
  }

  /// The place in `residue_order` of the residue that the atom is in: its number and insertion code
  /// as the file that the molecules come from has them, else the number of the molecule.
  std::int64_t residue_order_of(const Place& place) const;

  /// For people: `atom 3 (C3, id 67) of molecule 17 (butane)`.
  std::string description(std::int64_t id) const;

 private:
  /// Lists of numbers, one for each atom of a molecule.
  struct Lists {
    std::vector<std::uint32_t> begin, items;
    std::span<const std::uint32_t> of(std::int32_t atom) const {
      const auto a = static_cast<std::size_t>(atom);
      return {items.data() + begin[a], begin[a + 1] - begin[a]};
    }
  };
  /// `entries`: atom and item.
  static Lists lists_of(std::size_t atoms,
                        std::vector<std::pair<std::int32_t, std::uint32_t>> entries);

  /// Atoms that constraints make a rigid body, with more or fewer constraints than the degrees of
  /// freedom that it lacks. Three in a line lack four: the longest distance stops two bends.
  struct RigidAtoms {
    std::vector<std::int32_t> atoms;
    std::vector<std::uint32_t> constraints;
    double degrees_each;  ///< that a constraint takes
  };
  static std::vector<RigidAtoms> rigid_atoms_of(const Molecule& molecule);
  /// Degrees of freedom that a constraint takes: 1, but in `rigid_atoms_`.
  double degrees_of_constraint(std::uint32_t molecule, std::uint32_t constraint,
                               std::span<const char> frozen) const;

  std::vector<Molecule> molecules_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> first_id_, first_molecule_;  ///< of each run
  /// Of each run: the molecules before each of its `residue_numbers`.
  std::vector<std::vector<std::int64_t>> numbered_before_;
  std::vector<std::vector<double>> coefficients_;
  /// Of each kind of molecule.
  std::vector<Lists> terms_of_, exclusions_of_, constraints_of_, virtual_sites_of_;
  std::vector<std::vector<RigidAtoms>> rigid_atoms_;
  std::int64_t atom_count_ = 0;
};

}  // namespace sterna::md
