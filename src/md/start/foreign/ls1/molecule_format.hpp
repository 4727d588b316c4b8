#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include "md/core/quaternion.hpp"

namespace sterna::md::ls1 {

/// The columns of a molecule in a phase space: I id, C component, R position, V velocity, Q
/// orientation, D angular momentum; ICRVQDV has three more without meaning.
struct MoleculeFormat {
  std::string_view name;
  bool component = true;
  bool rotation = false;
  int ignored_columns = 0;

  /// The number of bytes of a molecule in a binary file.
  std::size_t binary_size() const {
    return 8 + (component ? 4 : 0) + 8 * (rotation ? std::size_t{13} : std::size_t{6});
  }
};

inline constexpr std::array<MoleculeFormat, 4> molecule_formats{{
    {"ICRVQD", true, true, 0},
    {"ICRV", true, false, 0},
    {"IRV", false, false, 0},
    {"ICRVQDV", true, true, 3},
}};

inline std::optional<MoleculeFormat> molecule_format(std::string_view name) {
  for (const MoleculeFormat& format : molecule_formats) {
    if (format.name == name) return format;
  }
  return std::nullopt;
}

/// Normalizes a quaternion; false if it is 0. A unit quaternion keeps its bits.
inline bool normalize_orientation(Quaternion& q) {
  const double squared = q.norm_squared();
  if (!(squared > 1e-12) || !(squared < 1e12)) return false;
  if (std::abs(squared - 1.0) > 1e-14) q = q.normalized();
  return true;
}

}  // namespace sterna::md::ls1
