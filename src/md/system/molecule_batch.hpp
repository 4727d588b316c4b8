#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Whole molecules of one kind (`MoleculePlaces::whole`) as plain data for kernels. A file that is
/// compiled for one instruction set must not instantiate code that other files share.
struct MoleculeBatch {
  std::size_t count;
  std::size_t atoms;            ///< per molecule
  const std::uint32_t* places;  ///< place of atom k of molecule m is number m * atoms + k
  const Position* position;
  /// For each particle behind the local ones, the local particle that it is an image of.
  const std::uint32_t* local_of_ghost;
  std::size_t local_count;
  Vec3* force;  ///< of local particles; kernels add to it
  /// Work space of a kernel for one block of molecules, aligned to a vector.
  double* room;
  static constexpr std::size_t room_per_atom = 96;
};

}  // namespace sterna::md
