#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/units.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The kinds of particles that have a field.
enum class Kept { always, rotating, molecules };

constexpr bool is_kept(Kept kept, const ParticleKind& kind) {
  return kept == Kept::always || (kept == Kept::rotating ? kind.rotating : kind.molecules);
}

/// When the owner of a particle sends a field to the particle's ghosts.
enum class SentToGhosts {
  never,
  at_rebuild,  ///< only at rebuilds, because it does not change in between
  every_step,
};

/// The properties of a field that need no type.
struct FieldTraits {
  std::string_view name;  ///< as inputs, files and Python use it
  Dimension dimension = Dimension::none;
  Kept kept = Kept::always;
  SentToGhosts sent_to_ghosts = SentToGhosts::never;
  Kept kept_by_ghosts = Kept::always;  ///< the ghosts that keep it, if it is sent to them
  bool in_trajectory = false;          ///< whether a trajectory may contain it
};

/// A field of the particles: `count` numbers for each. `Element` is the item of the store's array,
/// `Number` a component of the field in it, `Stored` the type of a component in files.
template <class Element, class Number, std::size_t count, class Stored = Number,
          class Array = AlignedBuffer<Element>>
struct ParticleField : FieldTraits {
  Array ParticleStore::*array;
  /// Null if the field is computed in each step, like forces. Other fields belong to the particle:
  /// they migrate, are sorted with it and are written to checkpoints.
  Element ParticleRecord::*in_record = nullptr;
  std::size_t offset = 0;  ///< of the first component in an element

  using ElementType = Element;
  using NumberType = Number;
  using StoredType = Stored;
  using Numbers = std::array<Number, count>;
  static constexpr std::size_t components = count;
  static constexpr bool whole_numbers = std::is_integral_v<Number>;
  static constexpr bool is_position = std::is_same_v<Element, Position> && count == 3;
  static constexpr bool is_image = std::is_same_v<Element, Image>;

  /// Whether the field stands first in the array's items. Two fields may share an array, and only
  /// the first one moves it.
  constexpr bool has_array() const { return offset == 0; }
  constexpr bool belongs_to_particle() const { return in_record != nullptr; }

  Numbers get(const Element& element) const {
    Numbers numbers;
    std::memcpy(&numbers, reinterpret_cast<const std::byte*>(&element) + offset, sizeof(numbers));
    return numbers;
  }
  void set(Element& element, const Numbers& numbers) const {
    std::memcpy(reinterpret_cast<std::byte*>(&element) + offset, &numbers, sizeof(numbers));
  }
};

/// A field of the particles that turn.
template <class Element, std::size_t count>
using RotorField = ParticleField<Element, double, count, double, RotorArray<Element>>;

/// The table that migration, sorting, halo, checkpoint, trajectory and Python loop over. Its order
/// is the order of the fields in the records of a checkpoint.
inline constexpr std::tuple particle_fields{
    ParticleField<Position, double, 3>{{.name = "position",
                                        .dimension = Dimension::length,
                                        .sent_to_ghosts = SentToGhosts::every_step,
                                        .in_trajectory = true},
                                       &ParticleStore::position,
                                       &ParticleRecord::position},
    ParticleField<Vec3, double, 3>{
        {.name = "velocity", .dimension = Dimension::velocity, .in_trajectory = true},
        &ParticleStore::velocity,
        &ParticleRecord::velocity},
    ParticleField<Vec3, double, 3>{
        {.name = "force", .dimension = Dimension::force, .in_trajectory = true},
        &ParticleStore::force},
    ParticleField<std::int64_t, std::int64_t, 1>{{.name = "id",
                                                  .sent_to_ghosts = SentToGhosts::at_rebuild,
                                                  .kept_by_ghosts = Kept::molecules},
                                                 &ParticleStore::id,
                                                 &ParticleRecord::id},
    ParticleField<Image, std::int32_t, 3>{
        {.name = "image", .in_trajectory = true}, &ParticleStore::image, &ParticleRecord::image},
    ParticleField<Position, std::int64_t, 1, std::int32_t>{
        {.name = "type", .sent_to_ghosts = SentToGhosts::at_rebuild},
        &ParticleStore::position,
        &ParticleRecord::position,
        offsetof(Position, type)},
    RotorField<Quaternion, 4>{{.name = "orientation",
                               .kept = Kept::rotating,
                               .sent_to_ghosts = SentToGhosts::every_step,
                               .kept_by_ghosts = Kept::rotating,
                               .in_trajectory = true},
                              &ParticleStore::orientation,
                              &ParticleRecord::orientation},
    RotorField<Vec3, 3>{{.name = "angular_momentum",
                         .dimension = Dimension::angular_momentum,
                         .kept = Kept::rotating,
                         .in_trajectory = true},
                        &ParticleStore::angular_momentum,
                        &ParticleRecord::angular_momentum},
    RotorField<Vec3, 3>{{.name = "torque", .dimension = Dimension::energy, .kept = Kept::rotating},
                        &ParticleStore::torque},
};

/// Calls visit(field) for every row of the table.
template <class Visit>
void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, particle_fields);
}

/// Calls visit(field) for the arrays that belong to particles of this kind.
template <class Visit>
void for_each_array_of_particles(const ParticleKind& kind, Visit&& visit) {
  for_each_field([&](const auto& field) {
    if (field.has_array() && field.belongs_to_particle() && is_kept(field.kept, kind)) visit(field);
  });
}

/// Calls visit(field) for each field that is sent to ghosts of this kind at these times.
template <class Visit>
void for_each_field_of_ghosts(const ParticleKind& kind, std::span<const SentToGhosts> when,
                              Visit&& visit) {
  for_each_field([&](const auto& field) {
    const bool heard = std::ranges::find(when, field.sent_to_ghosts) != when.end();
    if (heard && is_kept(field.kept_by_ghosts, kind)) visit(field);
  });
}

/// Calls visit(field) for each field that a particle of this kind has in a file.
template <class Visit>
void for_each_field_in_files(const ParticleKind& kind, Visit&& visit) {
  for_each_field([&](const auto& field) {
    if (field.belongs_to_particle() && is_kept(field.kept, kind)) visit(field);
  });
}

/// Bytes of a particle of this kind in a checkpoint.
std::size_t bytes_in_files(const ParticleKind& kind);

/// The names of the fields that a trajectory may have.
std::vector<std::string_view> trajectory_field_names();

/// The numbers of local particle `i` as files and Python show them: the position wrapped into the
/// box, with the image that belongs to it. A position that is NaN stays NaN.
template <class Field>
typename Field::Numbers shown(const Field& field, const ParticleStore& particles, const Box& box,
                              std::size_t i) {
  if constexpr (Field::is_position || Field::is_image) {
    const Vec3 position = particles.position[i].vector();
    // Shortcut, because nearly all positions are inside the box.
    const bool inside = box.tilt.none() && position.x >= 0.0 && position.y >= 0.0 &&
                        position.z >= 0.0 && position.x < box.length.x &&
                        position.y < box.length.y && position.z < box.length.z;
    int crossings[3] = {};
    const bool wraps = !inside && std::isfinite(position.x + position.y + position.z);
    const Vec3 wrapped = wraps ? box.wrap(position, crossings) : position;
    if constexpr (Field::is_position) return {wrapped.x, wrapped.y, wrapped.z};
    const Image& image = particles.image[i];
    if constexpr (Field::is_image) {
      return {image.x + crossings[0], image.y + crossings[1], image.z + crossings[2]};
    }
  } else {
    return field.get((particles.*field.array)[i]);
  }
}

}  // namespace sterna::md
