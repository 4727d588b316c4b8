#include "md/system/particle_store.hpp"

#include "md/system/particle_fields.hpp"

namespace sterna::md {

void ParticleStore::resize_local(std::size_t count) {
  local_count_ = count;
  ghost_count_ = 0;
  for_each_field([&](const auto& field) {
    if (field.has_array() && is_kept(field.kept, kind_)) (this->*field.array).resize(count);
  });
}

void ParticleStore::reserve_local(std::size_t count) {
  for_each_field([&](const auto& field) {
    if (field.has_array() && is_kept(field.kept, kind_)) (this->*field.array).reserve(count);
  });
}

void ParticleStore::resize_ghosts(std::size_t count) {
  ghost_count_ = count;
  for_each_field([&](const auto& field) {
    if (field.has_array() && field.sent_to_ghosts != SentToGhosts::never &&
        is_kept(field.kept_by_ghosts, kind_)) {
      (this->*field.array).resize(local_count_ + count);
    }
  });
}

ParticleRecord particle(const ParticleStore& particles, std::size_t i) {
  ParticleRecord record{};
  for_each_array_of_particles(particles.kind(), [&](const auto& field) {
    record.*field.in_record = (particles.*field.array)[i];
  });
  return record;
}

void set_particle(ParticleStore& particles, std::size_t i, const ParticleRecord& record) {
  for_each_array_of_particles(particles.kind(), [&](const auto& field) {
    (particles.*field.array)[i] = record.*field.in_record;
  });
}

}  // namespace sterna::md
