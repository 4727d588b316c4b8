#pragma once

#include <algorithm>

#include "md/model/component.hpp"

namespace sterna::md {

/// The largest sigma of the component's Lennard-Jones sites; 0 without such sites.
inline double largest_sigma(const Component& component) {
  double sigma = 0.0;
  for (const auto& site : component.lennard_jones) sigma = std::max(sigma, site.sigma);
  return sigma;
}

}  // namespace sterna::md
