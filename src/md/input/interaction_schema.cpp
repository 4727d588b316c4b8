#include "md/input/interaction_schema.hpp"

namespace sterna::md {
namespace {

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};
constexpr Range not_negative{.minimum = 0.0};

using Names = std::vector<std::string_view>;

Condition potential_is(std::string_view potential, Severity severity = Severity::warning) {
  return {"interaction", "potential", {potential}, severity};
}

Names switched_truncations() {
  return {"switched", "quintic_switched", "force_switched", "cubic_force_switched"};
}

Names all_truncations() {
  Names names{"truncated", "shifted", "force_shifted"};
  for (const std::string_view name : switched_truncations()) names.push_back(name);
  return names;
}

Condition tail_is_planar() {
  return {"interaction", "tail_correction", {"planar"}, Severity::error};
}

}  // namespace

std::vector<KeySchema> interaction_keys() {
  return {
      // ---- [interaction]
      {.section = "interaction",
       .name = "potential",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.potential; },
       .description = "\"lennard_jones\": pairs. \"tersoff\": the many-body potential of covalent "
                      "solids by Tersoff, Phys. Rev. B 37, 6991 (1988) and 39, 5566 (1989); its "
                      "parameters have units, so `units` cannot be \"reduced\".",
       .choices =
           [] {
             return Names{"lennard_jones", "tersoff"};
           },
       .aliases = {"style", "pair_style"}},
      {.section = "interaction",
       .name = "parameter_file",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.parameter_file; },
       .description = "Parameters of Tersoff's potential in the format of LAMMPS, in place of the "
                      "published ones by name; relative to the folder of the input file.",
       .condition = potential_is("tersoff", Severity::error),
       .aliases = {"parameters", "pair_coeff"}},
      {.section = "interaction",
       .name = "cutoff",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.cutoff; },
       .description = "Distance beyond which pairs do not interact. For argon-like liquids 2.5 "
                      "sigma or more.",
       .need = Need::required,
       .dimension = Dimension::length,
       .range = positive,
       .condition = potential_is("lennard_jones"),
       .aliases = {"rcut", "rc", "r_cut", "cut"}},
      {.section = "interaction",
       .name = "truncation",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.truncation; },
       .description = "How the potential ends. \"truncated\": cut off. \"shifted\": moved to be "
                      "zero at the cutoff. \"force_shifted\": the force too goes to zero. The "
                      "others go smoothly to zero between `switch_start` and the cutoff: "
                      "\"switched\" by the switching function of CHARMM, \"quintic_switched\" by "
                      "that of OpenMM and GROMACS (potential-switch), \"force_switched\" by the "
                      "force switch of CHARMM (Steinbach and Brooks 1994; LAMMPS: charmmfsw), "
                      "\"cubic_force_switched\" by that of GROMACS (force-switch).",
       .choices = [] { return all_truncations(); },
       .condition = potential_is("lennard_jones"),
       .aliases = {"shift", "modifier"}},
      {.section = "interaction",
       .name = "switch_start",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.switch_start; },
       .description = "Where the switching begins; smaller than the cutoff.",
       .need = Need::required,
       .dimension = Dimension::length,
       .range = positive,
       .condition = Condition{"interaction", "truncation", switched_truncations()},
       .aliases = {"inner_cutoff", "rswitch"}},
      {.section = "interaction",
       .name = "mixing",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.mixing; },
       .description =
           "Parameters of unlike types. Both take the geometric mean of epsilon; sigma's "
           "mean is arithmetic in \"lorentz_berthelot\".",
       .choices =
           [] {
             return Names{"lorentz_berthelot", "geometric"};
           },
       .condition = potential_is("lennard_jones"),
       .aliases = {"combination", "mixing_rule"}},
      {.section = "interaction",
       .name = "tail_correction",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.tail_correction; },
       .description =
           "What is done about the Lennard-Jones interactions that the cutoff takes away. "
           "\"homogeneous\": adds them to energy and pressure, for a fluid of the same density "
           "everywhere, with what a switched potential lacks before the cutoff; for \"truncated\" "
           "and switched potentials. `true` means that too, `false` \"none\". \"planar\": "
           "for \"truncated\" potentials in slabs and films, whose density changes along "
           "`tail_normal` only (Janecek, J. Phys. "
           "Chem. B 110, 6264 (2006)); adds to forces, energy and each component of the pressure, "
           "by the profile of densities at the last rebuild of the neighbor list.",
       .choices =
           [] {
             return Names{"none", "homogeneous", "planar"};
           },
       .condition = potential_is("lennard_jones"),
       .aliases = {"tail", "long_range_correction", "longrange", "dispersion_correction"},
       .if_true = "homogeneous",
       .if_false = "none"},
      {.section = "interaction",
       .name = "tail_normal",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.tail_normal; },
       .description = "The axis across the layers.",
       .choices =
           [] {
             return Names{"x", "y", "z"};
           },
       .condition = tail_is_planar(),
       .aliases = {"normal", "surface_normal", "axis"}},
      {.section = "interaction",
       .name = "tail_slabs",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.tail_slabs; },
       .description = "Number of equal slabs of the profile of densities.",
       .default_text = "slabs of a quarter of the smallest sigma, at most 1000",
       .range = {.minimum = 1.0, .maximum = 1e4},
       .condition = tail_is_planar(),
       .aliases = {"slabs", "bins"}},
      {.section = "interaction",
       .name = "kernel",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.kernel; },
       .description = "Instruction set of the pair computation; \"auto\" takes the best that the "
                      "processor has.",
       .choices =
           [] {
             return Names{"auto", "avx512", "avx2", "baseline"};
           },
       .aliases = {"simd"}},
      {.section = "interaction",
       .name = "molecular_cutoff",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.molecular_cutoff; },
       .description =
           "Of components: which distance the cutoff ends. \"center_of_mass\": all pairs "
           "of sites of two molecules interact, or none. \"site\": each pair of sites "
           "by its own distance.",
       .choices =
           [] {
             return Names{"center_of_mass", "site"};
           },
       .aliases = {"cutoff_type", "cutoff_kind"}},
      {.section = "interaction",
       .name = "lennard_jones_cutoff",
       .target = [](Input& i, std::size_t) -> Target {
         return &i.interaction.lennard_jones_cutoff;
       },
       .description = "Of components: where the Lennard-Jones interaction ends, if before the "
                      "cutoff.",
       .default_text = "the cutoff",
       .dimension = Dimension::length,
       .range = not_negative,
       .aliases = {"lj_cutoff", "radiusLJ", "rc_lj"}},
      {.section = "interaction",
       .name = "electrostatics",
       .target = [](Input& i, std::size_t) -> Target { return &i.interaction.electrostatics; },
       .description =
           "Of components: charges, dipoles and quadrupoles beyond the cutoff. "
           "\"truncated\": nothing. \"reaction_field\": dipoles also feel the field that "
           "they cause in a dielectric around the cutoff sphere.",
       .choices =
           [] {
             return Names{"truncated", "reaction_field"};
           },
       .aliases = {"coulomb", "electrostatic", "coulombtype", "kspace_style"}},
      {.section = "interaction",
       .name = "reaction_field_epsilon",
       .target = [](Input& i, std::size_t) -> Target {
         return &i.interaction.reaction_field_epsilon;
       },
       .description = "Relative permittivity of that dielectric; 1e10 is a conductor.",
       .range = {.minimum = 1.0},
       .condition = Condition{"interaction", "electrostatics", {"reaction_field"}},
       .aliases = {"epsilon_rf", "rf_epsilon", "dielectric"}},

      {.section = "interaction",
       .name = "shift_unlike_components",
       .target = [](Input& i, std::size_t) -> Target {
         return &i.interaction.shift_unlike_components;
       },
       .description = "Of components: shifts the Lennard-Jones energy between unlike ones to zero "
                      "at the cutoff also where `truncation` does not, and leaves them out of the "
                      "homogeneous correction; ls1-MarDyn does so always."},
  };
}

}  // namespace sterna::md
