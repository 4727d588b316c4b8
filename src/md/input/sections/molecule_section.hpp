#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "md/core/choice.hpp"
#include "md/forces/bonded/bonded_parameter.hpp"
#include "md/system/virtual_site_kinds.hpp"

namespace sterna::md {

/// Bonds that keep their lengths.
enum class ConstrainedBonds { none, hydrogen, all };
template <>
inline constexpr auto choice_table<ConstrainedBonds> =
    std::to_array<Choice<ConstrainedBonds>>({{"none", ConstrainedBonds::none},
                                             {"hydrogen", ConstrainedBonds::hydrogen},
                                             {"all", ConstrainedBonds::all}});

struct MoleculeSection {  ///< [[molecule]]: a flexible one, of atoms
  /// Lists of atoms of a molecule, counted from 1; the file may give one list alone.
  using AtomLists = std::vector<std::vector<int>>;
  static constexpr std::int64_t unnumbered = std::numeric_limits<std::int64_t>::min();
  struct Atom {        ///< [[molecule.atom]]
    std::string name;  ///< empty: that of the type
    std::string type;
    std::optional<double> charge;  ///< default: that of the type
    std::string residue;           ///< empty: the molecule
    std::int64_t residue_number = unnumbered;
    std::string insertion_code;  ///< a letter behind that number; may be empty
    std::string chain;           ///< empty: that of the molecule
  };
  /// [[molecule.bond]], [[molecule.angle]], [[molecule.torsion]], [[molecule.improper]],
  /// [[molecule.cmap]]; [[molecule.special_pair]] and [[molecule.constraint]], which have no
  /// potential; [[molecule.exclusion]], which has neither that nor parameters.
  struct Term {
    std::string potential;
    /// In the order of `bonded_parameter_names`.
    std::array<std::optional<double>, most_bonded_parameters> parameters{};
    std::vector<double> table;   ///< energies: of [[molecule.cmap]] row after row
    std::vector<double> forces;  ///< beside them, of a table over one distance or angle
    /// [[molecule.special_pair]]: of the potential of the types, of charges that end at a cutoff
    std::optional<double> share, charge_share;
    AtomLists atoms;
  };
  struct VirtualSite {  ///< [[molecule.virtual_site]]
    std::string kind;   ///< of `virtual_site_kinds`
    VirtualSiteParameters parameters;
    AtomLists atoms;  ///< the site, then those that it is made of
  };

  std::string name;
  std::int64_t count = 0;
  std::string residue_numbers;  ///< of each molecule, where it is one residue; may be empty
  std::string chains;           ///< of each molecule; may be empty
  std::string file;             ///< with what follows; relative to the input
  int excluded_bonds = 3;       ///< pairs of atoms at most so many bonds apart do not interact
  double lennard_jones_14 = 0.0, coulomb_14 = 0.0;  ///< but so much of those three bonds apart
  std::vector<Atom> atoms;
  ConstrainedBonds constrained_bonds = ConstrainedBonds::none;
  double hydrogen_mass = 0.0;  ///< that hydrogen takes from its neighbors; 0: as types have it
  std::vector<Term> bonds, angles, torsions, impropers, cmaps, special_pairs, exclusions;
  std::vector<Term> constraints;  ///< the distance is their `r0`
  std::vector<VirtualSite> virtual_sites;
};

}  // namespace sterna::md
