#pragma once

#include <algorithm>
#include <cstdint>

namespace sterna::md {

/// One number for a residue's number and insertion code, so that residues sort as 52, 52A, 52B, 53.
/// Without a code it is 0. Numbers that are too large for any residue are clamped.
constexpr std::int64_t residue_order(std::int64_t number, char insertion_code) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  constexpr std::int64_t codes = 256;
  return std::clamp(number, -most, most) * codes + static_cast<unsigned char>(insertion_code);
}

}  // namespace sterna::md
