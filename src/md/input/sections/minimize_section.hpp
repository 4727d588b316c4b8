#pragma once

namespace sterna::md {

struct MinimizeSection {              ///< [minimize]; integrator = "minimize"
  double force_tolerance = 0.0;       ///< largest force component
  double maximum_displacement = 0.0;  ///< per step; 0: a tenth of the smallest sigma
};

}  // namespace sterna::md
