#include "md/integrate/thermostats/stochastic_velocity_rescaling.hpp"

#include <cmath>

#include "md/integrate/thermostats/group_thermostat.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"

namespace sterna::md {

StochasticVelocityRescaling::StochasticVelocityRescaling(std::uint64_t seed, double thermal_energy,
                                                         double time_constant, std::uint64_t number)
    : stream_(seed, RandomPurpose::thermostat),
      thermal_energy_(thermal_energy),
      time_constant_(time_constant),
      // The stream's id is beyond all ids of particles.
      id_(number == 0 ? 0 : (std::uint64_t{1} << 47) + number) {}

double StochasticVelocityRescaling::factor(double kinetic_energy, double degrees, double interval,
                                           std::int64_t step) {
  if (!(kinetic_energy > 0.0)) return 1.0;
  RandomSequence random = stream_.sequence(id_, static_cast<std::uint64_t>(step));
  const double r1 = random.normal();
  const double others = random.chi_squared(degrees - 1.0);
  const double c = std::exp(-interval / time_constant_);
  const double target = 0.5 * degrees * thermal_energy_;
  const double q = (1.0 - c) * target / (degrees * kinetic_energy);
  const double squared = c + q * (r1 * r1 + others) + 2.0 * r1 * std::sqrt(c * q);
  // The root is negative if the noise exceeds the rest of the old velocity.
  const double sign = r1 + std::sqrt(c / q) < 0.0 ? -1.0 : 1.0;
  exchanged_energy_ += (squared - 1.0) * kinetic_energy;
  return sign * std::sqrt(squared);
}

namespace {

class StochasticRescalingThermostat final : public GroupThermostat {
 public:
  explicit StochasticRescalingThermostat(const ThermostatRequest& request)
      : GroupThermostat(request),
        method_(request.input.run.seed, request.thermal_energy(), request.wanted().time_constant,
                request.number) {
    // The interval is short relative to the time constant, so that rescaling is smooth, but long
    // enough that its cost is negligible.
    const double steps = request.wanted().time_constant / (10.0 * timestep_);
    steps_.act_every(static_cast<std::int64_t>(std::clamp(steps, 1.0, 10.0)));
  }

  double exchanged_energy() const override {
    return first_rank_ ? method_.exchanged_energy() : 0.0;
  }
  void set_exchanged_energy(double energy) override { method_.set_exchanged_energy(energy); }

 private:
  void set_thermal_energy(double thermal_energy) override {
    method_.set_thermal_energy(thermal_energy);
  }
  double factor(double kinetic_energy, double degrees, double interval,
                std::int64_t step) override {
    return method_.factor(kinetic_energy, degrees, interval, step);
  }

  StochasticVelocityRescaling method_;
};

}  // namespace

ThermostatRow thermostat::stochastic_velocity_rescaling() {
  return {.name = "stochastic_velocity_rescaling",
          .sentence =
              "Stochastic velocity rescaling samples the canonical ensemble (Bussi, Donadio "
              "and Parrinello, J. Chem. Phys. 126, 014101 (2007)).",
          .equations = "dK = (K₀ - K) dt/τ + 2 sqrt(K K₀ / N) dW / sqrt(τ)",
          .remarks =
              "All velocities are multiplied by one factor, which carries K along this "
              "equation. τ is `time_constant`. The ensemble is canonical, and diffusion is "
              "hardly disturbed.",
          .source = "Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101 (2007)",
          .aliases = {"bussi", "csvr", "svr", "v-rescale"},
          .takes_ramps = true,
          .is_canonical = true,
          .constraints = ThermostatRow::Constraints::kept,
          .takes_groups = true,
          .takes_motions = true,
          .make = make_thermostat<StochasticRescalingThermostat>};
}

}  // namespace sterna::md
