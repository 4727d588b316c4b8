#include "md/input/sections/pair_section.hpp"

#include <fmt/format.h>

#include <array>

#include "md/forces/pair/input/mixed_pairs.hpp"
#include "md/forces/pair/input/pair_sections.hpp"
#include "md/forces/pair/pair_potential_table.hpp"
#include "md/input/sections/kim_section.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

/// A potential with a parameter of a given name, and the parameter.
struct PairParameterUse {
  const PairPotentialRow* potential;
  const PairParameter* parameter;
};

std::vector<PairParameterUse> pair_uses_of(std::string_view name) {
  std::vector<PairParameterUse> uses;
  for (const PairPotentialRow& row : pair_potential_table()) {
    for (const PairParameter& parameter : row.parameters) {
      if (parameter.name == name) uses.push_back({&row, &parameter});
    }
  }
  return uses;
}

template <std::size_t number>
Target pair_parameter_target(Input& input, std::size_t pair) {
  return &input.pairs[pair].parameters[number];
}
using PairTarget = Target (*)(Input&, std::size_t);
template <std::size_t... numbers>
constexpr std::array<PairTarget, sizeof...(numbers)> make_pair_targets(
    std::index_sequence<numbers...>) {
  return {pair_parameter_target<numbers>...};
}
constexpr auto pair_targets = make_pair_targets(std::make_index_sequence<most_pair_parameters>{});

Names potential_names() {
  Names names;
  for (const PairPotentialRow& row : pair_potential_table()) names.push_back(row.name);
  return names;
}
/// The names of parameters in other programs.
Names pair_aliases_of(std::string_view name) {
  if (name == "epsilon") return {"eps"};
  if (name == "sigma") return {"sig"};
  if (name == "amplitude") return {"A", "a"};
  if (name == "c6") return {"C", "c"};
  if (name == "c8") return {"D", "d"};
  if (name == "depth") return {"D0", "d0", "De"};
  if (name == "r0") return {"re", "minimum"};
  if (name == "repulsive_exponent") return {"n", "gammaR", "lambda_r"};
  if (name == "attractive_exponent") return {"m", "gammaA", "lambda_a"};
  return {};
}

