#pragma once

#include <cmath>
#include <span>

#include "md/model/mixing.hpp"

namespace sterna::md {

/// A length of an unlike pair: the geometric mean, that of sixth powers (Waldman and Hagler), or the
/// arithmetic one, which the other rules have. Two that are equal are not changed.
double mixed_length(Mixing rule, double a, double b);

/// An energy of an unlike pair: the geometric mean.
inline double mixed_energy(double a, double b) {
  return std::sqrt(a * b);
}

/// Sets the first two parameters of an unlike pair, which are epsilon and sigma of a Lennard-Jones
/// well, from those of both types.
void mix_wells(Mixing rule, std::span<const double> a, std::span<const double> b,
               std::span<double> unlike);

}  // namespace sterna::md
