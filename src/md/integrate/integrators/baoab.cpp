// Idea:    a step of Newton's equations with the thermostat in the middle of the drift: kick (B),
//          half a drift (A), friction and noise (O), half a drift (A), new forces, kick (B). Errors
//          of averages over positions nearly cancel, for a harmonic force completely.
// Source:  Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34; with constraints Leimkuhler
//          and Matthews, Proc. R. Soc. A 472, 20160138 (2016); for other thermostats in the middle
//          Zhang, Yan and Liu, J. Phys. Chem. A 123, 6056 (2019).
// Cost:    two passes over the particles; with constraints two more solutions and one more exchange
//          of positions per step.
// Hazards: the kinetic energy at the end of a step has an error of second order in the time step,
//          so in long steps the measured temperature is below that of the positions.
// Others:  "velocity_verlet", if the thermostat acts rarely or there is none.

#include "md/integrate/integrators/integrator_table.hpp"
#include "md/integrate/integrators/kicks_and_drifts.hpp"

namespace sterna::md {
namespace {

class Baoab final : public KicksAndDrifts {
 public:
  explicit Baoab(const IntegratorRequest& request)
      : KicksAndDrifts(request.input.run.timestep, 0.5 * request.input.run.timestep, request.masses,
                       request.rotor) {}

  void advance(ParticleStore& particles, MotionStages& stages) override {
    const double half = 0.5 * timestep();
    stages.begin_drift();
    begin_move(particles);
    move(particles, 0, particles.local_count());
    end_move(particles);
    stages.end_drift(half);

    stages.apply_thermostats();

    stages.begin_drift();
    drift(particles, half, stages);
    stages.end_drift(half);
  }
};

}  // namespace

IntegratorRow integrator::baoab() {
  return {.name = "baoab",
          .sentence =
              "\"baoab\" lets thermostats act in the middle of each step, so that Langevin "
              "dynamics samples positions well at long time steps.",
          .equations =
              "B: v → v + Δt/2 F/m\nA: x → x + Δt/2 v\nO: thermostats act\n"
              "A: x → x + Δt/2 v\nnew forces F\nB: v → v + Δt/2 F/m",
          .remarks =
              "Use it with `kind = \"langevin\"` in [thermostat], which gives temperature and "
              "friction. Averages of positions, such as potential energies, have errors that "
              "are far smaller than with \"velocity_verlet\" at the same time step. The "
              "kinetic energy of a row has an error of second order in the time step and "
              "reads low. Other thermostats act in the middle, too. Constraints are kept in "
              "both halves of the drift.",
          .source =
              "Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34, and, with "
              "constraints, Proc. R. Soc. A 472, 20160138 (2016)",
          .aliases = {"langevin_middle", "LangevinMiddleIntegrator", "middle", "vv_middle", "bd",
                      "sd", "langevin"},
          .thermostats_act_between_drifts = true,
          .make = make_integrator<Baoab>};
}

}  // namespace sterna::md
