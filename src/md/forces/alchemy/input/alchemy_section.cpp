#include "md/forces/alchemy/input/alchemy_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md {
namespace section {

InputSection alchemy() {
  constexpr Range share{.minimum = 0.0, .maximum = 1.0};
  return {
      .schema = {.name = "alchemy",
                 .description =
                     "Molecules whose van der Waals interactions and charges are switched off, "
                     "state by state, for free energies: [how](howto/alchemy.md).",
                 .aliases = {"free_energy", "couple", "perturbation", "fep"}},
      .keys =
          {{.name = "molecules",
            .target = option<&AlchemySection::molecules>,
            .description =
                "Names of the `[[molecule]]`s, or of the `[[component]]`s, all copies of "
                "which are alchemical. The types of their atoms must be theirs alone.",
            .need = Need::required,
            .aliases = {"molecule", "couple-moltype", "couple_moltype", "region"}},
           {.name = "kind",
            .target = option<&AlchemySection::kind>,
            .description = "What is switched off besides the interactions with other molecules.",
            .aliases = {"couple-intramol", "mode"}},
           {.name = "van_der_waals",
            .target = option<&AlchemySection::van_der_waals>,
            .description = "For each state how far the pair potentials are switched off: 0 not at "
                           "all, 1 altogether.",
            .default_text = "0 in all states",
            .range = share,
            .aliases = {"vdw-lambdas", "vdw_lambdas", "lennard_jones", "sterics"}},
           {.name = "charges",
            .target = option<&AlchemySection::charges>,
            .description = "For each state lambda of the charges: 0 whole, 1 switched off.",
            .default_text = "0 in all states",
            .range = share,
            .aliases = {"coul-lambdas", "coul_lambdas", "coulomb", "electrostatics"}},
           {.name = "bonded",
            .target = option<&AlchemySection::bonded>,
            .description = "For each state lambda of the bonded terms and constraints that change, "
                           "by `[[mutated_term]]` and `[[mutated_constraint]]`.",
            .default_text = "0 in all states",
            .range = share,
            .aliases = {"bonded-lambdas", "bonded_lambdas"}},
           {.name = "masses",
            .target = option<&AlchemySection::masses>,
            .description = "For each state lambda of the masses that change, by `[[mutation]]`.",
            .default_text = "0 in all states",
            .range = share,
            .aliases = {"mass-lambdas", "mass_lambdas"}},
           {.name = "charge_path",
            .target = option<&AlchemySection::charge_path>,
            .description = "What changes in proportion to lambda of the charges. The first and the "
                           "last state are the same with both.",
            .aliases = {"interpolation", "charge_interpolation"}},
           {.name = "state",
            .target = option<&AlchemySection::state>,
            .description = "The state of this run, counted from 0.",
            .range = {.minimum = 0.0, .maximum = 1e6},
            .aliases = {"init-lambda-state", "init_lambda_state", "lambda"}},
           {.name = "soft_core_alpha",
            .target = option<&AlchemySection::soft_core_alpha>,
            .description = "Strength of the soft core of pair potentials that are partly switched "
                           "off (Beutler et al., Chem. Phys. Lett. 222, 529 (1994)). 0: none, and "
                           "potentials are multiplied.",
            .range = {.minimum = 0.0, .maximum = 10.0},
            .aliases = {"sc-alpha", "sc_alpha", "alpha"}},
           {.name = "soft_core_power",
            .target = option<&AlchemySection::soft_core_power>,
            .description = "Power of lambda in it: 1 or 2.",
            .range = {.minimum = 1.0, .maximum = 2.0},
            .aliases = {"sc-power", "sc_power"}},
           {.name = "soft_core_sigma",
            .target = option<&AlchemySection::soft_core_sigma>,
            .description = "Pairs of types whose potential has a smaller size than this have this "
                           "size in the soft core.",
            .dimension = Dimension::length,
            .range = not_negative,
            .aliases = {"sc-sigma", "sc_sigma"}},
           {.name = "interval",
            .target = option<&AlchemySection::interval>,
            .description = "Steps between two rows of `NAME.dhdl.xvg`, which has the derivatives "
                           "by lambda and the energies of all states. 0: no such file.",
            .range = {.minimum = 0.0, .maximum = most_steps},
            .aliases = {"nstdhdl", "output_interval", "every"}}},
      .behind = "bias"};
}

}  // namespace section

std::vector<char> alchemical_molecules(const Input& input) {
  const auto& names = input.section<AlchemySection>().molecules;
  std::vector<char> found;
  for (const Input::Molecule& molecule : input.molecules) {
    found.push_back(std::ranges::find(names, molecule.name) != names.end());
  }
  return found;
}

std::vector<char> alchemical_types(const Input& input) {
  if (!input.section<AlchemySection>().is_used()) return {};
  const std::vector<char> molecules = alchemical_molecules(input);
  std::vector<char> found;
  for (const Input::Type& type : input.types) {
    bool is_alchemical = false;
    for (std::size_t n = 0; n < input.molecules.size(); ++n) {
      is_alchemical =
          is_alchemical || (molecules[n] != 0 &&
                            std::ranges::any_of(input.molecules[n].atoms, [&](const auto& atom) {
                              return atom.type == type.name;
                            }));
    }
    found.push_back(is_alchemical);
  }
  return found;
}

std::vector<char> alchemical_components(const Input& input) {
  const auto& names = input.section<AlchemySection>().molecules;
  const std::vector<char> molecules = alchemical_molecules(input);
  std::vector<char> found;
  for (const Input::Component& component : input.components) {
    bool is_alchemical = std::ranges::find(names, component.name) != names.end();
    for (std::size_t n = 0; n < input.molecules.size(); ++n) {
      is_alchemical =
          is_alchemical || (molecules[n] != 0 &&
                            std::ranges::any_of(input.molecules[n].atoms, [&](const auto& atom) {
                              return atom.type == component.name;
                            }));
    }
    found.push_back(is_alchemical);
  }
  return found;
}

AlchemicalLambdas lambdas_of_run(const Input& input) {
  const AlchemySection& of = input.section<AlchemySection>();
  AlchemicalLambdas found;
  if (!of.is_used()) return found;
  const auto gives = [&](const std::string& place) { return input.places.contains(place); };
  if (gives("replicas")) {
    // [[state]]s that name no state of [alchemy] are in that of the run.
    found.change = !gives("state[0]");
    for (std::size_t n = 0; gives(fmt::format("state[{}]", n)); ++n) {
      found.change = found.change || gives(fmt::format("state[{}].alchemical_state", n));
    }
  }
  const auto any = [&](const std::vector<double>& lambdas) {
    if (found.change) return std::ranges::any_of(lambdas, [](double x) { return x != 0.0; });
    const auto state = static_cast<std::size_t>(of.state);
    return state < lambdas.size() && lambdas[state] != 0.0;
  };
  found.of_charges = any(of.charges);
  found.of_van_der_waals = any(of.van_der_waals);
  return found;
}

bool has_alchemical_components(const Input& input) {
  if (!input.section<AlchemySection>().is_used()) return false;
  return std::ranges::count(alchemical_components(input), char{1}) > 0;
}

}  // namespace sterna::md
