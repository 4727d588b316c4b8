#include "md/integrate/stochastic_cell_rescaling.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

StochasticCellRescaling::StochasticCellRescaling(std::uint64_t seed, double thermal_energy,
                                                 double pressure, double bulk_modulus,
                                                 double time_constant)
    : stream_(seed, RandomPurpose::barostat),
      thermal_energy_(thermal_energy),
      pressure_(pressure),
      rate_(1.0 / (bulk_modulus * time_constant)) {}

double StochasticCellRescaling::volume_ratio(double volume, double internal_pressure,
                                             double interval, std::int64_t step) const {
  const double root = std::sqrt(volume);
  const double drift = -0.5 * rate_ * root *
                       (pressure_ - internal_pressure - 0.5 * thermal_energy_ / volume) * interval;
  const double noise = std::sqrt(0.5 * rate_ * thermal_energy_ * interval) *
                       stream_.sequence(0, static_cast<std::uint64_t>(step)).normal();
  const double ratio = (root + drift + noise) / root;
  return std::clamp(ratio * std::abs(ratio), 0.9, 1.1);
}

}  // namespace sterna::md
