#include "md/integrate/stochastic_velocity_rescaling.hpp"

#include <cmath>

namespace sterna::md {

StochasticVelocityRescaling::StochasticVelocityRescaling(std::uint64_t seed, double thermal_energy,
                                                         double time_constant, std::uint64_t number)
    : stream_(seed, RandomPurpose::thermostat),
      thermal_energy_(thermal_energy),
      time_constant_(time_constant),
      // Beyond the ids of particles.
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
  // The root may be negative where the noise overcomes what is left of the old velocity.
  const double sign = r1 + std::sqrt(c / q) < 0.0 ? -1.0 : 1.0;
  exchanged_energy_ += (squared - 1.0) * kinetic_energy;
  return sign * std::sqrt(squared);
}

}  // namespace sterna::md