KeySchema pair_parameter_key(std::size_t number, std::string_view name) {
  const std::vector<PairParameterUse> uses = pair_uses_of(name);
  KeySchema key{.name = name, .target = pair_targets[number]};
  Names potentials;
  std::string description, preset;
  key.dimension = uses[0].parameter->dimension;
  key.range = uses[0].parameter->range;
  for (const PairParameterUse& use : uses) {
    potentials.push_back(use.potential->name);
    // The key allows the union of the ranges of all potentials; `check_pair_potentials` checks the
    // range of each.
    const Range& range = use.parameter->range;
    if (range.minimum < key.range.minimum) key.range = range;
    if (range.minimum == key.range.minimum && !range.exclusive_minimum) key.range = range;
    description += fmt::format("{}`{}`: {}", description.empty() ? "" : "; ", use.potential->name,
                               use.parameter->description);
    if (use.parameter->required) continue;
    preset = fmt::format("{}", use.parameter->preset);
  }
  const bool mixes = potentials[0] == PairSection::mixed_potential;
  key.description = kept(description + ".");
  key.default_text = mixes            ? std::string_view("mixed; required of other potentials")
                     : preset.empty() ? std::string_view("required")
                                      : kept(preset);
  key.condition = Condition{"pair", "potential", potentials, Severity::error};
  key.aliases = pair_aliases_of(name);
  return key;
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection pair() {
  InputSection section{
      .schema = {.name = "pair",
                 .is_array = true,
                 .tables = tables_in<&Input::pairs>(65536),
                 .description =
                     "The potential of two unlike (or like) types, or their Lennard-Jones "
                     "parameters in place of the mixed ones; how two unlike components mix, or a "
                     "type and a component."},
      .keys = {
          {.name = "first",
           .target = target_in_table<&Input::pairs, &PairSection::first>,
           .description = "Name of one type or component.",
           .need = Need::required},
          {.name = "second",
           .target = target_in_table<&Input::pairs, &PairSection::second>,
           .description = "Name of the other.",
           .need = Need::required},
          {.name = "potential",
           .target = target_in_table<&Input::pairs, &PairSection::potential>,
           .description = "Of two types: their potential; formulas and sources are in "
                          "[potentials.md](potentials.md).",
           .choices = potential_names,
           .aliases = {"style", "kind", "form"}},
          {.name = "adds",
           .target = target_in_table<&Input::pairs, &PairSection::adds>,
           .description = "Of types: whether this potential acts besides what the two types "
                          "have already, by mixing or by another [[pair]]. A pair of types may "
                          "have any number of such potentials, and their sum acts.",
           .aliases = {"overlay", "add"}},
          {.name = "cutoff",
           .target = target_in_table<&Input::pairs, &PairSection::cutoff>,
           .description = "Where the potential of these two types ends, if before the cutoff "
                          "in `[interaction]`. Where the potential is switched, that begins "
                          "at the same share of it.",
           .default_text = "the cutoff in `[interaction]`",
           .dimension = Dimension::length,
           .range = positive,
           .aliases = {"rcut", "rc", "r_cut"}},
          {.name = "truncation",
           .target = target_in_table<&Input::pairs, &PairSection::truncation>,
           .description = "How the potential of these two types ends, if in another way than "
                          "`truncation` in `[interaction]` says.",
           .default_text = "that in `[interaction]`",
           .aliases = {"shift", "modifier"}},
          {.name = "switch_start",
           .target = target_in_table<&Input::pairs, &PairSection::switch_start>,
           .description = "Where the switching of these two types begins; smaller than their "
                          "cutoff.",
           .default_text = "the same share of the cutoff as in `[interaction]`",
           .dimension = Dimension::length,
           .range = positive,
           .aliases = {"inner_cutoff", "rswitch"}},
          {.name = "table",
           .target = target_in_table<&Input::pairs, &PairSection::table>,
           .description = "File with lines of three numbers, the distance, the energy and the "
                          "force -du/dr, in the units of the input; what follows a # is a "
                          "comment. Relative to the folder of the input file.",
           .need = Need::required,
           .names_file = true,
           .condition = Condition{"pair", "potential", {"tabulated"}, Severity::error},
           .aliases = {"file", "points"}}}};
  const auto names = pair_parameter_names();
  for (std::size_t number = 0; number < names.size(); ++number) {
    section.keys.push_back(pair_parameter_key(number, names[number]));
  }
  append(
      section.keys,
      {{.name = "mixing",
        .target = target_in_table<&Input::pairs, &PairSection::mixing>,
        .description = "The rule of this pair, if another one than `mixing` in `[interaction]`; of "
                       "Lennard-Jones pairs.",
        .default_text = "that in `[interaction]`",
        .aliases = {"combination", "mixing_rule"}},
       {.name = "eta",
        .target = target_in_table<&Input::pairs, &PairSection::eta>,
        .description = "Factor of the mixed sigma, of two types or between the sites of two "
                       "components, such as eta (sigma1 + sigma2) / 2.",
        .default_text = "1",
        .range = positive},
       {.name = "xi",
        .target = target_in_table<&Input::pairs, &PairSection::xi>,
        .description = "Factor of the mixed epsilon, of two types or between the sites of two "
                       "components, such as xi sqrt(epsilon1 epsilon2).",
        .default_text = "1",
        .range = not_negative}});
  section.behind = "molecule.virtual_site";
  return section;
}

}  // namespace sterna::md::section

namespace sterna::md {
namespace {

/// Whether a type needs no parameters, because each of its pairs has a potential of its own or because
/// its forces come from a model of [kim].
bool has_own_potentials(const Input& input, std::size_t type) {
  return !type_is_mixed(input, type) || input.section<KimSection>().has(input.types[type].name);
}

}  // namespace

std::vector<AddedKey> keys_of_pairs() {
  using namespace section;
  return {{"type",
           "mass",
           {.name = "epsilon",
            .target = target_in_table<&Input::types, &TypeSection::epsilon>,
            .description = "Depth of the potential's well; a temperature such as \"119.8 K\" is "
                           "taken times Boltzmann's constant. 0: no interaction. Not needed where "
                           "every pair of the type has a `[[pair]]` with a potential.",
            .need = Need::with_real_units,
            .dimension = Dimension::energy,
            .range = not_negative,
            .condition = potential_is(InteractionPotential::lennard_jones),
            .unneeded = has_own_potentials,
            .aliases = {"eps"}}},
          {"type",
           "epsilon",
           {.name = "sigma",
            .target = target_in_table<&Input::types, &TypeSection::sigma>,
            .description = "Distance at which the potential is zero. As epsilon it is not needed "
                           "where every pair of the type has a potential.",
            .need = Need::with_real_units,
            .dimension = Dimension::length,
            .range = positive,
            .condition = potential_is(InteractionPotential::lennard_jones),
            .unneeded = has_own_potentials,
            .aliases = {"sig", "diameter"}}}};
}

}  // namespace sterna::md
