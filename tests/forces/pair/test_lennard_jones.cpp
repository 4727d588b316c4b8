#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "md/model/lennard_jones.hpp"

using namespace sterna::md;

TEST_CASE("tail corrections of the NIST configurations") {
  // U_LRC of the NIST reference calculations (LJ, reduced units), as published.
  struct Published {
    double count, length, cutoff, energy;
  };
  for (const Published& p : {Published{800, 10, 3, -1.9849e2}, Published{800, 10, 4, -8.3769e1},
                             Published{30, 8, 3, -5.4517e-1}, Published{30, 8, 4, -2.3008e-1}}) {
    const LennardJones potential(std::vector<LennardJones::PairParameters>{{1, 1}}, 1, p.cutoff,
                                 Truncation::truncated);
    const double counts[] = {p.count};
    const auto tail = potential.tail_correction(counts, p.length * p.length * p.length);
    CHECK(std::fabs(tail.energy - p.energy) <=
          0.5 * std::pow(10.0, std::floor(std::log10(-p.energy)) - 4));
  }
}

TEST_CASE("tail correction of a mixture equals the numerical integral") {
  const double cutoff = 2.2, volume = 500.0;
  const std::vector<LennardJones::PairParameters> pairs{{1, 1}, {1.3, 1.1}, {1.3, 1.1}, {0.7, 1.4}};
  const LennardJones potential(pairs, 2, cutoff, Truncation::truncated);
  const double counts[] = {100, 250};
  double energy = 0.0, virial = 0.0;
  // Substitute r = cutoff / s: the integrand becomes smooth on (0, 1]; Simpson's rule.
  const int steps = 2000;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const auto [epsilon, sigma] = pairs[static_cast<std::size_t>(2 * a + b)];
      for (int k = 1; k <= steps; ++k) {
        const double s = static_cast<double>(k) / steps;
        const double r = cutoff / s;
        const double weight = (k == steps ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0)) / (3.0 * steps);
        const double jacobian = cutoff / (s * s);
        const double sr6 = std::pow(sigma / r, 6);
        const double u = 4 * epsilon * (sr6 * sr6 - sr6);
        const double rf = 24 * epsilon * (2 * sr6 * sr6 - sr6);
        const double shell =
            2 * std::numbers::pi * counts[a] * counts[b] / volume * r * r * jacobian;
        energy += weight * shell * u;
        virial += weight * shell * rf;
      }
    }
  }
  const auto tail = potential.tail_correction(counts, volume);
  CHECK(tail.energy == doctest::Approx(energy).epsilon(1e-8));
  CHECK(tail.virial == doctest::Approx(virial).epsilon(1e-8));
}

TEST_CASE("mixing rules") {
  const auto lb = mix(Mixing::lorentz_berthelot, {1.0, 1.0}, {4.0, 2.0});
  CHECK(lb.epsilon == doctest::Approx(2.0));
  CHECK(lb.sigma == doctest::Approx(1.5));
  const auto geometric = mix(Mixing::geometric, {1.0, 1.0}, {4.0, 4.0});
  CHECK(geometric.sigma == doctest::Approx(2.0));
  // Waldman and Hagler: the geometric mean of epsilon sigma^6 and the mean of sigma^6.
  const auto waldman_hagler = mix(Mixing::waldman_hagler, {1.0, 1.0}, {4.0, 2.0});
  CHECK(std::pow(waldman_hagler.sigma, 6) == doctest::Approx(32.5).epsilon(1e-13));
  CHECK(waldman_hagler.epsilon == doctest::Approx(2.0 * 8.0 / 32.5).epsilon(1e-13));
  // Kong: epsilon sigma^12 of 1 and 2^26 have the 13th roots 1 and 4.
  const auto kong = mix(Mixing::kong, {1.0, 1.0}, {16384.0, 2.0});
  const double c6 = 128.0 * 8.0, c12 = std::pow(2.5, 13);
  CHECK(kong.epsilon == doctest::Approx(c6 * c6 / c12).epsilon(1e-13));
  CHECK(std::pow(kong.sigma, 6) == doctest::Approx(c12 / c6).epsilon(1e-13));
  const auto fender_halsey = mix(Mixing::fender_halsey, {1.0, 1.0}, {4.0, 2.0});
  CHECK(fender_halsey.epsilon == doctest::Approx(1.6).epsilon(1e-14));
  CHECK(fender_halsey.sigma == 1.5);
  for (const Choice<Mixing>& choice : choice_table<Mixing>) {
    CAPTURE(choice.name);
    const Mixing rule = choice.value;
    // Like types keep the very numbers of the input.
    const auto alike = mix(rule, {0.3, 0.7}, {0.3, 0.7});
    CHECK(alike.epsilon == 0.3);
    CHECK(alike.sigma == 0.7);
    // What has no depth interacts with nothing, and the numbers stay finite.
    for (const double other : {0.0, 2.0}) {
      const auto none = mix(rule, {0.0, 0.7}, {other, 1.3});
      CHECK(none.epsilon == 0.0);
      CHECK(none.sigma > 0.7);
      CHECK(none.sigma < 1.3);
    }
  }
}
