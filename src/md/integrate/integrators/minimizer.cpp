#include "md/integrate/integrators/minimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/core/unstable_run.hpp"

namespace sterna::md {
namespace {

double displacement_of(const IntegratorRequest& request) {
  const double asked = request.input.minimize.maximum_displacement;
  return asked > 0.0 ? asked : 0.1 * request.size;
}

}  // namespace

Minimizer::Minimizer(const comm::Context& context, const Settings& settings)
    : context_(context),
      force_tolerance_(settings.force_tolerance),
      maximum_displacement_(settings.maximum_displacement),
      radii_(settings.radii.begin(), settings.radii.end()) {}

Minimizer::Minimizer(const IntegratorRequest& request)
    : Minimizer(request.context, {.force_tolerance = request.input.minimize.force_tolerance,
                                  .maximum_displacement = displacement_of(request),
                                  .radii = request.radii}) {}

double Minimizer::largest_force(const ParticleStore& particles) const {
  double largest = 0.0;
  for_each_motion(particles, [&](std::size_t, bool, const Vec3& force) {
    largest = std::max({largest, std::fabs(force.x), std::fabs(force.y), std::fabs(force.z)});
  });
  return largest;
}

void Minimizer::displace(ParticleStore& particles, std::size_t i, bool turn,
                         const Vec3& path) const {
  if (!turn) {
    Position& position = particles.position[i];
    position.x += path.x;
    position.y += path.y;
    position.z += path.z;
    return;
  }
  const Vec3 half = (0.5 / radius_of(particles, i)) * path;
  particles.orientation[i] =
      (Quaternion{1.0, half.x, half.y, half.z} * particles.orientation[i]).normalized();
}

void Minimizer::stop(ParticleStore& particles) {
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    particles.velocity[i] = {};
  }
  std::ranges::fill(particles.angular_momentum.span(), Vec3{});
}

bool Minimizer::is_converged(double force_sum, double largest_force, std::int64_t step) {
  if (!std::isfinite(force_sum)) {
    throw UnstableRun(fmt::format(
        "step {}: a force is not finite: two particles of the start lie at the same place", step));
  }
  has_converged_ = largest_force <= force_tolerance_;
  return has_converged_;
}

}  // namespace sterna::md
