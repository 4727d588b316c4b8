#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/particles/aligned_buffer.hpp"

namespace sterna::md {

/// Position and type in 32 bytes: the pair kernel takes a neighbor with one aligned load.
struct alignas(32) Position {
  double x, y, z;
  std::int64_t type;
  Vec3 vector() const { return {x, y, z}; }
};

/// How often a particle crossed the box in each axis: unwrapped = position + image * length.
struct Image {
  std::int32_t x, y, z;
};

/// The particles of one rank as a structure of arrays. Local particles come first, copies of
/// particles of other ranks (ghosts) behind them; only `position` has ghosts.
/// Local particles are sorted along the cell grid at every rebuild.
class ParticleStore {
 public:
  std::size_t local_count() const { return local_count_; }
  std::size_t ghost_count() const { return ghost_count_; }
  std::size_t total_count() const { return local_count_ + ghost_count_; }

  /// Drops the ghosts. New particles are not initialized.
  void resize_local(std::size_t count) {
    local_count_ = count;
    ghost_count_ = 0;
    position.resize(count);
    force.resize(count);
    velocity.resize(count);
    id.resize(count);
    image.resize(count);
  }
  void resize_ghosts(std::size_t count) {
    ghost_count_ = count;
    position.resize(local_count_ + count);
  }

  AlignedBuffer<Position> position;
  AlignedBuffer<Vec3> force;
  AlignedBuffer<Vec3> velocity;
  AlignedBuffer<std::int64_t> id;
  AlignedBuffer<Image> image;

 private:
  std::size_t local_count_ = 0;
  std::size_t ghost_count_ = 0;
};

/// One particle with all that it needs to live on another rank or in a file.
struct ParticleRecord {
  Position position;
  Vec3 velocity;
  std::int64_t id;
  Image image;
  Quaternion orientation{};  ///< body to laboratory; of molecules that can rotate
  Vec3 angular_momentum{};   ///< laboratory frame
};

}  // namespace sterna::md
