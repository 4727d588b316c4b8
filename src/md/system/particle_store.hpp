#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/position.hpp"
#include "md/system/rotor_array.hpp"

namespace sterna::md {

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

struct ParticleRecord;

/// The particles of one rank as a structure of arrays. Local particles come first, then ghosts:
/// copies of other ranks' particles and of periodic images. `particle_fields` says which arrays
/// exist, which of them ghosts have, and which migrate or are written; unused arrays are empty.
/// Local particles are sorted along the cell grid at every rebuild. Where only some types turn,
/// orientations, angular momenta and torques are there for their particles alone.
class ParticleStore {
 public:
  std::size_t local_count() const { return local_count_; }
  std::size_t ghost_count() const { return ghost_count_; }
  std::size_t total_count() const { return local_count_ + ghost_count_; }

  /// Whether particles are rigid bodies that can turn. It must be set while the store is empty,
  /// equally on all ranks; otherwise std::logic_error.
  void set_rotating(bool rotating) { set_turning_types(std::vector<char>(rotating ? 1 : 0, 1)); }
  /// The same by types: for each of them, whether its particles turn. All of them: `set_rotating`.
  void set_turning_types(std::vector<char> turns);
  bool rotating() const { return kind_.rotating; }
  /// Whether some particles turn and others do not.
  bool only_some_rotate() const { return places_ != nullptr; }
  /// For each type, whether its particles turn; a single entry if all turn, none if none does.
  std::vector<char> turning_types() const {
    return places_ ? places_->types() : std::vector<char>(kind_.rotating ? 1 : 0, 1);
  }
  bool type_turns(std::int64_t type) const {
    return kind_.rotating && (!places_ || places_->turns(type));
  }
  /// Whether a particle turns, which may be a ghost.
  bool turns(std::size_t i) const {
    return kind_.rotating && (!places_ || places_->number_of(i) != RotorPlaces::none);
  }
  /// The number of a particle in the arrays of those that turn, or RotorPlaces::none.
  std::size_t rotor_number(std::size_t i) const { return places_ ? places_->number_of(i) : i; }
  /// How many local particles have items in these arrays.
  std::size_t local_rotors() const {
    return places_ ? local_rotors_ : kind_.rotating ? local_count_ : 0;
  }
  /// Calls visit(i) for each local particle that turns, in the order of the store.
  template <class Visit>
  void for_each_rotor(Visit&& visit) const {
    if (!places_) {
      for (std::uint32_t i = 0; i < local_rotors(); ++i) visit(i);
      return;
    }
    for (const std::uint32_t i : places_->particles().first(local_rotors_)) visit(i);
  }

  /// Whether ghosts have ids, as molecules need them. It must be set while there are no ghosts,
  /// equally on all ranks.
  void set_ghost_ids(bool ghost_ids) { kind_.molecules = ghost_ids; }
  bool ghost_ids() const { return kind_.molecules; }

  const ParticleKind& kind() const { return kind_; }
  /// The kind whose fields have an item for each particle. It is another one if only some turn.
  ParticleKind kind_of_all() const {
    return {.rotating = kind_.rotating && !places_, .molecules = kind_.molecules};
  }

  /// Drops the ghosts. New particles are not initialized. If only some turn, `place_rotors` follows
  /// when the types of new particles are set.
  void resize_local(std::size_t count);
  /// Allocates memory for `count` local particles, so that appending them does not copy the others.
  void reserve_local(std::size_t count);
  void resize_ghosts(std::size_t count);
  /// Where only some particles turn: makes items for the particles and ghosts that were added and
  /// turn. They are at rest, along the axes.
  void place_rotors();
  /// Where only some particles turn, and there are no ghosts: the store has its first `count`
  /// particles in another order. `former`: the numbers that those of them that turn have had. A
  /// `resize_local` must follow if there are fewer particles than before.
  void reorder_rotors(std::span<const std::uint32_t> former, std::size_t count);
  /// Where only some particles turn: the ghosts are in another order. `turned`: the orientations of
  /// those that turn.
  void reorder_ghost_rotors(std::span<const Quaternion> turned);
  /// Bytes of all arrays that particles and ghosts use.
  std::size_t bytes() const;

  AlignedBuffer<Position> position;
  AlignedBuffer<Vec3> force;
  AlignedBuffer<Vec3> velocity;
  AlignedBuffer<std::int64_t> id;
  AlignedBuffer<Image> image;
  RotorArray<Quaternion> orientation;  ///< body to laboratory, unit quaternions
  RotorArray<Vec3> angular_momentum;   ///< laboratory frame, about the center of mass
  RotorArray<Vec3> torque;             ///< laboratory frame, about the center of mass

 private:
  friend void set_particle(ParticleStore& particles, std::size_t i, const ParticleRecord& record);

  /// Makes items for particles and ghosts up to this place.
  void place_rotors(std::size_t end);
  void resize_rotor_arrays();

  std::size_t local_count_ = 0;
  std::size_t ghost_count_ = 0;
  ParticleKind kind_;
  std::unique_ptr<RotorPlaces> places_;  ///< null: all particles turn, or none
  std::size_t local_rotors_ = 0;         ///< if only some turn
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

/// Overwrites local particle `i` of the store; forces and torques stay. New particles come in the
/// order of the store. Orientation and angular momentum of one that does not turn are left out.
/// Throws std::logic_error if a particle would begin or cease to turn.
void set_particle(ParticleStore& particles, std::size_t i, const ParticleRecord& record);

}  // namespace sterna::md
