// The estimate of what a list misses, against random flights of pairs.

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "md/neighbors/list_buffer.hpp"

using namespace sterna::md;

namespace {

constexpr double cutoff = 2.5;

double lennard_jones(double r) {
  const double s6 = 1.0 / std::pow(r, 6);
  return 4.0 * (s6 * s6 - s6);
}

BufferedPairs pairs_of(double density, double speed_squared) {
  return {.density = density,
          .speed_squared = speed_squared,
          .cutoff = cutoff,
          .energy = lennard_jones};
}

/// The mean energy of pairs that begin beyond `list_radius` and fly a normally distributed way in
/// each of three directions, with the energy counted from that at the cutoff.
double flown(double list_radius, double width, double density) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal(0.0, width);
  std::uniform_real_distribution<double> uniform;
  const double farthest = list_radius + 8.0 * width;
  const double inner = std::pow(list_radius, 3), outer = std::pow(farthest, 3);
  const double volume = 4.0 / 3.0 * std::numbers::pi * (outer - inner);
  constexpr int samples = 2'000'000;
  double sum = 0.0;
  for (int k = 0; k < samples; ++k) {
    const double r0 = std::cbrt(inner + (outer - inner) * uniform(engine));
    const double x = r0 + normal(engine), y = normal(engine), z = normal(engine);
    const double r = std::sqrt(x * x + y * y + z * z);
    if (r < cutoff) sum += std::abs(lennard_jones(r) - lennard_jones(cutoff));
  }
  return density * volume * sum / samples;
}

}  // namespace

TEST_CASE("the energy of missed pairs is that of random flights") {
  for (const double width : {0.05, 0.15}) {
    for (const double skin : {0.0, 0.1, 0.2}) {
      if (skin > 2.5 * width) continue;
      CAPTURE(width);
      CAPTURE(skin);
      const double estimate =
          energy_of_missed_pairs(pairs_of(0.4, width * width), cutoff + skin, 1.0);
      const double exact = flown(cutoff + skin, width, 0.4);
      // In three dimensions a few pairs pass by the side.
      CHECK(estimate > 0.95 * exact);
      CHECK(estimate < 1.35 * exact);
    }
  }
}

TEST_CASE("the skin is the smallest that keeps the tolerance") {
  const std::vector<BufferedPairs> kinds{pairs_of(0.4, 2.0), pairs_of(0.05, 20.0)};
  const auto drift = [&](double skin, int interval) {
    double energy = 0.0;
    for (const BufferedPairs& pairs : kinds) {
      energy += energy_of_missed_pairs(pairs, cutoff + skin, (interval - 1) * 0.002);
    }
    return energy / (interval * 0.002);
  };
  double before = 0.0;
  for (const int interval : {10, 20, 50}) {
    CAPTURE(interval);
    const ListBuffer buffer = choose_list_buffer(kinds, cutoff, 0.002, 0.01, interval, cutoff);
    CHECK(buffer.interval == interval);
    CHECK(buffer.skin >= before);
    CHECK(buffer.drift <= 0.01);
    CHECK(drift(buffer.skin, interval) == doctest::Approx(buffer.drift));
    CHECK(drift(buffer.skin - 0.002 * cutoff, interval) > 0.01);
    before = buffer.skin;
  }
  // A list for one step misses nothing.
  CHECK(choose_list_buffer(kinds, cutoff, 0.002, 0.01, 1, cutoff).skin == 0.0);
  const ListBuffer chosen = choose_list_buffer(kinds, cutoff, 0.002, 0.01, {}, cutoff);
  CHECK(chosen.interval > 5);
  CHECK(chosen.drift <= 0.01);
  CHECK(choose_list_buffer(kinds, cutoff, 0.002, 1e-5, {}, cutoff).skin > chosen.skin);
}

TEST_CASE("pairs without energy or motion need no skin") {
  BufferedPairs none = pairs_of(0.4, 2.0);
  none.energy = [](double) { return 0.0; };
  CHECK(choose_list_buffer({&none, 1}, cutoff, 0.002, 0.01, 20, cutoff).skin == 0.0);
  const BufferedPairs frozen = pairs_of(0.4, 0.0);
  CHECK(choose_list_buffer({&frozen, 1}, cutoff, 0.002, 0.01, 20, cutoff).skin == 0.0);
}
