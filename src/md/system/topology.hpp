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

/// The bonded structure of the atoms: kinds of molecules, and runs that say how many molecules of
/// which kind follow each other. The atoms of a molecule have consecutive ids in the order of its
/// kind, starting at 1. The molecule and the place of an atom follow from its id, so the memory
/// depends neither on the number of molecules nor on the number of ranks.
class Topology {
 public:
  struct Atom {
    std::string name;
    std::int64_t type;
    double charge;             ///< internal units, times the root of Coulomb's constant
    std::string residue = {};  ///< part of the molecule, such as an amino acid; empty: the whole
    std::optional<std::int64_t> residue_number = {};
    char insertion_code = 0;  ///< letter behind the residue number, or 0
  };
  /// A bond, an angle, a torsion ... between the atoms at these places of the molecule, from 0.
  struct Term {
    std::uint32_t kind;          ///< row in the table of bonded terms
    std::uint32_t coefficients;  ///< row in `coefficients(kind)`; for a tabulated term, the
                                 ///< index of its first number there
    std::uint32_t size;          ///< number of atoms
    std::array<std::int32_t, 5> atoms;
  };
  using Pair = std::array<std::int32_t, 2>;
  /// Two atoms whose distance is fixed.
  struct Constraint {
    Pair atoms;
    double distance;
  };
  struct Molecule {
    std::string name;
    std::vector<Atom> atoms;
    std::vector<Term> terms;
    std::vector<Pair> bonds;  ///< chemical bonds, for files
    /// Each pair is listed once. Between the nearest images of excluded atoms only `terms` act.
    std::vector<Pair> exclusions;
    std::vector<Constraint> constraints;  ///< each pair at most once
    std::vector<VirtualSite> virtual_sites;
  };
  /// Consecutive residue numbers; a single one may have an insertion code.
  struct Numbers {
    std::int64_t first, count;
    char insertion_code = 0;
  };
  /// Molecules of one kind whose ids follow each other.
  struct Run {
    std::uint32_t molecule;
    std::int64_t count;
    /// The residue numbers, if each molecule is a residue. If empty, molecules are counted instead.
    std::vector<Numbers> residue_numbers = {};
  };

  Topology() = default;
  /// `coefficients[kind]` has the coefficients of all rows of this kind of term, one after another.
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
  /// Gives the atoms of a kind of molecule these charges. Terms follow in their next `rebuild`.
  void set_charges(std::uint32_t molecule, std::span<const double> charges);
  /// How many times charges have changed.
  std::int64_t charge_changes() const { return charge_changes_; }
  /// Degrees of freedom that constraints take from all molecules. Constraints between two atoms of
  /// frozen types do not count; `frozen` is by type, and empty if no type is. Constraints that make
  /// atoms rigid take all but the body's 5 or 6 degrees of freedom, even if they are redundant.
  std::int64_t constraint_count(std::span<const char> frozen = {}) const;
  /// Translational degrees of freedom of an atom that is not frozen. A constraint takes half a
  /// degree from each of its two atoms, or a whole one if the other atom is frozen.
  double degrees_of(std::int64_t id, std::span<const char> frozen = {}) const;

  struct Place {
    std::uint32_t molecule;        ///< kind of molecule
    std::int32_t atom;             ///< in the molecule, from 0
    std::int64_t first_id;         ///< id of the molecule's first atom
    std::int64_t molecule_number;  ///< among all molecules, from 1
  };
  /// `id` is from 1 to atom_count().
  Place place_of(std::int64_t id) const;
  const Atom& atom_of(std::int64_t id) const {
    const Place place = place_of(id);
    return molecules_[place.molecule].atoms[static_cast<std::size_t>(place.atom)];
  }
  /// Indices in `Molecule::terms` of the terms that involve the atom.
  std::span<const std::uint32_t> terms_of(const Place& place) const {
    return terms_of_[place.molecule].of(place.atom);
  }
  /// The atoms that an atom is excluded from, as ascending places in the molecule.
  std::span<const std::uint32_t> exclusions_of(const Place& place) const {
    return exclusions_of_[place.molecule].of(place.atom);
  }
  /// Indices in `Molecule::constraints` of the constraints that involve the atom.
  std::span<const std::uint32_t> constraints_of(const Place& place) const {
    return constraints_of_[place.molecule].of(place.atom);
  }

  /// Indices in `Molecule::virtual_sites` of the site that the atom is and of the sites made of it.
  std::span<const std::uint32_t> virtual_sites_of(const Place& place) const {
    return virtual_sites_of_[place.molecule].of(place.atom);
  }

  /// The position in `residue_order` of the atom's residue: number and insertion code from the
  /// input file of the molecules, or else the number of the molecule.
  std::int64_t residue_order_of(const Place& place) const;

  /// A text for messages, such as `atom 3 (C3, id 67) of molecule 17 (butane)`.
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
  /// `entries` are pairs of atom and item.
  static Lists lists_of(std::size_t atoms,
                        std::vector<std::pair<std::int32_t, std::uint32_t>> entries);

  /// Atoms that constraints make a rigid body, if the number of constraints differs from the
  /// degrees of freedom that they take. Three atoms in a line lose four degrees with three
  /// constraints, because the longest distance prevents bending in two directions.
  struct RigidAtoms {
    std::vector<std::int32_t> atoms;
    std::vector<std::uint32_t> constraints;
    double degrees_each;  ///< degrees of freedom that each constraint takes
  };
  static std::vector<RigidAtoms> rigid_atoms_of(const Molecule& molecule);
  /// Degrees of freedom that a constraint takes: 1, unless it belongs to a body in `rigid_atoms_`.
  double degrees_of_constraint(std::uint32_t molecule, std::uint32_t constraint,
                               std::span<const char> frozen) const;

  std::vector<Molecule> molecules_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> first_id_, first_molecule_;  ///< for each run
  /// For each run: how many of its molecules come before each of its `residue_numbers`.
  std::vector<std::vector<std::int64_t>> numbered_before_;
  std::vector<std::vector<double>> coefficients_;
  /// For each kind of molecule.
  std::vector<Lists> terms_of_, exclusions_of_, constraints_of_, virtual_sites_of_;
  std::vector<std::vector<RigidAtoms>> rigid_atoms_;
  std::int64_t atom_count_ = 0;
  std::int64_t charge_changes_ = 0;
};

}  // namespace sterna::md
