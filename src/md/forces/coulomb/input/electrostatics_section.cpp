#include "md/input/sections/electrostatics_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/forces/coulomb/input/charge_solver_row.hpp"
#include "md/forces/coulomb/input/electrostatics_keys.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

Condition kind_is(Names kinds, Severity severity = Severity::error) {
  return {"electrostatics", "kind", std::move(kinds), severity};
}
Condition solver_is_on() {
  return kind_is(charge_solver_table().names(), Severity::warning);
}
Condition ends_so(std::initializer_list<CutoffCharge> ends) {
  return choice_is("electrostatics", "kind", ends);
}

/// The names of all kinds but "none".
Names used_kinds() {
  Names names = charge_solver_table().names();
  for (const Choice<CutoffCharge>& end : choice_table<CutoffCharge>) names.push_back(end.name);
  return names;
}

std::string_view kind_description() {
  std::string all;
  for (const ChargeSolverRow& solver : charge_solver_table()) {
    all += fmt::format("\"{}\": {} ", solver.name, solver.sentence);
  }
  for (const Choice<CutoffCharge>& end : choice_table<CutoffCharge>) {
    all += fmt::format("{} ", end.sentence);
  }
  return kept(all + "\"none\": types have no charges.");
}

std::string_view surroundings_description() {
  const Names open = charge_solver_table().names_that(
      [](const ChargeSolverRow& solver) { return solver.not_in_open_box.empty(); });
  return kept(fmt::format(
      "What lies around the periodic images at infinity: a \"conductor\" (tin foil) or "
      "\"vacuum\", where the dipole of the box costs energy. \"open\", for {} only: "
      "there are no images, as of a droplet or cluster in vacuum. The box then only "
      "bounds the volume: a run ends with an error when a particle comes as near to a "
      "face as half of the cutoff, from where it could meet images by short-range forces.",
      choice_list(open)));
}

/// Inserts the keys that only some solvers have. Solvers may share a key together with its options.
void add_keys_of_solvers(std::vector<KeySchema>& keys) {
  auto behind = std::ranges::find(keys, "accuracy", &KeySchema::name) + 1;
  for (const ChargeSolverRow& solver : charge_solver_table()) {
    for (KeySchema key : solver.keys) {
      const auto shared = std::ranges::find(keys, key.target, &KeySchema::target);
      if (shared != keys.end()) {
        shared->condition->values.push_back(solver.name);
        continue;
      }
      key.condition = kind_is({solver.name}, Severity::warning);
      behind = keys.insert(behind, std::move(key)) + 1;
    }
  }
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection electrostatics() {
  InputSection section{
      .schema = {.name = "electrostatics",
                 .description = "Forces of charges: at any distance, or within a cutoff.",
                 .aliases = {"coulomb", "kspace", "ewald", "pme", "pppm", "fmm"}},
      .keys = {
          {.name = "kind",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::kind>,
           .description = kind_description(),
           .need = Need::required,
           .choices =
               [] {
                 Names names = used_kinds();
                 names.insert(names.begin(), "none");
                 return names;
               },
           .aliases = {"method", "type", "solver", "kspace_style"}},
          {.name = "accuracy",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::accuracy>,
           .description = "Error of the Coulomb forces, root of the mean square, relative to that "
                          "of the forces. The order of the expansions follows from it; the error "
                          "is measured at the start, and the order raised where it is too large.",
           .range = {.minimum = 1e-8, .maximum = 1e-1},
           .condition = solver_is_on(),
           .aliases = {"tolerance", "error", "ewald_rtol", "precision_goal"}},
          {.name = "surroundings",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::surroundings>,
           .description = surroundings_description(),
           .condition = solver_is_on(),
           .aliases = {"boundary", "surface", "epsilon_surface"}},
          {.name = "cutoff",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::cutoff>,
           .description = "Distance beyond which charges do not act on each other.",
           .default_text = "that of `[interaction]`",
           .dimension = Dimension::length,
           .range = positive,
           .condition = kind_is(choice_names<CutoffCharge>()),
           .aliases = {"rcoulomb", "rcut", "rc", "r_cut", "cut"}},
          {.name = "truncation",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::truncation>,
           .description =
               "\"shifted\": the energy of a pair is 1/r less its value at the cutoff. Excluded "
               "pairs within the cutoff and each charge itself have that constant, too. "
               "\"truncated\": 1/r as it is, which jumps at the cutoff. \"force_shifted\": the "
               "force, too, goes to zero, as 1/r^2 less its value at the cutoff (CHARMM). "
               "\"cubic_force_switched\": the force and its slope go to zero from "
               "`switch_start` on (GROMACS).",
           .condition = ends_so({CutoffCharge::cutoff}),
           .aliases = {"shift", "modifier", "coulomb_modifier"}},
          {.name = "switch_start",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::switch_start>,
           .description = "Where the switching begins; smaller than the cutoff.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = choice_is("electrostatics", "truncation",
                                  {ElectrostaticsTruncation::cubic_force_switched}),
           .aliases = {"rcoulomb_switch", "inner_cutoff"}},
          {.name = "damping",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::damping>,
           .description = "Of erfc(damping r)/r: the larger, the sooner charges cease to act. Its "
                          "product with the cutoff is usually 2 to 3.",
           .need = Need::required,
           .dimension = Dimension::inverse_length,
           .range = not_negative,
           .condition = ends_so({CutoffCharge::damped_shifted_force, CutoffCharge::wolf}),
           .aliases = {"alpha", "damping_parameter"}},
          {.name = "kappa",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::kappa>,
           .description = "Inverse of the screening length of Debye.",
           .need = Need::required,
           .dimension = Dimension::inverse_length,
           .range = not_negative,
           .condition = ends_so({CutoffCharge::screened}),
           .aliases = {"inverse_debye_length"}},
          {.name = "permittivity",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::permittivity>,
           .description =
               "Relative permittivity between the charges, by which all Coulomb interactions are "
               "divided, those of 1-4 pairs included.",
           .range = {.minimum = 1e-3, .maximum = 1e9},
           .condition = kind_is(used_kinds()),
           .aliases = {"epsilon_r", "dielectric", "relative_permittivity"}},
          {.name = "reaction_field_permittivity",
           .target = target_in<&Input::electrostatics,
                               &ElectrostaticsSection::reaction_field_permittivity>,
           .description = "Relative permittivity beyond the cutoff.",
           .default_text = "infinite: a conductor",
           .range = {.minimum = 1e-3},
           .condition = ends_so({CutoffCharge::reaction_field}),
           .aliases = {"epsilon_rf", "rf_epsilon", "reaction_field_epsilon"}}}};
  add_keys_of_solvers(section.keys);
  section.behind = "interaction";
  return section;
}

}  // namespace sterna::md::section

namespace sterna::md {

std::vector<AddedKey> keys_of_charges() {
  using section::target_in_table;
  return {{"type",
           "embedded_atom",
           {.name = "charge",
            .target = target_in_table<&Input::types, &TypeSection::charge>,
            .description = "Charge of a particle; needs `[electrostatics]`.",
            .dimension = Dimension::charge,
            .aliases = {"q"}}}};
}

}  // namespace sterna::md
