#pragma once

#include <cstdint>

#include "md/forces/manybody/bond_rows.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Neighbors of local particles. Particle i has rows[i].count neighbors, from
/// neighbors[rows[i].begin] on.
struct NeighborRows {
  AlignedBuffer<RowRange> rows;
  AlignedBuffer<std::uint32_t> neighbors;
  std::uint32_t longest = 0;
};

}  // namespace sterna::md
