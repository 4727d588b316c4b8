#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Whole molecules of one kind (`MoleculePlaces::whole`), for kernels. Plain data, because the files
/// compiled for one instruction set must not instantiate code that others share.
struct MoleculeBatch {
  std::size_t count;
  std::size_t atoms;            ///< of each
  const std::uint32_t* places;  ///< of atom k of molecule m, number m * atoms + k
  const Position* position;
  /// The local particle that the particle behind the local ones is an image of.
  const std::uint32_t* local_of_ghost;
  std::size_t local_count;
  Vec3* force;  ///< of local particles; is added to
  /// For some molecules side by side, aligned to a vector.
  double* room;
  static constexpr std::size_t room_per_atom = 96;
};

}  // namespace sterna::md
