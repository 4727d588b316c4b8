#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sterna::md {

/// What a run measures of the whole system, in internal units; energies are totals.
struct ThermodynamicState {
  double temperature = 0.0;
  double pressure = 0.0;
  double kinetic_energy = 0.0;     ///< of translation and rotation
  double rotational_energy = 0.0;  ///< a part of it
  double potential_energy = 0.0;   ///< with the tail correction where that is on
  double total_energy = 0.0;
  double conserved_energy = 0.0;  ///< total energy less what thermostat and barostat gave
  double pair_energy = 0.0;       ///< of all force terms, without the tail correction
  double virial = 0.0;            ///< sum r.f over pairs, without the tail correction
  double momentum[3] = {};
  double largest_force = 0.0;  ///< component of it; of a minimization
  double volume = 0.0;
  std::array<double, 3> box{};   ///< edges along x, y and z
  std::array<double, 3> tilt{};  ///< xy xz yz
  /// xx yy zz xy xz yz, of what moves with the box as a whole: atoms, molecules, groups that
  /// constraints join. Where a barostat goes by it.
  std::optional<std::array<double, 6>> center_pressure = {};
  struct Part {
    std::string name;
    double energy = 0.0;
    std::optional<double> virial = {};
  };
  struct Term {
    std::string name;  ///< of the force term
    double energy = 0.0, virial = 0.0;
    std::vector<Part> parts;  ///< of the energy
  };
  /// Parts of `potential_energy`: of each force term, and of the tail correction where that is on.
  std::vector<Term> terms;
};

}  // namespace sterna::md
