// Idea:    kicks by the forces and drifts at constant velocity, in a symmetric order: time
//          reversible and symplectic.
// Source:  Swope, Andersen, Berens and Wilson, J. Chem. Phys. 76, 637 (1982). Multiple time steps
//          are stronger kicks in some steps: Tuckerman, Berne and Martyna, J. Chem. Phys. 97, 1990
//          (1992).
// Cost:    one pass over the particles.
// Hazards: the time step must be a tenth of the fastest period, or shorter.
// Others:  "baoab", if a Langevin thermostat samples with long time steps.

#include "md/integrate/integrators/velocity_verlet.hpp"

#include "md/integrate/integrators/integrator_table.hpp"

namespace sterna::md {

void VelocityVerlet::advance(ParticleStore& particles, MotionStages& stages) {
  stages.begin_drift();
  begin_move(particles);
  stages.for_each_part([&](std::size_t begin, std::size_t end) { move(particles, begin, end); });
  end_move(particles);
  stages.end_drift(timestep());
}

namespace {

std::unique_ptr<Integrator> make_velocity_verlet(const IntegratorRequest& request) {
  return std::make_unique<VelocityVerlet>(request.input.run.timestep, request.masses,
                                          request.rotor);
}

}  // namespace

IntegratorRow integrator::velocity_verlet() {
  return {.name = "velocity_verlet",
          .sentence = "\"velocity_verlet\" moves in time by Newton's equations.",
          .equations = "v → v + Δt/2 F/m\nx → x + Δt v\nnew forces F\nv → v + Δt/2 F/m",
          .remarks =
              "It is reversible and symplectic: without a thermostat the energy stays near "
              "its first value for any length of a run. Thermostats act at the end of a "
              "step. Constraints correct positions after the drift, and velocities at the "
              "end. Molecules turn in the same order, kicked by torques.",
          .source = "Swope, Andersen, Berens and Wilson, J. Chem. Phys. 76, 637 (1982)",
          .aliases = {"md", "md-vv", "verlet", "nve", "leapfrog", "leap-frog"},
          .takes_multiple_time_steps = true,
          .takes_leapfrog = true,
          .make = make_velocity_verlet};
}

}  // namespace sterna::md
