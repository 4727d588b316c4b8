#pragma once

#include <cmath>
#include <optional>
#include <span>

namespace sterna::md {

/// The density at a distance x from the middle of a slab of liquid in its vapor:
/// (liquid + vapor) / 2 - (liquid - vapor) / 2 tanh(2 (x - place) / thickness)
/// (Chapela, Saville, Thompson and Rowlinson, J. Chem. Soc., Faraday Trans. 2 73, 1133 (1977)).
struct Interface {
  double liquid, vapor, place, thickness;

  double density(double distance) const {
    const double step = std::tanh(2.0 * (distance - place) / thickness);
    return 0.5 * (liquid + vapor) - 0.5 * (liquid - vapor) * step;
  }
};

/// The least squares fit to the densities of slices of a width, from the middle of the slab on.
/// Nothing where there is no such slab.
std::optional<Interface> fit_interface(std::span<const double> densities, double width);

}  // namespace sterna::md
