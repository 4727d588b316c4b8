#pragma once

namespace sterna::md {

/// The energy and virial that a force term adds on one rank in steps that ask for them. The term's
/// value is the sum over all ranks. For a pair across a border, each of the two ranks adds half.
struct EnergyAndVirial {
  double energy = 0.0;
  /// The sums of r_b f_a over pairs, ab = xx yy zz xy xz yz: minus the derivative of the energy by
  /// a shear that moves a by b. For molecules r joins centers of mass, and f is the whole force.
  double virial[6] = {};

  double virial_trace() const { return virial[0] + virial[1] + virial[2]; }
  EnergyAndVirial& operator+=(const EnergyAndVirial& other) {
    energy += other.energy;
    for (int k = 0; k < 6; ++k) virial[k] += other.virial[k];
    return *this;
  }
};

}  // namespace sterna::md
