#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Position and type in 32 bytes, so that the pair kernel loads a neighbor with one aligned load.
struct alignas(32) Position {
  double x, y, z;
  std::int64_t type;
  Vec3 vector() const { return {x, y, z}; }
};

/// The number of times a particle crossed the box along each edge: its unwrapped position is
/// position + Box::translation(image).
struct Image {
  std::int32_t x, y, z;
};

/// The properties of particles that decide which fields they and their ghosts have.
struct ParticleKind {
  bool rotating = false;   ///< rigid bodies that can turn
  bool molecules = false;  ///< atoms of flexible molecules, which are found by their ids

  friend bool operator==(const ParticleKind&, const ParticleKind&) = default;
};

/// The particles of one rank as a structure of arrays. Local particles come first, then ghosts:
/// copies of other ranks' particles and of periodic images. `particle_fields` says which arrays
/// exist, which of them ghosts have, and which migrate or are written; unused arrays are empty.
/// Local particles are sorted along the cell grid at every rebuild.
class ParticleStore {
 public:
  std::size_t local_count() const { return local_count_; }
  std::size_t ghost_count() const { return ghost_count_; }
  std::size_t total_count() const { return local_count_ + ghost_count_; }

  /// Whether particles are rigid bodies that can turn. It must be set while the store is empty,
  /// equally on all ranks; otherwise std::logic_error.
  void set_rotating(bool rotating) {
    if (total_count() > 0) throw std::logic_error("particles cannot begin or cease to rotate");
    kind_.rotating = rotating;
  }
  bool rotating() const { return kind_.rotating; }

  /// Whether ghosts have ids, as molecules need them. It must be set while there are no ghosts,
  /// equally on all ranks.
  void set_ghost_ids(bool ghost_ids) { kind_.molecules = ghost_ids; }
  bool ghost_ids() const { return kind_.molecules; }

  const ParticleKind& kind() const { return kind_; }

  /// Drops the ghosts. New particles are not initialized.
  void resize_local(std::size_t count);
  /// Allocates memory for `count` local particles, so that appending them does not copy the others.
  void reserve_local(std::size_t count);
  void resize_ghosts(std::size_t count);

  AlignedBuffer<Position> position;
  AlignedBuffer<Vec3> force;
  AlignedBuffer<Vec3> velocity;
  AlignedBuffer<std::int64_t> id;
  AlignedBuffer<Image> image;
  AlignedBuffer<Quaternion> orientation;  ///< body to laboratory, unit quaternions
  AlignedBuffer<Vec3> angular_momentum;   ///< laboratory frame, about the center of mass
  AlignedBuffer<Vec3> torque;             ///< laboratory frame, about the center of mass

 private:
  std::size_t local_count_ = 0;
  std::size_t ghost_count_ = 0;
  ParticleKind kind_;
};

/// One particle with all fields that belong to it, for a move to another rank or a file.
struct ParticleRecord {
  Position position;
  Vec3 velocity;
  std::int64_t id;
  Image image;
  Quaternion orientation{};  ///< body to laboratory; only if particles can rotate
  Vec3 angular_momentum{};   ///< laboratory frame
};

/// A copy of local particle `i` of the store.
ParticleRecord particle(const ParticleStore& particles, std::size_t i);

/// Overwrites local particle `i` of the store; forces and torques stay.
void set_particle(ParticleStore& particles, std::size_t i, const ParticleRecord& record);

}  // namespace sterna::md
