#pragma once

namespace sterna::md {

/// What a force term adds on one rank where energies are asked for. The sum over all ranks is the
/// term's value: of a pair across a border each of the two ranks adds half.
struct EnergyAndVirial {
  double energy = 0.0;
  /// Tensor sum r_a f_b over pairs: xx yy zz xy xz yz. Of molecules r is the distance of the
  /// centers of mass and f the whole force between the two.
  double virial[6] = {};

  double virial_trace() const { return virial[0] + virial[1] + virial[2]; }
  EnergyAndVirial& operator+=(const EnergyAndVirial& other) {
    energy += other.energy;
    for (int k = 0; k < 6; ++k) virial[k] += other.virial[k];
    return *this;
  }
};

}  // namespace sterna::md
