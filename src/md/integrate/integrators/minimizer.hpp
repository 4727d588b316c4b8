#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "md/integrate/integrators/integrator.hpp"
#include "md/integrate/integrators/integrator_table.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Finds a minimum of the potential energy. All masses are 1, and the store's velocities belong to
/// the minimizer.
///
/// Orientations of rigid bodies are minimized as well. An angle counts as the path of a point at
/// the body's radius of gyration. So the corresponding force is the torque over this radius, and
/// the store's angular momentum is the velocity of such a point.
class Minimizer : public Integrator {
 public:
  Minimizer* minimizer() override { return this; }

  /// Whether the last `advance` found all components of forces within the tolerance, so that it
  /// moved nothing.
  bool has_converged() const { return has_converged_; }
  /// The time of the last drift, and the largest allowed.
  virtual double timestep() const = 0;
  virtual double largest_timestep() const = 0;
  /// The largest component of a force on a local particle, or of a torque over the radius.
  double largest_force(const ParticleStore& particles) const;

 protected:
  /// The settings of all minimizers.
  struct Settings {
    double force_tolerance;       ///< converged if all components are below
    double maximum_displacement;  ///< of a particle in one step
    /// Radii of gyration by type; 0: the type does not rotate. Empty: no type rotates.
    std::span<const double> radii = {};
  };
  Minimizer(const comm::Context& context, const Settings& settings);
  explicit Minimizer(const IntegratorRequest& request);

  /// Calls visit(i, turn, force) for the center of each local particle, with `turn` false, and for
  /// the orientation of each that rotates, with `turn` true.
  template <class Visit>
  void for_each_motion(const ParticleStore& particles, Visit&& visit) const;
  /// Displaces the center of a particle by this path, or rotates it.
  void displace(ParticleStore& particles, std::size_t i, bool turn, const Vec3& path) const;

  /// Sets all velocities to 0.
  static void stop(ParticleStore& particles);

  double maximum_displacement() const { return maximum_displacement_; }
  const comm::Context& context() const { return context_; }
  /// Whether the largest component of all forces is small enough; it is kept for `has_converged`.
  /// Throws UnstableRun if a sum over forces is not finite.
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
