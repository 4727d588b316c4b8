#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Position and type in 32 bytes: the pair kernel takes a neighbor with one aligned load.
struct alignas(32) Position {
  double x, y, z;
  std::int64_t type;
  Vec3 vector() const { return {x, y, z}; }
};

/// How often a particle crossed the box along each edge: unwrapped = position +
/// Box::translation(image).
struct Image {
  std::int32_t x, y, z;
};

/// The particles of one rank as a structure of arrays. Local particles come first, copies of
/// particles of other ranks (ghosts) behind them; only `position`, `orientation` and, where that is
/// asked for, `id` have ghosts.
/// Local particles are sorted along the cell grid at every rebuild.
///
/// A store that rotates also has orientations, angular momenta and torques; otherwise these arrays
/// are empty, and nothing of them is kept, sorted or sent.
class ParticleStore {
 public:
  std::size_t local_count() const { return local_count_; }
  std::size_t ghost_count() const { return ghost_count_; }
  std::size_t total_count() const { return local_count_ + ghost_count_; }

  /// Whether particles are rigid bodies that can turn. To be decided while the store is empty, the
  /// same on all ranks; std::logic_error otherwise.
  void set_rotating(bool rotating) {
    if (total_count() > 0) throw std::logic_error("particles cannot begin or cease to rotate");
    rotating_ = rotating;
  }
  bool rotating() const { return rotating_; }

  /// Whether ghosts have ids, as molecules need them. To be decided while there are no ghosts, the
  /// same on all ranks.
  void set_ghost_ids(bool ghost_ids) { ghost_ids_ = ghost_ids; }
  bool ghost_ids() const { return ghost_ids_; }

  /// Drops the ghosts. New particles are not initialized.
  void resize_local(std::size_t count) {
    local_count_ = count;
    ghost_count_ = 0;
    position.resize(count);
    force.resize(count);
    velocity.resize(count);
    id.resize(count);
    image.resize(count);
    if (!rotating_) return;
    orientation.resize(count);
    angular_momentum.resize(count);
    torque.resize(count);
  }
  void resize_ghosts(std::size_t count) {
    ghost_count_ = count;
    position.resize(local_count_ + count);
    if (rotating_) orientation.resize(local_count_ + count);
    if (ghost_ids_) id.resize(local_count_ + count);
  }

  AlignedBuffer<Position> position;
  AlignedBuffer<Vec3> force;
  AlignedBuffer<Vec3> velocity;
  AlignedBuffer<std::int64_t> id;
  AlignedBuffer<Image> image;
  AlignedBuffer<Quaternion> orientation;  ///< body to laboratory, unit quaternions
  AlignedBuffer<Vec3> angular_momentum;   ///< laboratory frame, about the center of mass
  AlignedBuffer<Vec3> torque;             ///< likewise

 private:
  std::size_t local_count_ = 0;
  std::size_t ghost_count_ = 0;
  bool rotating_ = false;
  bool ghost_ids_ = false;
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

/// Local particle `i` of the store.
inline ParticleRecord particle(const ParticleStore& particles, std::size_t i) {
  ParticleRecord record{particles.position[i], particles.velocity[i], particles.id[i],
                        particles.image[i]};
  if (particles.rotating()) {
    record.orientation = particles.orientation[i];
    record.angular_momentum = particles.angular_momentum[i];
  }
  return record;
}

/// Local particle `i` of the store becomes the record's; forces and torques stay.
inline void set_particle(ParticleStore& particles, std::size_t i, const ParticleRecord& record) {
  particles.position[i] = record.position;
  particles.velocity[i] = record.velocity;
  particles.id[i] = record.id;
  particles.image[i] = record.image;
  if (!particles.rotating()) return;
  particles.orientation[i] = record.orientation;
  particles.angular_momentum[i] = record.angular_momentum;
}

}  // namespace sterna::md
