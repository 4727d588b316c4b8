#pragma once

#include <optional>
#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct FieldSection {                  ///< [[field]]: one of the three
  std::optional<Vec3> force;           ///< on each molecule
  std::optional<Vec3> acceleration;    ///< of each molecule
  std::optional<Vec3> electric_field;  ///< acts on charges and dipoles
  std::string component;               ///< of this [[component]] or [[type]]; empty: of all
};

}  // namespace sterna::md
