#pragma once

#include <algorithm>
#include <cmath>

#include "md/model/component.hpp"

namespace sterna::md {

/// The largest distance of centers at which two molecules of this kind can touch by their outermost
/// Lennard-Jones sites: twice that site's distance from the center of mass, plus its sigma.
inline double contact_distance(const Component& component) {
  double distance = 0.0;
  for (const auto& site : component.lennard_jones) {
    if (!(site.epsilon > 0.0)) continue;
    const double from_center = std::sqrt(dot(site.position, site.position));
    distance = std::max(distance, 2.0 * from_center + site.sigma);
  }
  return distance;
}

}  // namespace sterna::md
