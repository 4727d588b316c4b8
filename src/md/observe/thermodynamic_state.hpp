#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sterna::md {

/// The quantities of the whole system that a run measures, in internal units; energies are totals.
struct ThermodynamicState {
  double temperature = 0.0;
  double pressure = 0.0;
  double kinetic_energy = 0.0;     ///< of translation and rotation
  double rotational_energy = 0.0;  ///< part of the kinetic energy
  double potential_energy = 0.0;   ///< with the tail correction, if it is on
  double total_energy = 0.0;
  double conserved_energy = 0.0;  ///< total energy minus the energy from thermostat and barostat
  double pair_energy = 0.0;       ///< of all force terms, without the tail correction
  double virial = 0.0;            ///< sum r.f over pairs, without the tail correction
  double momentum[3] = {};
  double largest_force = 0.0;  ///< largest component of a force; minimizations only
  double volume = 0.0;
  std::array<double, 3> box{};   ///< edges along x, y and z
  std::array<double, 3> tilt{};  ///< xy xz yz
  /// The pressure xx yy zz xy xz yz of the centers that move with the box: atoms, molecules, or
  /// groups joined by constraints. Given if a barostat uses it.
  std::optional<std::array<double, 6>> center_pressure = {};
  struct Part {
    std::string name;
    double energy = 0.0;
    std::optional<double> virial = {};
  };
  struct Term {
    std::string name;  ///< of the force term
    double energy = 0.0, virial = 0.0;
    std::vector<Part> parts;  ///< of the energy of the term
  };
  /// Parts of `potential_energy`: of each force term, and of the tail correction if it is on.
  std::vector<Term> terms;
};

}  // namespace sterna::md
