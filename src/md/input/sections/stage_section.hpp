#pragma once

#include <cstddef>
#include <string>

namespace sterna::md {

struct StageSection {             ///< [[stage]]: the one to which this input belongs
  std::string name;               ///< empty: the input has no stages
  std::size_t number = 0;         ///< from 0
  bool draws_velocities = false;  ///< it gives a start temperature
  bool has_own_seed = false;
};

}  // namespace sterna::md
