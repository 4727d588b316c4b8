#include <fmt/format.h>

#include <algorithm>

#include "md/core/registry.hpp"
#include "md/forces/bonded/input/inner_of_molecule.hpp"
#include "md/forces/bonded/input/molecule_sections.hpp"

namespace sterna::md::section {
namespace {

Names site_kind_names() {
  Names names;
  for (const VirtualSiteRow& kind : virtual_site_kinds()) names.push_back(kind.name);
  return names;
}

std::string_view site_kind_description() {
  std::string text = "How the place of the site follows from those of its atoms, i, j, k, l:";
  for (const VirtualSiteRow& kind : virtual_site_kinds()) {
    text += fmt::format("{} `{}`: {}, `{}`", kind.name == virtual_site_kinds()[0].name ? "" : ";",
                        kind.name, kind.sentence, kind.formula);
  }
  return kept(text + ".");
}

/// The key of a parameter that only some kinds of virtual sites have.
template <auto member>
KeySchema site_parameter(std::string_view name, std::string_view description,
                         Dimension dimension = Dimension::none, Names aliases = {}) {
  KeySchema key{
      .name = name,
      .target = [](Input& i, std::size_t n) -> Target {
        return &(nth_inner<&Input::molecules, &MoleculeSection::virtual_sites>(i, n).parameters.*
                 member);
      },
      .description = description,
      .need = Need::required,
      .dimension = dimension,
      .aliases = std::move(aliases)};
  Names kinds;
  for (const VirtualSiteRow& kind : virtual_site_kinds()) {
    if (std::ranges::find(kind.parameters, name) != kind.parameters.end()) {
      kinds.push_back(kind.name);
    }
  }
  key.condition = Condition{"molecule.virtual_site", "kind", kinds, Severity::error};
  return key;
}

using Site = MoleculeSection::VirtualSite;
using Parameters = VirtualSiteParameters;

}  // namespace

InputSection molecule_virtual_site() {
  return {
      .schema = {.name = "molecule.virtual_site",
                 .is_array = true,
                 .tables = tables_in_molecule<&MoleculeSection::virtual_sites>(),
                 .description = "Atoms without mass whose positions follow from those of others, "
                                "which take the forces on them: the charge of TIP4P water, lone "
                                "pairs. [The how-to](howto/virtual-sites.md) has the formulas.",
                 .aliases = {"virtual_sites", "vsite", "virtual_sites2", "virtual_sites3",
                             "virtual_sites4", "lone_pair", "lonepair", "extra_point", "dummy"}},
      .keys = {{.name = "atoms",
                .target = target_in_molecule<&MoleculeSection::virtual_sites, &Site::atoms>,
                .description =
                    "The site, then the atoms that it is made of, which may be sites; or several "
                    "such lists.",
                .need = Need::required,
                .aliases = {"atom", "indices", "members"}},
               {.name = "kind",
                .target = target_in_molecule<&MoleculeSection::virtual_sites, &Site::kind>,
                .description = site_kind_description(),
                .need = Need::required,
                .choices = site_kind_names,
                .aliases = {"type", "funct", "function", "style"}},
               site_parameter<&Parameters::a>(
                   "a", "Weight of the second atom; `3fd`, `4fd`: of r_jk; `4fdn`: of r_ik."),
               site_parameter<&Parameters::b>(
                   "b", "Weight of the third atom; `4fd`: of r_jl; `4fdn`: of r_il."),
               site_parameter<&Parameters::c>("c", "Weight of the product of r_ij and r_ik.",
                                              Dimension::inverse_length),
               site_parameter<&Parameters::distance>(
                   "distance", "Distance from the first atom; below 0: to the other side.",
                   Dimension::length, {"d"}),
               site_parameter<&Parameters::angle>(
                   "angle", "Angle between r_ij and the direction of the site, in degrees.",
                   Dimension::none, {"theta"}),
               site_parameter<&Parameters::weights>(
                   "weights", "What the position of each atom counts, divided by their sum.",
                   Dimension::none, {"weight"}),
               site_parameter<&Parameters::origin_weights>(
                   "origin_weights",
                   "What the position of each atom counts in the origin; their sum is 1."),
               site_parameter<&Parameters::x_weights>(
                   "x_weights", "What it counts in the direction of the x axis; their sum is 0."),
               site_parameter<&Parameters::y_weights>(
                   "y_weights",
                   "What it counts in the direction that the y axis is made of; their sum is 0."),
               site_parameter<&Parameters::position>("position", "Of the site, along these axes.",
                                                     Dimension::length, {"local_position"})}};
}

}  // namespace sterna::md::section
