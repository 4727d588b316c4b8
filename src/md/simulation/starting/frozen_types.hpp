#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The types whose molecules do not feel forces. Those that [[freeze]] names keep a velocity and do
/// not turn; virtual sites, which have no mass, go where their atoms take them. Idea: to the
/// integrator they are infinitely heavy, and in kinetic energies and temperatures they do not count.
/// Their potential energies and virials count as those of all others, whatever the term.
/// Source: LAMMPS, fix setforce and fix move linear.
class FrozenTypes {
 public:
  /// `masses`: by type.
  FrozenTypes(const Input& input, std::span<const std::string> names,
              std::span<const double> masses);

  /// Whether none of them takes up momentum: virtual sites give theirs to their atoms.
  bool keep_momentum() const { return keep_momentum_; }
  /// By type; empty where none is frozen.
  std::span<const char> flags() const { return flags_; }
  /// Those that the integrator is to move with.
  std::vector<double> inertial_masses(std::vector<double> masses) const;
  /// Those that count in energies and momenta.
  std::vector<double> counted_masses(std::vector<double> masses) const;
  std::vector<Vec3> inertia(std::vector<Vec3> moments) const;

  /// Gives frozen molecules the velocity that they keep.
  void set_velocities(ParticleStore& particles) const;
  /// For minimizations, which go by forces alone.
  void clear_forces(ParticleStore& particles) const;

 private:
  bool is_frozen(const Position& position) const {
    return flags_[static_cast<std::size_t>(position.type)] != 0;
  }

  bool keep_momentum_;
  std::vector<char> flags_;
  std::vector<std::optional<Vec3>> velocities_;  ///< nothing: others say how they move
};

}  // namespace sterna::md
