#include "md/input/sections/electrostatics_section.hpp"

#include "md/forces/coulomb/input/electrostatics_keys.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

Condition solver_is_on() {
  return choice_is("electrostatics", "kind", {ElectrostaticsKind::fmm, ElectrostaticsKind::ewald},
                   Severity::warning);
}
Condition solver_is_fmm() {
  return choice_is("electrostatics", "kind", {ElectrostaticsKind::fmm}, Severity::warning);
}

Condition solver_has_cutoff() {
  return choice_is(
      "electrostatics", "kind",
      {ElectrostaticsKind::reaction_field, ElectrostaticsKind::damped_shifted_force,
       ElectrostaticsKind::wolf, ElectrostaticsKind::screened, ElectrostaticsKind::cutoff});
}

}  // namespace

InputSection electrostatics() {
  InputSection section{
      .schema = {.name = "electrostatics",
                 .description = "Forces of charges: at any distance, or within a cutoff.",
                 .aliases = {"coulomb", "kspace", "ewald", "pme", "pppm", "fmm"}},
      .keys = {
          {.name = "kind",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::kind>,
           .description = "\"fmm\": charges act on each other and on all periodic images, by the "
                          "fast multipole method; charges of one molecule do not act on each "
                          "other. \"ewald\": the same by Ewald sums over all pairs and waves, for "
                          "which each rank holds all charges: a reference for up to some thousand "
                          "charges. \"reaction_field\": pairs of charges within a cutoff, with a "
                          "dielectric beyond it; of [[type]]s and [[molecule]]s, as those that "
                          "follow. \"damped_shifted_force\": damped by erfc(damping r), with "
                          "energy and force 0 at the cutoff. \"wolf\": the same with the energy "
                          "0 there. \"screened\": exp(-kappa r)/r, of Debye and Hückel. "
                          "\"cutoff\": nothing beyond it. \"none\": types have no charges.",
           .need = Need::required,
           .aliases = {"method", "type", "solver", "kspace_style"}},
          {.name = "accuracy",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::accuracy>,
           .description = "Error of the Coulomb forces, root of the mean square, relative to that "
                          "of the forces. The order of the expansions follows from it; the error "
                          "is measured at the start, and the order raised where it is too large.",
           .range = {.minimum = 1e-8, .maximum = 1e-1},
           .condition = solver_is_on(),
           .aliases = {"tolerance", "error", "ewald_rtol", "precision_goal"}},
          {.name = "order",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::order>,
           .description = "Highest degree of the expansions, 2 to 32, in place of the one that the "
                          "accuracy wants.",
           .default_text = "as the accuracy wants it",
           .range = {.minimum = 2, .maximum = 32},
           .condition = solver_is_fmm(),
           .aliases = {"nmax", "p", "degree", "multipole_order"}},
          {.name = "levels",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::levels>,
           .description =
               "Levels of cells, in place of those that cost least by a model of this number of "
               "ranks. More of them send less: cells below the top need their neighbors only.",
           .default_text = "as the cost wants it",
           .range = {.minimum = 1, .maximum = 13},
           .condition = solver_is_fmm(),
           .aliases = {"depth", "tree_depth", "nlevels"}},
          {.name = "tree",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::tree>,
           .description =
               "How the number of cells is chosen. \"modeled\": as it costs least by a model of "
               "this number of ranks, so that a run has the same digits each time. \"measured\": "
               "up to six trees are timed at the start, on all ranks, and the fastest is taken; "
               "another run may take another one, but one that is resumed keeps it.",
           .condition = solver_is_fmm(),
           .aliases = {"tuning", "tune", "tunepme"}},
          {.name = "precision",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::precision>,
           .description = "\"mixed\": the charges nearby in single precision, expansions in "
                          "double. \"auto\": as the accuracy wants it.",
           .condition = solver_is_fmm()},
          {.name = "smoothing",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::smoothing>,
           .description = "How far the cells of the multipole method overlap, in units of their "
                          "edges. 0: the energy jumps, by the size of the error, where a molecule "
                          "changes its cell. Otherwise molecules pass smoothly from cell to cell "
                          "and forces are the exact derivative of the energy, which then drifts "
                          "far less at low accuracy; 0.05 costs about half as much again.",
           .range = {.minimum = 0.0, .maximum = 0.5},
           .condition = solver_is_fmm(),
           .aliases = {"overlap", "regularization", "regularisation"}},
          {.name = "surroundings",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::surroundings>,
           .description =
               "What lies around the periodic images at infinity: a \"conductor\" (tin foil) or "
               "\"vacuum\", where the dipole of the box costs energy. \"open\", for \"fmm\" only: "
               "there are no images, as of a droplet or cluster in vacuum. The box then only "
               "bounds the volume: a run ends with an error when a particle comes as near to a "
               "face as half of the cutoff, from where it could meet images by short-range forces.",
           .condition = solver_is_on(),
           .aliases = {"boundary", "surface", "epsilon_surface"}},
          {.name = "cutoff",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::cutoff>,
           .description = "Distance beyond which charges do not act on each other.",
           .default_text = "that of `[interaction]`",
           .dimension = Dimension::length,
           .range = positive,
           .condition = solver_has_cutoff(),
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
           .condition = choice_is("electrostatics", "kind", {ElectrostaticsKind::cutoff}),
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
           .condition =
               choice_is("electrostatics", "kind",
                         {ElectrostaticsKind::damped_shifted_force, ElectrostaticsKind::wolf}),
           .aliases = {"alpha", "damping_parameter"}},
          {.name = "kappa",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::kappa>,
           .description = "Inverse of the screening length of Debye.",
           .need = Need::required,
           .dimension = Dimension::inverse_length,
           .range = not_negative,
           .condition = choice_is("electrostatics", "kind", {ElectrostaticsKind::screened}),
           .aliases = {"inverse_debye_length"}},
          {.name = "permittivity",
           .target = target_in<&Input::electrostatics, &ElectrostaticsSection::permittivity>,
           .description =
               "Relative permittivity between the charges, by which all Coulomb interactions are "
               "divided, those of 1-4 pairs included.",
           .range = {.minimum = 1e-3, .maximum = 1e9},
           .condition =
               choice_is("electrostatics", "kind",
                         {ElectrostaticsKind::fmm, ElectrostaticsKind::ewald,
                          ElectrostaticsKind::reaction_field,
                          ElectrostaticsKind::damped_shifted_force, ElectrostaticsKind::wolf,
                          ElectrostaticsKind::screened, ElectrostaticsKind::cutoff}),
           .aliases = {"epsilon_r", "dielectric", "relative_permittivity"}},
          {.name = "reaction_field_permittivity",
           .target = target_in<&Input::electrostatics,
                               &ElectrostaticsSection::reaction_field_permittivity>,
           .description = "Relative permittivity beyond the cutoff.",
           .default_text = "infinite: a conductor",
           .range = {.minimum = 1e-3},
           .condition = choice_is("electrostatics", "kind", {ElectrostaticsKind::reaction_field}),
           .aliases = {"epsilon_rf", "rf_epsilon", "reaction_field_epsilon"}}}};
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
