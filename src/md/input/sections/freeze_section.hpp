#pragma once

#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct FreezeSection {    ///< [[freeze]]
  std::string component;  ///< [[component]] or [[type]]
  Vec3 velocity;          ///< that they keep
};

}  // namespace sterna::md
