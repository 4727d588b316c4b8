#pragma once

// A table for instruction sets that move bytes or lanes by numbers in a register, but have no
// instruction that packs the lanes of a mask.

#include <cstdint>

namespace sterna::md {
namespace {

/// For each mask of 8 lanes, the numbers of the set lanes, packed to the front.
struct CompressTable {
  alignas(64) std::uint8_t lanes[256][8];
};
constexpr CompressTable make_compress_table() {
  CompressTable table{};
  for (int mask = 0; mask < 256; ++mask) {
    int count = 0;
    for (int lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) != 0) table.lanes[mask][count++] = static_cast<std::uint8_t>(lane);
    }
  }
  return table;
}
constexpr CompressTable compress_table = make_compress_table();

}  // namespace
}  // namespace sterna::md
