#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "md/integrate/integrators/integrator.hpp"
#include "md/integrate/integrators/integrator_table.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Goes downhill to a minimum of the potential energy. All masses are 1 in it, and what the store
/// keeps as velocities is the minimizer's own.
///
/// Of rigid bodies the orientations are minimized as well: an angle counts as the path of a point
/// at the body's radius of gyration, so a torque over this radius is a force there, and what the
/// store keeps as angular momentum is the velocity of such a point.
class Minimizer : public Integrator {
 public:
  Minimizer* minimizer() override { return this; }

  /// Whether the last `advance` found that no component of any force is larger than asked for, so
  /// that it moved nothing.
  bool has_converged() const { return has_converged_; }
  /// The time of the last drift, and the longest that there may be.
  virtual double timestep() const = 0;
  virtual double largest_timestep() const = 0;
  /// Largest component of a force on a local particle, or of a torque over the radius.
  double largest_force(const ParticleStore& particles) const;

 protected:
  /// What all minimizers are made from.
  struct Settings {
    double force_tolerance;       ///< largest component of a force that is small enough
    double maximum_displacement;  ///< of a particle in one step
    /// Of gyration, by type, of particles that rotate; 0: does not. Empty: none rotates.
    std::span<const double> radii = {};
  };
  Minimizer(const comm::Context& context, const Settings& settings);
  explicit Minimizer(const IntegratorRequest& request);

  /// Calls visit(i, turn, force) for the center of each local particle, and with `turn` for the
  /// orientation of each that rotates.
  template <class Visit>
  void for_each_motion(const ParticleStore& particles, Visit&& visit) const;
  /// Moves the center of a particle, or turns it, by this path.
  void move(ParticleStore& particles, std::size_t i, bool turn, const Vec3& path) const;

  /// All velocities become 0.
  static void stop(ParticleStore& particles);

  double maximum_displacement() const { return maximum_displacement_; }
  const comm::Context& context() const { return context_; }
  /// Throws UnstableRun where a sum over forces is not finite. Otherwise says whether this largest
  /// component of all forces is small enough, and keeps it for `has_converged`.
  bool is_converged(double force_sum, double largest_force, std::int64_t step);

 private:
  double radius_of(const ParticleStore& particles, std::size_t i) const {
    return particles.rotating() ? radii_[static_cast<std::size_t>(particles.position[i].type)]
                                : 0.0;
  }

  comm::Context context_;
  double force_tolerance_, maximum_displacement_;
  std::vector<double> radii_;
  bool has_converged_ = false;
};

template <class Visit>
void Minimizer::for_each_motion(const ParticleStore& particles, Visit&& visit) const {
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    visit(i, false, particles.force[i]);
    const double radius = radius_of(particles, i);
    if (radius > 0.0) visit(i, true, (1.0 / radius) * particles.torque[i]);
  }
}

}  // namespace sterna::md
