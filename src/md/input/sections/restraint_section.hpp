#pragma once

#include <optional>
#include <string>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

struct RestraintSection {     ///< [[restraint]]
  double stiffness = 0.0;     ///< force per distance
  std::optional<Vec3> place;  ///< of all of them; otherwise where each one is at the start
  std::vector<Axis> axes{Axis::x, Axis::y, Axis::z};
  std::string component;             ///< of this [[component]] or [[type]]; empty: of all
  std::optional<Vec3> lower, upper;  ///< those that are in this region of the box at the start
};

}  // namespace sterna::md
