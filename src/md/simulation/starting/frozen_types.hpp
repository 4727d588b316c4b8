#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The types whose molecules do not feel forces. Types that [[freeze]] names keep a velocity and do
/// not turn; virtual sites, which have no mass, move with their atoms. Idea: the integrator sees
/// them as infinitely heavy, and they do not count in kinetic energies and temperatures. Their
/// potential energies and virials count like those of all other types, in every term.
/// Source: LAMMPS, fix setforce and fix move linear.
class FrozenTypes {
 public:
  /// `masses`: by type.
  FrozenTypes(const Input& input, std::span<const std::string> names,
              std::span<const double> masses);

  /// Whether no frozen type takes up momentum. Virtual sites do not, because they give theirs to
  /// their atoms.
  bool keep_momentum() const { return keep_momentum_; }
  /// A flag for each type, 1 for frozen ones; empty if no type is frozen.
  std::span<const char> flags() const { return flags_; }
  /// The masses with which the integrator moves particles: infinite for frozen types.
  std::vector<double> inertial_masses(std::vector<double> masses) const;
  /// The masses that count in energies and momenta: 0 for frozen types.
  std::vector<double> counted_masses(std::vector<double> masses) const;
  std::vector<Vec3> inertia(std::vector<Vec3> moments) const;

  /// Gives frozen molecules the velocity that they keep.
  void set_velocities(ParticleStore& particles) const;
  /// Sets the forces on frozen molecules to 0, for minimizations, which move particles by forces
  /// alone.
  void clear_forces(ParticleStore& particles) const;

 private:
  bool is_frozen(const Position& position) const {
    return flags_[static_cast<std::size_t>(position.type)] != 0;
  }

  bool keep_momentum_;
  std::vector<char> flags_;
  std::vector<std::optional<Vec3>> velocities_;  ///< by type; nothing: not held by [[freeze]]
};

}  // namespace sterna::md
