#pragma once

#include <span>
#include <vector>

#include "md/forces/longrange/averaged_potential.hpp"

namespace sterna::md {

/// What a homogeneous fluid of molecules lacks beyond the cutoff: the Lennard-Jones energy averaged
/// over orientations, and the energy of each molecule's dipole in its own reaction field.
class HomogeneousCorrection {
 public:
  explicit HomogeneousCorrection(const MoleculeModel& model);

  /// Both summed over all molecules, `counts` of each component in `volume`; the pressure
  /// correction is virial / (3 volume). The reaction field gives three times its energy to the
  /// virial, as in MolecularForces.
  struct Values {
    double energy = 0.0;
    double virial = 0.0;  ///< sum over pairs of R.F of the centers
  };
  Values operator()(std::span<const double> counts, double volume) const;
  /// The part of the dipoles in their own reaction fields, which does not ask for the density.
  Values in_reaction_field(std::span<const double> counts) const;

 private:
  std::vector<AveragedPotential> pairs_;  ///< components^2
  std::vector<double> self_energy_;       ///< of one molecule of each component
};

}  // namespace sterna::md
