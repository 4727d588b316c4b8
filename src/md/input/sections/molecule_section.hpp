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

/// The bonds whose lengths are constrained.
enum class ConstrainedBonds { none, hydrogen, all };
template <>
inline constexpr auto choice_table<ConstrainedBonds> =
    std::to_array<Choice<ConstrainedBonds>>({{"none", ConstrainedBonds::none},
                                             {"hydrogen", ConstrainedBonds::hydrogen},
                                             {"all", ConstrainedBonds::all}});

struct MoleculeSection {  ///< [[molecule]]: a flexible molecule of atoms
  /// Lists of atoms of a molecule, counted from 1. In the file a single list need not be nested.
  using AtomLists = std::vector<std::vector<int>>;
  static constexpr std::int64_t unnumbered = std::numeric_limits<std::int64_t>::min();
  struct Atom {        ///< [[molecule.atom]]
    std::string name;  ///< empty: the type's name
    std::string type;
    std::optional<double> charge;  ///< nothing: the type's charge
    std::string residue;           ///< empty: the molecule's name
    std::int64_t residue_number = unnumbered;
    std::string insertion_code;  ///< a letter behind that number; may be empty
    std::string chain;           ///< empty: the molecule's chain
  };
  /// A table of [[molecule.bond]], [[molecule.angle]], [[molecule.torsion]], [[molecule.improper]]
  /// or [[molecule.cmap]]; of [[molecule.special_pair]] or [[molecule.constraint]], which have no
  /// potential; or of [[molecule.exclusion]], which has neither potential nor parameters.
  struct Term {
    std::string potential;
    /// Values in the order of `bonded_parameter_names`.
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
    AtomLists atoms;  ///< the site, then the atoms that define it
  };

  std::string name;
  std::int64_t count = 0;
  std::string residue_numbers;  ///< a text, if molecules are one residue each
  std::string chains;           ///< a text with the chains of the molecules; may be empty
  std::string file;             ///< has all of the following; relative to the input
  int excluded_bonds = 3;       ///< atoms at most so many bonds apart do not interact
  double lennard_jones_14 = 0.0, coulomb_14 = 0.0;  ///< factors of interactions of 1-4 pairs
  std::vector<Atom> atoms;
  ConstrainedBonds constrained_bonds = ConstrainedBonds::none;
  double hydrogen_mass = 0.0;  ///< of hydrogen, from bonded atoms; 0: of its type
  std::vector<Term> bonds, angles, torsions, impropers, cmaps, special_pairs, exclusions;
  std::vector<Term> constraints;  ///< `r0` is the distance
  std::vector<VirtualSite> virtual_sites;
};

}  // namespace sterna::md
