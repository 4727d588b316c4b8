// Idea:    damped dynamics. The velocity is turned towards the force while it goes downhill and is
//          set to 0 when it goes uphill; the step size adapts.
// Source:  Bitzek, Koskinen, Gähler, Moseler and Gumbsch, Phys. Rev. Lett. 97, 170201 (2006), with
//          the parameters published there.
// Cost:    one force computation per step, and a reduction of four numbers.
// Hazards: none known; overlaps give huge forces, so displacements are limited.
// Others:  "lbfgs" near the minimum, where it needs far fewer steps.

#include "md/integrate/integrators/fire.hpp"

#include <algorithm>
#include <cmath>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

constexpr int patience = 5;
constexpr double growth = 1.1;
constexpr double shrinkage = 0.5;
constexpr double first_mixing = 0.1;
constexpr double mixing_decay = 0.99;

/// The time in which a force of energy / size moves a unit mass by about the size.
double natural_time(const IntegratorRequest& request) {
  return request.energy > 0.0 ? request.size / std::sqrt(request.energy) : 1.0;
}

}  // namespace

FireMinimizer::FireMinimizer(const IntegratorRequest& request)
    : Minimizer(request),
      timestep_(0.005 * natural_time(request)),
      largest_timestep_(0.05 * natural_time(request)) {}

FireMinimizer::FireMinimizer(const comm::Context& context, double first_timestep,
                             double largest_timestep, double force_tolerance,
                             double maximum_displacement, std::span<const double> radii)
    : Minimizer(context, {.force_tolerance = force_tolerance,
                          .maximum_displacement = maximum_displacement,
                          .radii = radii}),
      timestep_(first_timestep),
      largest_timestep_(largest_timestep) {}

FireMinimizer::Sums FireMinimizer::local_sums(const ParticleStore& particles) const {
  Sums sums;
  for_each_motion(particles, [&](std::size_t i, bool turn, const Vec3& f) {
    const Vec3& v = turn ? particles.angular_momentum[i] : particles.velocity[i];
    sums.power += dot(f, v);
    sums.velocity_squared += dot(v, v);
    sums.force_squared += dot(f, f);
  });
  return sums;
}

void FireMinimizer::advance(ParticleStore& particles, MotionStages& stages) {
  stages.begin_drift();
  Sums sums = local_sums(particles);
  double largest = largest_force(particles);
  comm::ReductionBatch(context(), "minimization")
      .sum(sums.power)
      .sum(sums.velocity_squared)
      .sum(sums.force_squared)
      .max(largest)
      .run();
  begin_paths(0.0);
  add_path(maximum_displacement());
  if (is_converged(sums.force_squared, largest, stages.step())) {
    stop(particles);
  } else {
    step(particles, sums);
  }
  stages.end_drift(timestep_);
}

void FireMinimizer::step(ParticleStore& particles, const Sums& sums) {
  double keep = 0.0, turned = 0.0;
  if (sums.power > 0.0) {
    keep = 1.0 - mixing_;
    turned = sums.force_squared > 0.0
                 ? mixing_ * std::sqrt(sums.velocity_squared / sums.force_squared)
                 : 0.0;
    if (++downhill_steps_ > patience) {
      timestep_ = std::min(timestep_ * growth, largest_timestep_);
      mixing_ *= mixing_decay;
    }
  } else {
    downhill_steps_ = 0;
    timestep_ *= shrinkage;
    mixing_ = first_mixing;
  }
  for_each_motion(particles, [&](std::size_t i, bool turn, const Vec3& f) {
    Vec3& v = turn ? particles.angular_momentum[i] : particles.velocity[i];
    v = keep * v + (turned + timestep_) * f;
    Vec3 path = timestep_ * v;
    const double length = std::sqrt(dot(path, path));
    if (length > maximum_displacement()) {
      // Overlaps give huge forces: keep their direction, but limit the displacement.
      const double shorten = maximum_displacement() / length;
      path *= shorten;
      v *= shorten;
    }
    displace(particles, i, turn, path);
  });
}

namespace {}  // namespace

IntegratorRow integrator::minimize() {
  return {.name = "minimize",
          .sentence =
              "\"minimize\" goes downhill to a minimum of the potential energy by FIRE, "
              "which also parts particles that overlap.",
          .equations =
              "P = F·v\nP > 0: v → (1 - α) v + α |v| F/|F|, and Δt grows\n"
              "P ≤ 0: v → 0, and Δt is halved\nv → v + Δt F\nx → x + Δt v",
          .remarks =
              "No particle moves farther in a step than `maximum_displacement` in [minimize]. "
              "The run ends when no component of a force exceeds `force_tolerance`. Atoms of "
              "constraints move along them, and rigid molecules turn.",
          .source =
              "Bitzek, Koskinen, Gähler, Moseler and Gumbsch, Phys. Rev. Lett. 97, 170201 "
              "(2006)",
          .aliases = {"fire", "steep", "steepest_descent", "minimise", "em", "cg"},
          .minimizes = true,
          .make = make_integrator<FireMinimizer>};
}

}  // namespace sterna::md
