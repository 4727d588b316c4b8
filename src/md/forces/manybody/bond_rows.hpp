#pragma once

#include <cstdint>

#include "md/forces/manybody/tersoff_work.hpp"

namespace sterna::md {

/// What all kernels of bonds read: rows of neighbors, from which they take those within a cutoff.
/// Plain data, because the files compiled for one instruction set must not instantiate code that
/// others share.
struct BondRows {
  const Position* position;
  PaddedForce* force;    ///< of local particles and ghosts; forces are added
  const RowRange* rows;  ///< of local particles; includes the skin
  const std::uint32_t* neighbors;
  const CellRange* cells;
  int type_count;
  const double* bond_cutoff_squared;  ///< type_count^2; bonds beyond are left out
  std::uint32_t longest_row;
  void* scratch;  ///< scratch_bytes of the kernels, aligned to 64 bytes
};

}  // namespace sterna::md
