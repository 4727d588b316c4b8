#include "md/input/sections/interaction_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

Condition truncation_is_switched() {
  Condition condition{"interaction", "truncation", {}};
  for (const Choice<Truncation>& choice : choice_table<Truncation>) {
    if (is_switched(choice.value)) condition.values.push_back(choice.name);
  }
  return condition;
}

Condition tail_is_planar() {
  return choice_is("interaction", "tail_correction", {TailCorrection::planar});
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection interaction() {
  return {
      .schema = {.name = "interaction",
                 .required = true,
                 .description = "The potential of all pairs and how it ends.",
                 .aliases = {"potential", "force", "forcefield", "pair_style"}},
      .keys = {
          {.name = "potential",
           .target = target_in<&Input::interaction, &InteractionSection::potential>,
           .aliases = {"style", "pair_style"}},
          {.name = "cutoff",
           .target = target_in<&Input::interaction, &InteractionSection::cutoff>,
           .description = "Distance beyond which pairs do not interact. For argon-like liquids 2.5 "
                          "sigma or more.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = potential_is(InteractionPotential::lennard_jones),
           .aliases = {"rcut", "rc", "r_cut", "cut"}},
          {.name = "truncation",
           .target = target_in<&Input::interaction, &InteractionSection::truncation>,
           .description = "How the potential ends.",
           .condition = potential_is(InteractionPotential::lennard_jones),
           .aliases = {"shift", "modifier"}},
          {.name = "switch_start",
           .target = target_in<&Input::interaction, &InteractionSection::switch_start>,
           .description = "Where the switching begins; smaller than the cutoff.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = truncation_is_switched(),
           .aliases = {"inner_cutoff", "rswitch"}},
          {.name = "mixing",
           .target = target_in<&Input::interaction, &InteractionSection::mixing>,
           .description = "Parameters of unlike types, and of sites of unlike components; a "
                          "[[pair]] may have a rule of its own. Formulas are in "
                          "[potentials.md](potentials.md#unlike-types).",
           .condition = potential_is(InteractionPotential::lennard_jones),
           .aliases = {"combination", "mixing_rule"}},
          {.name = "tail_correction",
           .target = target_in<&Input::interaction, &InteractionSection::tail_correction>,
           .description =
               "What is done about the Lennard-Jones interactions that the cutoff takes away.",
           .condition = potential_is(InteractionPotential::lennard_jones),
           .aliases = {"tail", "long_range_correction", "longrange", "dispersion_correction"},
           .if_true = "homogeneous",
           .if_false = "none"},
          {.name = "tail_normal",
           .target = target_in<&Input::interaction, &InteractionSection::tail_normal>,
           .description = "The axis across the layers.",
           .condition = tail_is_planar(),
           .aliases = {"normal", "surface_normal", "axis"}},
          {.name = "tail_slabs",
           .target = target_in<&Input::interaction, &InteractionSection::tail_slabs>,
           .description = "Number of equal slabs of the profile of densities.",
           .default_text = "slabs of a quarter of the smallest sigma, at most 1000",
           .range = {.minimum = 1.0, .maximum = 1e4},
           .condition = tail_is_planar(),
           .aliases = {"slabs", "bins"}},
          {.name = "kernel",
           .target = target_in<&Input::interaction, &InteractionSection::kernel>,
           .description = "Instruction set of the pair computation; \"auto\" takes the best that "
                          "the processor has.",
           .choices =
               [] {
                 return Names{"auto", "avx512", "avx2", "sve512", "sve256", "neon", "baseline"};
               },
           .aliases = {"simd"}},
          {.name = "molecular_cutoff",
           .target = target_in<&Input::interaction, &InteractionSection::molecular_cutoff>,
           .description = "Of components, with each other and with atoms of `[[type]]`s: which "
                          "distance the cutoff ends.",
           .aliases = {"cutoff_type", "cutoff_kind"}},
          {.name = "lennard_jones_cutoff",
           .target = target_in<&Input::interaction, &InteractionSection::lennard_jones_cutoff>,
           .description =
               "Of components: where the Lennard-Jones interaction ends, if before the cutoff.",
           .default_text = "the cutoff",
           .dimension = Dimension::length,
           .range = not_negative,
           .aliases = {"lj_cutoff", "radiusLJ", "rc_lj"}},
          {.name = "electrostatics",
           .target = target_in<&Input::interaction, &InteractionSection::electrostatics>,
           .description = "Of components: charges, dipoles and quadrupoles beyond the cutoff.",
           .aliases = {"coulomb", "electrostatic", "coulombtype", "kspace_style"}},
          {.name = "reaction_field_epsilon",
           .target = target_in<&Input::interaction, &InteractionSection::reaction_field_epsilon>,
           .description = "Relative permittivity of that dielectric; 1e10 is a conductor.",
           .range = {.minimum = 1.0},
           .condition =
               choice_is("interaction", "electrostatics", {CutoffElectrostatics::reaction_field}),
           .aliases = {"epsilon_rf", "rf_epsilon", "dielectric"}},
          {.name = "shift_unlike_components",
           .target = target_in<&Input::interaction, &InteractionSection::shift_unlike_components>,
           .description = "Of components: shifts the Lennard-Jones energy between unlike ones to "
                          "zero at the cutoff also where `truncation` does not, and leaves them "
                          "out of the homogeneous correction; ls1-MarDyn does so always."}}};
}

}  // namespace sterna::md::section
