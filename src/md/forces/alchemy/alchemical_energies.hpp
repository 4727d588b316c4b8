#pragma once

#include <vector>

namespace sterna::md {

/// Energies of one configuration in all states.
struct AlchemicalEnergies {
  /// dU/dlambda of charges, of van der Waals interactions and of bonded terms in the present state.
  double by_charges = 0.0, by_van_der_waals = 0.0, by_bonded = 0.0;
  double by_masses = 0.0;  ///< of the kinetic energy at constant momenta
  /// The energy of each state minus that of the present state.
  std::vector<double> differences;
};

}  // namespace sterna::md
