#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/bonded/input/inner_of_molecule.hpp"
#include "md/forces/bonded/input/molecule_sections.hpp"

namespace sterna::md::section {
namespace {

using Term = MoleculeSection::Term;
using Terms = std::vector<Term>;
using TermTarget = Target (*)(Input&, std::size_t);

template <std::string_view const& section>
Names potentials_of() {
  Names names;
  for (const BondedRow& entry : bonded_table()) {
    if (entry.section == section) names.push_back(entry.name);
  }
  return names;
}

template <Terms MoleculeSection::*terms, std::size_t number>
Target term_parameter_target(Input& input, std::size_t n) {
  return &nth_inner<&Input::molecules, terms>(input, n).parameters[number];
}
template <Terms MoleculeSection::*terms, std::size_t... numbers>
constexpr std::array<TermTarget, sizeof...(numbers)> make_term_targets(
    std::index_sequence<numbers...>) {
  return {term_parameter_target<terms, numbers>...};
}

/// The names of parameters in other programs.
Names term_aliases_of(std::string_view section, std::string_view name) {
  if (name == "stiffness") {
    return section == "bond" ? Names{"k", "force_constant", "K", "kb"} : Names{"kub", "kUB"};
  }
  if (name == "bending_stiffness") {
    // For torsions these aliases belong to "amplitude".
    return section == "torsion" ? Names{} : Names{"k", "force_constant", "K", "ktheta"};
  }
  if (name == "r0") return {"length", "b0", "req"};
  if (name == "theta0") return {"theta", "thetaeq", "t0"};
  if (name == "phi0") return {"psi0"};
  if (name == "amplitude") {
    return section == "torsion" ? Names{"k", "barrier", "K", "force_constant"} : Names{"barrier"};
  }
  if (name == "multiplicity") return {"n", "periodicity"};
  if (name == "phase") return {"delta", "d"};
  if (name == "charge_product") return {"qq", "chargeprod"};
  return {};
}

/// The key of a parameter, described for all potentials of the section that have it.
KeySchema term_parameter_key(std::string_view label, std::string_view section,
                             std::string_view name, TermTarget target) {
  KeySchema key{.name = name, .target = target};
  Names potentials;
  std::string description;
  bool required = false, first = true;
  for (const BondedRow& entry : bonded_table()) {
    if (entry.section != section) continue;
    for (const BondedParameter& parameter : entry.parameters) {
      if (parameter.name != name) continue;
      if (std::exchange(first, false)) {
        key.dimension = parameter.dimension;
        key.range = parameter.range;
        required = parameter.required;
        if (!required) key.default_text = kept(fmt::format("{}", parameter.preset));
      }
      potentials.push_back(entry.name);
      const std::string text = fmt::format("`{}`: {}", entry.name, parameter.description);
      description += (description.empty() ? "" : "; ") + text;
    }
  }
  key.description = kept(description + ".");
  key.need = required ? Need::required : Need::optional;
  key.condition = Condition{label, "potential", potentials, Severity::error};
  key.aliases = term_aliases_of(section, name);
  return key;
}

constexpr std::string_view bond_section = "bond", angle_section = "angle",
                           torsion_section = "torsion", improper_section = "improper",
                           cmap_section = "cmap";

template <Terms MoleculeSection::*terms>
KeySchema atoms_key(std::string_view description) {
  return {.name = "atoms",
          .target = target_in_molecule<terms, &Term::atoms>,
          .description = description,
          .need = Need::required,
          .aliases = {"atom", "indices", "members"}};
}

/// The keys of a section whose tables have a potential. `atoms`: the description of the key
/// "atoms".
template <std::string_view const& section, Terms MoleculeSection::*terms>
std::vector<KeySchema> term_keys(std::string_view label, std::string_view atoms) {
  static constexpr auto targets =
      make_term_targets<terms>(std::make_index_sequence<most_bonded_parameters>{});
  std::vector<KeySchema> keys{
      atoms_key<terms>(atoms),
      {.name = "potential",
       .target = target_in_molecule<terms, &Term::potential>,
       .description = "How the energy depends on the places of these atoms.",
       .need = Need::required,
       .choices = potentials_of<section>,
       .aliases = {"style", "kind", "form", "type"}}};
  const auto names = bonded_parameter_names();
  for (std::size_t number = 0; number < names.size(); ++number) {
    const bool has_it = std::ranges::any_of(bonded_table(), [&](const BondedRow& entry) {
      return entry.section == section &&
             std::ranges::find(entry.parameters, names[number], &BondedParameter::name) !=
                 entry.parameters.end();
    });
    if (has_it) keys.push_back(term_parameter_key(label, section, names[number], targets[number]));
  }
  return keys;
}

/// Adds the keys of a table over a distance or an angle. `where`: a description of its points;
/// `per`: the variable of the forces' derivative, if it is not a length.
template <std::string_view const& section, Terms MoleculeSection::*terms>
std::vector<KeySchema> with_curve(std::vector<KeySchema> keys, std::string_view label,
                                  std::string_view where, std::string_view per, Dimension force) {
  Names tables;
  for (const BondedRow& entry : bonded_table()) {
    if (entry.section == section && entry.table != nullptr) tables.push_back(entry.name);
  }
  const auto add = [&](std::string_view name, Target (*target)(Input&, std::size_t),
                       const std::string& description, Dimension dimension, Names aliases) {
    KeySchema key{.name = name,
                  .target = target,
                  .description = kept(fmt::format("{}, {}", description, where)),
                  .need = Need::required,
                  .dimension = dimension,
                  .aliases = std::move(aliases)};
    key.condition = Condition{label, "potential", tables, Severity::error};
    keys.push_back(key);
  };
  add("energy", target_in_molecule<terms, &Term::table>, "Energies at the points of a table",
      Dimension::energy, {"energies", "values"});
  add("force", target_in_molecule<terms, &Term::forces>,
      fmt::format("Minus their derivatives{}", per), force, {"forces"});
  return keys;
}

/// The target of a parameter, whose index is its place in `bonded_parameter_names`.
template <Terms MoleculeSection::*terms, std::string_view const& name>
Target named_parameter(Input& input, std::size_t n) {
  const auto names = bonded_parameter_names();
  const auto number = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  return &nth_inner<&Input::molecules, terms>(input, n).parameters[number];
}
constexpr std::string_view epsilon = "epsilon", sigma = "sigma", charge_product = "charge_product",
                           r0 = "r0", cutoff = "cutoff";

}  // namespace

InputSection molecule_bond() {
  constexpr std::string_view name = "molecule.bond";
  return {.schema = {.name = name,
                     .is_array = true,
                     .tables = tables_in_molecule<&MoleculeSection::bonds>(),
                     .description = "Bonds with the same parameters; formulas of all terms are in "
                                    "[the how-to](howto/flexible-molecules.md).",
                     .aliases = {"bonds"}},
          .keys = with_curve<bond_section, &MoleculeSection::bonds>(
              term_keys<bond_section, &MoleculeSection::bonds>(
                  name, "The two atoms of a bond, or those of several bonds."),
              name, "at equal steps from `r_first` to `r_last`.", "", Dimension::force)};
}

InputSection molecule_angle() {
  constexpr std::string_view name = "molecule.angle";
  return {.schema = {.name = name,
                     .is_array = true,
                     .tables = tables_in_molecule<&MoleculeSection::angles>(),
                     .description =
                         "Angles with the same parameters; the middle atom stands in the middle.",
                     .aliases = {"angles"}},
          .keys = with_curve<angle_section, &MoleculeSection::angles>(
              term_keys<angle_section, &MoleculeSection::angles>(
                  name, "The three atoms of an angle, or those of several angles."),
              name, "at equal steps from 0 to 180 degrees.", " per degree", Dimension::energy)};
}

InputSection molecule_torsion() {
  constexpr std::string_view name = "molecule.torsion";
  return {.schema = {.name = name,
                     .is_array = true,
                     .tables = tables_in_molecule<&MoleculeSection::torsions>(),
                     .description = "Torsions with the same parameters, along chains of four "
                                    "atoms: the angle is 0 where the outer atoms are eclipsed "
                                    "(cis), 180 degrees where they are opposite (trans).",
                     .aliases = {"torsions", "dihedral", "dihedrals"}},
          .keys = with_curve<torsion_section, &MoleculeSection::torsions>(
              term_keys<torsion_section, &MoleculeSection::torsions>(
                  name, "The four atoms of a torsion, or those of several torsions."),
              name, "at equal steps from -180 to 180 degrees.", " per degree", Dimension::energy)};
}

InputSection molecule_improper() {
  constexpr std::string_view name = "molecule.improper";
  return {.schema = {.name = name,
                     .is_array = true,
                     .tables = tables_in_molecule<&MoleculeSection::impropers>(),
                     .description = "Improper torsions with the same parameters: the dihedral "
                                    "angle of the atoms in the order given.",
                     .aliases = {"impropers"}},
          .keys = term_keys<improper_section, &MoleculeSection::impropers>(
              name, "The four atoms of an improper, or those of several impropers.")};
}

InputSection molecule_cmap() {
  constexpr std::string_view name = "molecule.cmap";
  InputSection section{
      .schema = {.name = name,
                 .is_array = true,
                 .tables = tables_in_molecule<&MoleculeSection::cmaps>(),
                 .description = "Corrections by the same table of two torsions in a row, as CHARMM "
                                "has them for the backbones of proteins.",
                 .aliases = {"cmaps", "cmap_table", "cmaptypes", "crossterm", "cross_term"}},
      .keys = term_keys<cmap_section, &MoleculeSection::cmaps>(
          name,
          "Five atoms in a row, or several such lists: the first four have the torsion phi, the "
          "last four psi.")};
  section.keys.push_back(
      {.name = "energy",
       .target = target_in_molecule<&MoleculeSection::cmaps, &Term::table>,
       .description = "A square table, row after row: a row has a phi and all psi, and both begin "
                      "at -180 degrees and go round in equal steps (24 of 15 degrees in CHARMM's "
                      "files, whose order this is).",
       .need = Need::required,
       .dimension = Dimension::energy,
       .aliases = {"table", "map", "grid", "energies", "values"}});
  return section;
}

InputSection molecule_special_pair() {
  return {
      .schema = {.name = "molecule.special_pair",
                 .is_array = true,
                 .tables = tables_in_molecule<&MoleculeSection::special_pairs>(),
                 .description = "Pairs of atoms that interact by parameters of their own, at any "
                                "distance unless they have a `cutoff`: what is not given is that "
                                "of a pair three bonds apart.",
                 .aliases = {"pairs", "special_pairs", "pair_14", "exceptions"}},
      .keys = {
          atoms_key<&MoleculeSection::special_pairs>(
              "The two atoms of a pair, or those of several pairs."),
          {.name = "epsilon",
           .target = named_parameter<&MoleculeSection::special_pairs, epsilon>,
           .description = "Depth of the well; with `sigma`.",
           .default_text = "mixed, times `lennard_jones_14`",
           .dimension = Dimension::energy,
           .range = {.minimum = 0.0},
           .aliases = {"eps"}},
          {.name = "sigma",
           .target = named_parameter<&MoleculeSection::special_pairs, sigma>,
           .description = "Distance at which the Lennard-Jones potential is zero; with `epsilon`.",
           .default_text = "mixed",
           .dimension = Dimension::length,
           .range = positive,
           .aliases = {"sig"}},
          {.name = "cutoff",
           .target = named_parameter<&MoleculeSection::special_pairs, cutoff>,
           .description =
               "Where the Lennard-Jones part ends, in the way that `truncation` in [interaction] "
               "says, with switching from the same share of it on; with `epsilon` and `sigma`. "
               "LAMMPS has such pairs.",
           .default_text = "none: any distance",
           .dimension = Dimension::length,
           .range = positive},
          {.name = "share",
           .target = target_in_molecule<&MoleculeSection::special_pairs, &Term::share>,
           .description = "How much of the potential of the two types acts, whatever that is and "
                          "however it ends; in place of `epsilon` and `sigma`. LAMMPS's "
                          "special_bonds has such factors.",
           .default_text = "none: the Lennard-Jones part above",
           .range = not_negative,
           .aliases = {"factor", "scale"}},
          {.name = "charge_share",
           .target = target_in_molecule<&MoleculeSection::special_pairs, &Term::charge_share>,
           .description = "How much of the interaction of the two charges acts, where charges end "
                          "at a cutoff, as that interaction is and ends; in place of "
                          "`charge_product`.",
           .default_text = "none: the product below",
           .range = not_negative,
           .aliases = {"coulomb_share"}},
          {.name = "charge_product",
           .target = named_parameter<&MoleculeSection::special_pairs, charge_product>,
           .description = "Product of two charges, in squares of the unit of charge.",
           .default_text = "that of the atoms, times `coulomb_14`",
           .aliases = {"qq", "chargeprod"}}}};
}

InputSection molecule_exclusion() {
  return {.schema = {.name = "molecule.exclusion",
                     .is_array = true,
                     .tables = tables_in_molecule<&MoleculeSection::exclusions>(),
                     .description =
                         "Pairs of atoms that do not interact, besides those that bonds join.",
                     .aliases = {"exclusions", "exclude"}},
          .keys = {atoms_key<&MoleculeSection::exclusions>(
              "The two atoms of a pair, or those of several pairs.")}};
}

InputSection molecule_constraint() {
  return {.schema = {.name = "molecule.constraint",
                     .is_array = true,
                     .tables = tables_in_molecule<&MoleculeSection::constraints>(),
                     .description = "Pairs of atoms whose distance stays as it is, besides the "
                                    "bonds that `constrained_bonds` names.",
                     .aliases = {"constraints", "constrain", "shake"}},
          .keys = {{.name = "distance",
                    .target = named_parameter<&MoleculeSection::constraints, r0>,
                    .description = "Distance of the two atoms.",
                    .need = Need::required,
                    .dimension = Dimension::length,
                    .range = positive,
                    .aliases = {"length", "r0", "b0"}},
                   atoms_key<&MoleculeSection::constraints>(
                       "The two atoms of a pair, or those of several pairs.")}};
}

}  // namespace sterna::md::section
