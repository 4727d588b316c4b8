#include "md/ensemble/grand_canonical_section.hpp"

#include <cmath>
#include <numbers>

#include "md/core/unit_constants.hpp"
#include "md/input/sections/section.hpp"
#include "md/observe/check_inserted.hpp"

namespace sterna::md {
namespace {

/// Planck's constant in internal units, kJ/mol ps; it is exact.
constexpr double planck = 6.62607015e-34 * unit::joule * 1e12;

}  // namespace

double activity_of(const Input& input, const GrandCanonicalSection& reservoir,
                   std::size_t component, double mass) {
  const double heat = input.units.boltzmann() * insertion_temperature(input);
  if (!reservoir.activity.empty()) return reservoir.activity[component];
  if (!reservoir.fugacity.empty()) return reservoir.fugacity[component] / heat;
  if (!reservoir.reduced_chemical_potential.empty()) {
    const double length = input.units.to_internal(1.0, Dimension::length);
    return std::exp(reservoir.reduced_chemical_potential[component]) / (length * length * length);
  }
  const double wavelength =
      input.units.is_reduced() ? 1.0 : planck / std::sqrt(2.0 * std::numbers::pi * mass * heat);
  return std::exp(reservoir.chemical_potential[component] / heat) /
         (wavelength * wavelength * wavelength);
}

ReservoirRegion region_of(const GrandCanonicalSection& reservoir, const Box& box) {
  return {reservoir.lower.value_or(Vec3{}), reservoir.upper.value_or(box.length)};
}

namespace section {
namespace {

std::vector<KeySchema> reservoir_potential_keys() {
  using Section = GrandCanonicalSection;
  return {
      {.name = "chemical_potential",
       .target = target_in_table_of<&Section::chemical_potential>,
       .description =
           "Of each of them: k T ln(z Λ^3), with the activity z and the thermal wavelength Λ = "
           "h / sqrt(2 π m k T); in reduced units Λ is the unit of length.",
       .default_text = "given by another key",
       .dimension = Dimension::energy,
       .aliases = {"mu", "chempot", "chemical_potentials"}},
      {.name = "reduced_chemical_potential",
       .target = target_in_table_of<&Section::reduced_chemical_potential>,
       .description = "The same as ln(z l^3), l being the unit of length, as `[insertion]` "
                      "gives it.",
       .default_text = "given by another key",
       .range = {.minimum = -600.0, .maximum = 600.0},
       .aliases = {"mu_by_kT", "reduced_mu"}},
      {.name = "activity",
       .target = target_in_table_of<&Section::activity>,
       .description = "The same as the density z of the ideal gas with this chemical potential.",
       .default_text = "given by another key",
       .dimension = Dimension::number_density,
       .range = positive,
       .aliases = {"activities", "z", "zz"}},
      {.name = "fugacity",
       .target = target_in_table_of<&Section::fugacity>,
       .description =
           "The same as the pressure z k T of the ideal gas with this chemical potential.",
       .default_text = "given by another key",
       .dimension = Dimension::pressure,
       .range = positive,
       .aliases = {"fugacities", "pressure"}}};
}

std::vector<KeySchema> reservoir_move_keys() {
  using Section = GrandCanonicalSection;
  return {
      {.name = "interval",
       .target = target_in_table_of<&Section::interval>,
       .description = "Steps between two times at which molecules are exchanged. Lists are "
                      "rebuilt at each of them.",
       .need = Need::required,
       .range = {.minimum = 1.0, .maximum = most_steps},
       .aliases = {"every", "nevery"}},
      {.name = "moves",
       .target = target_in_table_of<&Section::moves>,
       .description = "Attempts to insert or to delete a molecule, each time.",
       .range = {.minimum = 0.0, .maximum = 1e9},
       .aliases = {"attempts", "nexchange", "trials"}},
      {.name = "exchanges",
       .target = target_in_table_of<&Section::exchanges>,
       .description = "Attempts to turn a molecule of one component into one of another, each "
                      "time.",
       .range = {.minimum = 0.0, .maximum = 1e9},
       .aliases = {"identity_exchanges", "identity_changes", "swaps"}},
      {.name = "lower",
       .target = target_in_table_of<&Section::lower>,
       .description = "Lower corner of the region that is in contact with the reservoir, counted "
                      "from the box's corner; molecules belong to it by their centers of mass.",
       .default_text = "that of the box",
       .dimension = Dimension::length,
       .aliases = {"from"}},
      {.name = "upper",
       .target = target_in_table_of<&Section::upper>,
       .description = "Upper corner of that region.",
       .default_text = "that of the box",
       .dimension = Dimension::length,
       .aliases = {"to"}}};
}

}  // namespace
}  // namespace section

InputSection section::grand_canonical() {
  using Section = GrandCanonicalSection;
  InputSection section{
      .schema =
          {.name = "grand_canonical",
           .is_array = true,
           .tables = tables_of<Section>(),
           .description =
               "A reservoir of molecules: they are inserted into the box and deleted from it, "
               "so that their chemical potentials are those of the reservoir: "
               "[how](howto/grand-canonical.md).",
           .aliases = {"gcmc", "muVT", "reservoir", "grandCanonical", "open"}},
      .keys = {{.name = "components",
                .target = target_in_table_of<&Section::components>,
                .description = "Names of the `[[component]]`s or `[[type]]`s that come and go.",
                .need = Need::required,
                .aliases = {"component", "types", "type", "names"}}}};
  append(section.keys, reservoir_potential_keys());
  append(section.keys, reservoir_move_keys());
  section.behind = "replicas";
  section.check = check_grand_canonical;
  return section;
}

}  // namespace sterna::md
