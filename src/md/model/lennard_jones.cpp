#include "md/model/lennard_jones.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace sterna::md {

LennardJones::LennardJones(std::span<const PairParameters> pairs, int type_count, double cutoff,
                           Truncation truncation, double switch_start)
    : type_count_(type_count),
      cutoff_(cutoff),
      truncation_(truncation),
      switch_start_(switch_start) {
  if (!ends_by(truncation)) throw std::invalid_argument("not an ending of the fast path");
  for (const PairParameters& pair : pairs) {
    const double sigma6 = std::pow(pair.sigma, 6);
    const double c6 = 4.0 * pair.epsilon * sigma6;
    const double c12 = c6 * sigma6;
    const double r6 = std::pow(cutoff, -6);
    const double energy_at_cutoff = r6 * (c12 * r6 - c6);
    const double force_at_cutoff = r6 * (12.0 * c12 * r6 - 6.0 * c6) / cutoff;
    c12_.push_back(c12);
    c6_.push_back(c6);
    switch (truncation) {
      case Truncation::truncated:
      case Truncation::switched:
        energy_shift_.push_back(0.0);
        force_shift_.push_back(0.0);
        break;
      case Truncation::shifted:
        energy_shift_.push_back(energy_at_cutoff);
        force_shift_.push_back(0.0);
        break;
      case Truncation::force_shifted:
        energy_shift_.push_back(energy_at_cutoff + cutoff * force_at_cutoff);
        force_shift_.push_back(force_at_cutoff);
        break;
      case Truncation::quintic_switched:
      case Truncation::force_switched:
      case Truncation::cubic_force_switched:
        break;
    }
  }
}

LennardJones::TailCorrection LennardJones::tail_correction(std::span<const double> counts,
                                                           double volume) const {
  const double r3 = std::pow(cutoff_, -3);
  const double r9 = r3 * r3 * r3;
  TailCorrection correction{0.0, 0.0};
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      const std::size_t pair = a * counts.size() + b;
      const double pairs_density = 2.0 * std::numbers::pi * counts[a] * counts[b] / volume;
      correction.energy += pairs_density * (c12_[pair] * r9 / 9.0 - c6_[pair] * r3 / 3.0);
      correction.virial +=
          pairs_density * (12.0 * c12_[pair] * r9 / 9.0 - 6.0 * c6_[pair] * r3 / 3.0);
    }
  }
  return correction;
}

}  // namespace sterna::md
