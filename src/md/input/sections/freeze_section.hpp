#pragma once

#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct FreezeSection {    ///< [[freeze]]
  std::string component;  ///< name of a [[component]] or [[type]]
  Vec3 velocity;          ///< constant velocity of its molecules
};

}  // namespace sterna::md
