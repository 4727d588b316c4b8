#include <doctest/doctest.h>

#include <cmath>

#include "md/integrate/stochastic_cell_rescaling.hpp"

using namespace sterna::md;

// Of an ideal gas the pressure at volume V is N kT / V, and the volume is distributed as
// V^N exp(-p V / kT): mean (N + 1) kT / p, variance (N + 1) (kT / p)^2.
TEST_CASE("stochastic cell rescaling samples the volume of an ideal gas") {
  const double particles = 20.0, thermal_energy = 1.4, pressure = 0.7;
  const double scale = thermal_energy / pressure;
  const StochasticCellRescaling barostat(9, thermal_energy, pressure, pressure, 1.0);
  double volume = 60.0, sum = 0.0, squares = 0.0;
  const int steps = 400000;
  for (int step = 0; step < steps; ++step) {
    volume *= barostat.volume_ratio(volume, particles * thermal_energy / volume, 0.02, step);
    if (step < 1000) continue;
    sum += volume;
    squares += volume * volume;
  }
  const double mean = sum / (steps - 1000), variance = squares / (steps - 1000) - mean * mean;
  CHECK(mean == doctest::Approx((particles + 1.0) * scale).epsilon(0.02));
  CHECK(variance == doctest::Approx((particles + 1.0) * scale * scale).epsilon(0.1));
}

TEST_CASE("stochastic cell rescaling relaxes with its time constant") {
  // So many particles that noise is small; the bulk modulus of an ideal gas is its pressure.
  const double particles = 1e8;
  const StochasticCellRescaling barostat(1, 1.0, 2.0, 2.0, 5.0);
  double volume = 1.01 * particles / 2.0;
  int step = 0;
  for (; step < 500; ++step) {
    volume *= barostat.volume_ratio(volume, particles / volume, 0.01, step);
  }
  CHECK(volume / (particles / 2.0) - 1.0 == doctest::Approx(0.01 * std::exp(-1.0)).epsilon(0.05));
  // Far away it goes by limited steps.
  CHECK(barostat.volume_ratio(1.0, 1e6, 1.0, 0) == 1.1);
  CHECK(barostat.volume_ratio(1.0, -1e6, 1.0, 0) == 0.9);
}
