#pragma once

#include <string>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/model/mixing.hpp"
#include "md/model/truncation.hpp"

namespace sterna::md {

enum class InteractionPotential {
  lennard_jones,
  tersoff,
  stillinger_weber,
  embedded_atom,
  snap,
  ace
};
template <>
inline constexpr auto choice_table<InteractionPotential> = std::to_array<
    Choice<InteractionPotential>>(
    {{"lennard_jones", InteractionPotential::lennard_jones, "\"lennard_jones\": pairs."},
     {"tersoff", InteractionPotential::tersoff,
      "\"tersoff\": the many-body potential of covalent solids by Tersoff, Phys. Rev. B 37, "
      "6991 (1988) and 39, 5566 (1989); its parameters have units, so `units` cannot be "
      "\"reduced\"."},
     {"stillinger_weber", InteractionPotential::stillinger_weber,
      "\"stillinger_weber\": the three-body potential of silicon by Stillinger and Weber, Phys. "
      "Rev. B 31, 5262 (1985), and of the water mW; its parameters have units, too."},
     {"embedded_atom", InteractionPotential::embedded_atom,
      "\"embedded_atom\": metals by the embedded-atom method, Daw and Baskes, Phys. Rev. B 29, "
      "6443 (1984), with the functions of `embedded_atom_file`."},
     {"snap", InteractionPotential::snap,
      "\"snap\": a spectral neighbor analysis potential, Thompson et al., J. Comput. Phys. 285, "
      "316 "
      "(2015), with the coefficients of `snap_file`."},
     {"ace", InteractionPotential::ace,
      "\"ace\": the atomic cluster expansion, Drautz, Phys. Rev. B 99, 014104 (2019), with the "
      "coefficients of `ace_file`."}});

/// The correction for interactions beyond the cutoff.
enum class TailCorrection { none, homogeneous, planar };
template <>
inline constexpr auto choice_table<TailCorrection> = std::to_array<Choice<TailCorrection>>(
    {{"none", TailCorrection::none},
     {"homogeneous", TailCorrection::homogeneous,
      "\"homogeneous\": adds them to energy and pressure, for a fluid of the same density "
      "everywhere, with what a switched potential lacks before the cutoff; for \"truncated\" and "
      "switched potentials. `true` means that too, `false` \"none\"."},
     {"planar", TailCorrection::planar,
      "\"planar\": for \"truncated\" potentials in slabs and films, whose density changes along "
      "`tail_normal` only (Janecek, J. Phys. Chem. B 110, 6264 (2006)); adds to forces, energy and "
      "each component of the pressure, by the profile of densities at the last rebuild of the "
      "neighbor list."}});

/// The distance to which the cutoff of components applies.
enum class MolecularCutoff { center_of_mass, site };
template <>
inline constexpr auto choice_table<MolecularCutoff> = std::to_array<Choice<MolecularCutoff>>(
    {{"center_of_mass", MolecularCutoff::center_of_mass,
      "\"center_of_mass\": all pairs of sites of two molecules interact, or none."},
     {"site", MolecularCutoff::site, "\"site\": each pair of sites by its own distance."}});

/// How charges, dipoles and quadrupoles of components interact beyond the cutoff.
enum class CutoffElectrostatics { truncated, reaction_field };
template <>
inline constexpr auto choice_table<CutoffElectrostatics> =
    std::to_array<Choice<CutoffElectrostatics>>(
        {{"truncated", CutoffElectrostatics::truncated, "\"truncated\": nothing."},
         {"reaction_field", CutoffElectrostatics::reaction_field,
          "\"reaction_field\": dipoles also feel the field that they cause in a dielectric around "
          "the cutoff sphere."}});

struct InteractionSection {  ///< [interaction]
  InteractionPotential potential = InteractionPotential::lennard_jones;
  std::string parameter_file;                   ///< for Tersoff's potential; relative to the input
  std::string stillinger_weber_file;            ///< likewise
  std::string embedded_atom_file;               ///< relative to the input
  std::string snap_file;                        ///< relative to the input
  std::string snap_parameter_file;              ///< empty: as `snap_file`, with its own ending
  std::string ace_file;                         ///< relative to the input
  double cutoff = 0.0;                          ///< many-body potentials have their own
  Truncation truncation = Truncation::shifted;  ///< how the potential ends at the cutoff
  double switch_start = 0.0;                    ///< where switching to zero at the cutoff begins
  Mixing mixing = Mixing::lorentz_berthelot;
  TailCorrection tail_correction = TailCorrection::none;
  Axis tail_normal = Axis::z;   ///< "planar": the axis normal to the layers
  int tail_slabs = 0;           ///< "planar": slices of its profile; 0: chosen
  std::string kernel = "auto";  ///< "auto", "avx512", "avx2", "baseline"
  // Keys for components only.
  MolecularCutoff molecular_cutoff = MolecularCutoff::center_of_mass;
  double lennard_jones_cutoff = 0.0;  ///< 0: as `cutoff`
  CutoffElectrostatics electrostatics = CutoffElectrostatics::truncated;
  double reaction_field_epsilon = 1.0e10;  ///< relative permittivity beyond the cutoff
  bool shift_unlike_components = false;    ///< independent of `truncation`
};

}  // namespace sterna::md
