#pragma once

#include <algorithm>
#include <cstdint>

namespace sterna::md {

/// One number for a residue's number and the insertion code behind it, such that residues are in the
/// order 52, 52A, 52B, 53. No code: 0. Numbers so large that no residue has them are cut off.
constexpr std::int64_t residue_order(std::int64_t number, char insertion_code) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  constexpr std::int64_t codes = 256;
  return std::clamp(number, -most, most) * codes + static_cast<unsigned char>(insertion_code);
}

}  // namespace sterna::md
