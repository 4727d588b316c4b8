#pragma once

#include <optional>
#include <string>

#include "md/core/vector.hpp"

namespace sterna::md {

struct FieldSection {                  ///< [[field]]: one of three kinds
  std::optional<Vec3> force;           ///< on each molecule
  std::optional<Vec3> acceleration;    ///< of each molecule
  std::optional<Vec3> electric_field;  ///< acts on charges and dipoles
  std::string component;               ///< name of a [[component]] or [[type]]; empty: all
};

}  // namespace sterna::md
