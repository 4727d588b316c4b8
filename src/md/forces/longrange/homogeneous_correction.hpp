#pragma once

#include <span>
#include <vector>

#include "md/forces/longrange/averaged_potential.hpp"

namespace sterna::md {

/// The corrections for a homogeneous fluid of molecules beyond the cutoff: the Lennard-Jones energy
/// averaged over orientations, and the energy of each molecule's dipole in its own reaction field.
class HomogeneousCorrection {
 public:
  explicit HomogeneousCorrection(const MoleculeModel& model);

  /// Energy and virial of all molecules, for `counts` of each component in `volume`. The correction
  /// of the pressure is virial / (3 volume). The reaction field adds three times its energy to the
  /// virial, as in MolecularForces.
  struct Values {
    double energy = 0.0;
    double virial = 0.0;  ///< sum over pairs of R.F of the centers
  };
  Values operator()(std::span<const double> counts, double volume) const;
  /// The part of the dipoles in their own reaction fields, which does not depend on the density.
  Values in_reaction_field(std::span<const double> counts) const;

 private:
  std::vector<AveragedPotential> pairs_;  ///< components^2
  std::vector<double> self_energy_;       ///< of one molecule, by component
};

}  // namespace sterna::md
