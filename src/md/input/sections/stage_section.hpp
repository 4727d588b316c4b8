#pragma once

#include <cstddef>
#include <string>

namespace sterna::md {

struct StageSection {             ///< [[stage]], that of which this is the input
  std::string name;               ///< empty: the input has no stages
  std::size_t number = 0;         ///< from 0
  bool draws_velocities = false;  ///< it gives the temperature of its start
  bool has_own_seed = false;
};

}  // namespace sterna::md
