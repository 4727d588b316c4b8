#include "md/input/molecule_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <string>
#include <utility>

#include "md/forces/bonded/bonded_table.hpp"

namespace sterna::md {
namespace {

/// Of a text with a word for each of perhaps a hundred million molecules.
constexpr std::size_t text_for_each_molecule = 1'000'000'000;

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};

using Names = std::vector<std::string_view>;
using Terms = std::vector<Input::MoleculeTerm>;

/// The item of this number, counted through all molecules.
template <auto items>
auto& nth(Input& input, std::size_t n) {
  auto molecule = input.molecules.begin();
  for (; n >= ((*molecule).*items).size(); ++molecule) n -= ((*molecule).*items).size();
  return ((*molecule).*items)[n];
}

/// A schema looks at texts that live for ever.
std::string_view kept(std::string text) {
  static std::list<std::string> texts;
  return texts.emplace_back(std::move(text));
}

template <std::string_view const& section>
std::vector<std::string_view> potentials_of() {
  Names names;
  for (const BondedEntry& entry : bonded_table()) {
    if (entry.section == section) names.push_back(entry.name);
  }
  return names;
}

using TargetOf = Target (*)(Input&, std::size_t);
template <Terms Input::Molecule::*terms, std::size_t... numbers>
constexpr std::array<TargetOf, sizeof...(numbers)> make_targets(std::index_sequence<numbers...>) {
  return {
      [](Input& i, std::size_t n) -> Target { return &nth<terms>(i, n).parameters[numbers]; }...};
}

/// Other programs' names of parameters.
Names aliases_of(std::string_view section, std::string_view name) {
  if (name == "stiffness") {
    return section == "bond" ? Names{"k", "force_constant", "K", "kb"} : Names{"kub", "kUB"};
  }
  if (name == "bending_stiffness") return {"k", "force_constant", "K", "ktheta"};
  if (name == "r0") return {"length", "b0", "req"};
  if (name == "theta0") return {"theta", "thetaeq", "t0"};
  if (name == "phi0") return {"psi0", "chi0"};
  if (name == "amplitude") {
    return section == "torsion" ? Names{"k", "barrier", "K", "force_constant"} : Names{"barrier"};
  }
  if (name == "multiplicity") return {"n", "periodicity"};
  if (name == "phase") return {"delta", "d"};
  if (name == "charge_product") return {"qq", "chargeprod"};
  return {};
}

/// What a section says of a parameter: all potentials that have it.
KeySchema parameter_key(std::string_view label, std::string_view section, std::string_view name,
                        TargetOf target) {
  KeySchema key{.section = label, .name = name, .target = target, .description = {}};
  Names potentials;
  std::string description;
  bool required = false, first = true;
  for (const BondedEntry& entry : bonded_table()) {
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
  key.aliases = aliases_of(section, name);
  return key;
}

constexpr std::string_view bond = "bond", angle = "angle", torsion = "torsion",
                           improper = "improper", cmap = "cmap", special_pair = "special_pair";

template <Terms Input::Molecule::*terms>
KeySchema atoms_key(std::string_view label, std::string_view description) {
  return {.section = label,
          .name = "atoms",
          .target = [](Input& i, std::size_t n) -> Target { return &nth<terms>(i, n).atoms; },
          .description = description,
          .need = Need::required,
          .aliases = {"atom", "indices", "members"}};
}

/// Of a section whose tables have a potential.
template <std::string_view const& section, Terms Input::Molecule::*terms>
void add_terms(std::vector<KeySchema>& keys, std::string_view label, std::string_view atoms) {
  static constexpr auto targets =
      make_targets<terms>(std::make_index_sequence<most_bonded_parameters>{});
  keys.push_back(atoms_key<terms>(label, atoms));
  keys.push_back(
      {.section = label,
       .name = "potential",
       .target = [](Input& i, std::size_t n) -> Target { return &nth<terms>(i, n).potential; },
       .description = "How the energy depends on the places of these atoms.",
       .need = Need::required,
       .choices = potentials_of<section>,
       .aliases = {"style", "kind", "form", "type"}});
  const auto names = bonded_parameter_names();
  for (std::size_t number = 0; number < names.size(); ++number) {
    const bool has_it = std::ranges::any_of(bonded_table(), [&](const BondedEntry& entry) {
      return entry.section == section &&
             std::ranges::find(entry.parameters, names[number], &BondedParameter::name) !=
                 entry.parameters.end();
    });
    if (has_it) keys.push_back(parameter_key(label, section, names[number], targets[number]));
  }
}

/// The place of a parameter among those of all terms.
template <std::string_view const& name>
Target special_parameter(Input& input, std::size_t n) {
  const auto names = bonded_parameter_names();
  const auto number = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  return &nth<&Input::Molecule::special_pairs>(input, n).parameters[number];
}
constexpr std::string_view epsilon = "epsilon", sigma = "sigma", charge_product = "charge_product";

Target constraint_distance(Input& input, std::size_t n) {
  const auto names = bonded_parameter_names();
  const auto number = static_cast<std::size_t>(std::ranges::find(names, "r0") - names.begin());
  return &nth<&Input::Molecule::constraints>(input, n).parameters[number];
}

constexpr std::string_view site_section = "molecule.virtual_site";

Names site_kind_names() {
  Names names;
  for (const VirtualSiteKind& kind : virtual_site_kinds()) names.push_back(kind.name);
  return names;
}

std::string_view site_kind_description() {
  std::string text = "How the place of the site follows from those of its atoms, i, j, k, l:";
  for (const VirtualSiteKind& kind : virtual_site_kinds()) {
    text +=
        fmt::format("{} `{}`: {}, `{}`", kind.name == virtual_site_kinds().front().name ? "" : ";",
                    kind.name, kind.sentence, kind.formula);
  }
  return kept(text + ".");
}

/// A parameter of virtual sites, of those kinds that have it.
template <auto member>
KeySchema site_parameter(std::string_view name, std::string_view description,
                         Dimension dimension = Dimension::none, Names aliases = {}) {
  KeySchema key{.section = site_section,
                .name = name,
                .target = [](Input& i, std::size_t n) -> Target {
                  return &(nth<&Input::Molecule::virtual_sites>(i, n).parameters.*member);
                },
                .description = description,
                .need = Need::required,
                .dimension = dimension,
                .aliases = std::move(aliases)};
  Names kinds;
  for (const VirtualSiteKind& kind : virtual_site_kinds()) {
    if (std::ranges::find(kind.parameters, name) != kind.parameters.end()) {
      kinds.push_back(kind.name);
    }
  }
  key.condition = Condition{site_section, "kind", kinds, Severity::error};
  return key;
}

void add_virtual_sites(std::vector<KeySchema>& keys) {
  using Parameters = VirtualSiteParameters;
  keys.push_back({.section = site_section,
                  .name = "atoms",
                  .target = [](Input& i, std::size_t n) -> Target {
                    return &nth<&Input::Molecule::virtual_sites>(i, n).atoms;
                  },
                  .description = "The site, then the atoms that it is made of; or several such "
                                 "lists.",
                  .need = Need::required,
                  .aliases = {"atom", "indices", "members"}});
  keys.push_back({.section = site_section,
                  .name = "kind",
                  .target = [](Input& i, std::size_t n) -> Target {
                    return &nth<&Input::Molecule::virtual_sites>(i, n).kind;
                  },
                  .description = site_kind_description(),
                  .need = Need::required,
                  .choices = site_kind_names,
                  .aliases = {"type", "funct", "function", "style"}});
  const KeySchema parameters[] = {
      site_parameter<&Parameters::a>("a",
                                     "Weight of the second atom; `3fd`: of r_jk; `4fdn`: of "
                                     "r_ik."),
      site_parameter<&Parameters::b>("b", "Weight of the third atom; `4fdn`: of r_il."),
      site_parameter<&Parameters::c>("c", "Weight of the product of r_ij and r_ik.",
                                     Dimension::inverse_length),
      site_parameter<&Parameters::distance>(
          "distance", "Distance from the first atom; below 0: to the other side.",
          Dimension::length, {"d"}),
      site_parameter<&Parameters::angle>("angle",
                                         "Angle between r_ij and the direction of the "
                                         "site, in degrees.",
                                         Dimension::none, {"theta"}),
      site_parameter<&Parameters::origin_weights>(
          "origin_weights", "What the position of each atom counts in the origin; their sum is 1."),
      site_parameter<&Parameters::x_weights>(
          "x_weights", "What it counts in the direction of the x axis; their sum is 0."),
      site_parameter<&Parameters::y_weights>(
          "y_weights",
          "What it counts in the direction that the y axis is made of; their sum is "
          "0."),
      site_parameter<&Parameters::position>("position", "Of the site, along these axes.",
                                            Dimension::length, {"local_position"})};
  keys.insert(keys.end(), std::begin(parameters), std::end(parameters));
}

}  // namespace

std::vector<KeySchema> molecule_keys() {
  std::vector<KeySchema> keys{
      {.section = "molecule",
       .name = "name",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].name; },
       .description = "Name of the molecule.",
       .need = Need::required,
       .aliases = {"id"}},
      {.section = "molecule",
       .name = "count",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].count; },
       .description = "How many of these molecules follow each other.",
       .need = Need::required,
       .range = {.minimum = 1.0, .maximum = 1e9},
       .aliases = {"number", "n", "molecules"}},
      {.section = "molecule",
       .name = "residue_numbers",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].residue_numbers; },
       .description =
           "Numbers of residues, one for each of these molecules, in selections and in files of "
           "other programs: numbers and ranges such as \"21:520 601\".",
       .default_text = "molecules are counted",
       .longest_text = text_for_each_molecule,
       .aliases = {"residues", "resids", "resid"}},
      {.section = "molecule",
       .name = "chains",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].chains; },
       .description =
           "Chain, or segment, of these molecules in files of other programs: the name of one, or "
           "several with numbers of molecules such as \"A:250 B:250\".",
       .default_text = "none",
       .longest_text = text_for_each_molecule,
       .aliases = {"chain", "segment", "segid", "chain_id"}},
      {.section = "molecule",
       .name = "file",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].file; },
       .description =
           "A TOML file with the sections of this molecule, `[[atom]]`, `[[bond]]` and "
           "so on, and the keys below, in the units of the input. Relative to the folder "
           "of the input file.",
       .default_text = "the sections that follow",
       .aliases = {"topology", "include"}},
      {.section = "molecule",
       .name = "excluded_bonds",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].excluded_bonds; },
       .description = "Atoms that are at most so many bonds apart do not interact as particles of "
                      "their types do.",
       .range = {.minimum = 0.0, .maximum = 8.0},
       .aliases = {"nrexcl", "exclude_bonds"}},
      {.section = "molecule",
       .name = "lennard_jones_14",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].lennard_jones_14; },
       .description = "Factor of the Lennard-Jones interaction of atoms exactly three bonds apart, "
                      "at any distance, without a shift.",
       .range = {.minimum = 0.0, .maximum = 1.0},
       .aliases = {"fudgeLJ", "fudge_lj", "lj_14"}},
      {.section = "molecule",
       .name = "coulomb_14",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].coulomb_14; },
       .description = "Factor of the Coulomb interaction of atoms exactly three bonds apart.",
       .range = {.minimum = 0.0, .maximum = 1.0},
       .aliases = {"fudgeQQ", "fudge_qq", "charge_14"}},
      {.section = "molecule",
       .name = "constrained_bonds",
       .target = [](Input& i, std::size_t n) -> Target {
         return &i.molecules[n].constrained_bonds;
       },
       .description = "Bonds that keep the length `r0`, and have no energy: those of hydrogen "
                      "(atoms lighter than 4.5 u), or all.",
       .choices =
           [] {
             return Names{"none", "hydrogen", "all"};
           },
       .aliases = {"constraints", "constrain"}},
      {.section = "molecule",
       .name = "hydrogen_mass",
       .target = [](Input& i, std::size_t n) -> Target { return &i.molecules[n].hydrogen_mass; },
       .description = "The mass that hydrogen (atoms lighter than 4.5 u) has, at most 4 u. It is "
                      "taken from the heavier atom that each hydrogen is bonded to, so that the "
                      "mass of the molecule stays as it is. With 3 u or so and "
                      "`constrained_bonds`, steps can be twice as long.",
       .default_text = "that of its type",
       .dimension = Dimension::mass,
       .range = positive,
       .aliases = {"hydrogenMass", "hmr", "mass_repartition", "heavy_h"}},
      {.section = "molecule.atom",
       .name = "type",
       .target = [](Input& i, std::size_t n) -> Target {
         return &nth<&Input::Molecule::atoms>(i, n).type;
       },
       .description =
           "Name of its `[[type]]`, which has the mass and the Lennard-Jones parameters.",
       .need = Need::required},
      {.section = "molecule.atom",
       .name = "name",
       .target = [](Input& i, std::size_t n) -> Target {
         return &nth<&Input::Molecule::atoms>(i, n).name;
       },
       .description = "Name of the atom, for messages and trajectories.",
       .default_text = "that of its type",
       .aliases = {"label"}},
      {.section = "molecule.atom",
       .name = "charge",
       .target = [](Input& i, std::size_t n) -> Target {
         return &nth<&Input::Molecule::atoms>(i, n).charge;
       },
       .description = "Electric charge.",
       .default_text = "that of its type",
       .dimension = Dimension::charge,
       .aliases = {"q"}},
      {.section = "molecule.atom",
       .name = "residue",
       .target = [](Input& i, std::size_t n) -> Target {
         return &nth<&Input::Molecule::atoms>(i, n).residue;
       },
       .description =
           "Name of the part of the molecule that the atom is in, such as an amino acid: "
           "for selections and for files of other programs.",
       .default_text = "that of the molecule",
       .aliases = {"resname", "residue_name"}},
      {.section = "molecule.atom",
       .name = "residue_number",
       .target = [](Input& i, std::size_t n) -> Target {
         return &nth<&Input::Molecule::atoms>(i, n).residue_number;
       },
       .description = "Number of that part.",
       .default_text = "that of the molecule",
       .range = {.minimum = -1e9, .maximum = 1e9},
       .aliases = {"resid", "resnum", "resi"}},
      {.section = "molecule.atom",
       .name = "chain",
       .target = [](Input& i, std::size_t n) -> Target {
         return &nth<&Input::Molecule::atoms>(i, n).chain;
       },
       .description = "Chain, or segment, of the atom, where the molecule is in several.",
       .default_text = "that of the molecule",
       .aliases = {"segment", "segid", "chain_id"}},
  };
  add_terms<bond, &Input::Molecule::bonds>(keys, "molecule.bond",
                                           "The two atoms of a bond, or those of several bonds.");
  add_terms<angle, &Input::Molecule::angles>(
      keys, "molecule.angle", "The three atoms of an angle, or those of several angles.");
  add_terms<torsion, &Input::Molecule::torsions>(
      keys, "molecule.torsion", "The four atoms of a torsion, or those of several torsions.");
  add_terms<improper, &Input::Molecule::impropers>(
      keys, "molecule.improper", "The four atoms of an improper, or those of several impropers.");
  add_terms<cmap, &Input::Molecule::cmaps>(
      keys, "molecule.cmap",
      "Five atoms in a row, or several such lists: the first four have the torsion phi, the last "
      "four psi.");
  keys.push_back({.section = "molecule.cmap",
                  .name = "energy",
                  .target = [](Input& i, std::size_t n) -> Target {
                    return &nth<&Input::Molecule::cmaps>(i, n).table;
                  },
                  .description =
                      "A square table, row after row: a row has a phi and all psi, and both begin "
                      "at -180 degrees and go round in equal steps (24 of 15 degrees in CHARMM's "
                      "files, whose order this is).",
                  .need = Need::required,
                  .dimension = Dimension::energy,
                  .aliases = {"table", "map", "grid", "energies", "values"}});
  keys.push_back(atoms_key<&Input::Molecule::special_pairs>(
      "molecule.special_pair", "The two atoms of a pair, or those of several pairs."));
  const KeySchema of_pairs[] = {
      {.section = "molecule.special_pair",
       .name = "epsilon",
       .target = special_parameter<epsilon>,
       .description = "Depth of the well; with `sigma`.",
       .default_text = "mixed, times `lennard_jones_14`",
       .dimension = Dimension::energy,
       .range = {.minimum = 0.0},
       .aliases = {"eps"}},
      {.section = "molecule.special_pair",
       .name = "sigma",
       .target = special_parameter<sigma>,
       .description = "Distance at which the Lennard-Jones potential is zero; with `epsilon`.",
       .default_text = "mixed",
       .dimension = Dimension::length,
       .range = positive,
       .aliases = {"sig"}},
      {.section = "molecule.special_pair",
       .name = "charge_product",
       .target = special_parameter<charge_product>,
       .description = "Product of two charges, in squares of the unit of charge.",
       .default_text = "that of the atoms, times `coulomb_14`",
       .aliases = {"qq", "chargeprod"}}};
  keys.insert(keys.end(), std::begin(of_pairs), std::end(of_pairs));
  keys.push_back(atoms_key<&Input::Molecule::exclusions>(
      "molecule.exclusion", "The two atoms of a pair, or those of several pairs."));
  keys.push_back({.section = "molecule.constraint",
                  .name = "distance",
                  .target = constraint_distance,
                  .description = "Distance of the two atoms.",
                  .need = Need::required,
                  .dimension = Dimension::length,
                  .range = positive,
                  .aliases = {"length", "r0", "b0"}});
  keys.push_back(atoms_key<&Input::Molecule::constraints>(
      "molecule.constraint", "The two atoms of a pair, or those of several pairs."));
  add_virtual_sites(keys);
  return keys;
}

}  // namespace sterna::md
