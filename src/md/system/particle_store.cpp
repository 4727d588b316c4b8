#include "md/system/particle_store.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "md/system/particle_fields.hpp"

namespace sterna::md {

void ParticleStore::set_turning_types(std::vector<char> turns) {
  if (total_count() > 0) throw std::logic_error("particles cannot begin or cease to rotate");
  const auto some = std::ranges::count(turns, 0);
  kind_.rotating = static_cast<std::size_t>(some) < turns.size();
  places_ = kind_.rotating && some > 0 ? std::make_unique<RotorPlaces>(std::move(turns)) : nullptr;
  local_rotors_ = 0;
  orientation.set_places(places_.get());
  angular_momentum.set_places(places_.get());
  torque.set_places(places_.get());
}

void ParticleStore::resize_local(std::size_t count) {
  if (places_) {
    places_->cut(std::min(count, local_count_));
    local_rotors_ = places_->count();
    resize_rotor_arrays();
  }
  local_count_ = count;
  ghost_count_ = 0;
  for_each_field([&](const auto& field) {
    if (field.has_array() && is_kept(field.kept, kind_of_all())) (this->*field.array).resize(count);
  });
}

void ParticleStore::reserve_local(std::size_t count) {
  for_each_field([&](const auto& field) {
    if (field.has_array() && is_kept(field.kept, kind_of_all()))
      (this->*field.array).reserve(count);
  });
}

void ParticleStore::resize_ghosts(std::size_t count) {
  if (places_) {
    place_rotors(local_count_);
    places_->cut(local_count_ + count);
    resize_rotor_arrays();
  }
  ghost_count_ = count;
  for_each_field([&](const auto& field) {
    if (field.has_array() && field.sent_to_ghosts != SentToGhosts::never &&
        is_kept(field.kept_by_ghosts, kind_of_all())) {
      (this->*field.array).resize(local_count_ + count);
    }
  });
}

void ParticleStore::resize_rotor_arrays() {
  const auto resize = [](auto& array, std::size_t size) {
    const std::size_t before = array.size();
    array.resize(size);
    using Item = std::decay_t<decltype(*array.data())>;
    for (std::size_t k = before; k < size; ++k) array.data()[k] = Item{};
  };
  resize(orientation, places_->count());
  resize(angular_momentum, local_rotors_);
  resize(torque, local_rotors_);
}

void ParticleStore::place_rotors(std::size_t end) {
  for (std::size_t i = places_->known(); i < end; ++i) {
    places_->add(position[i].type);
    if (i < local_count_) local_rotors_ = places_->count();
  }
  resize_rotor_arrays();
}

void ParticleStore::place_rotors() {
  if (places_) place_rotors(total_count());
}

void ParticleStore::reorder_rotors(std::span<const std::uint32_t> former, std::size_t count) {
  std::vector<Quaternion> turned;
  std::vector<Vec3> momenta;
  for (const std::uint32_t number : former) {
    turned.push_back(orientation.data()[number]);
    momenta.push_back(angular_momentum.data()[number]);
  }
  places_->cut(0);
  for (std::size_t i = 0; i < count; ++i) places_->add(position[i].type);
  local_rotors_ = places_->count();
  resize_rotor_arrays();
  std::ranges::copy(turned, orientation.begin());
  std::ranges::copy(momenta, angular_momentum.begin());
}

void ParticleStore::reorder_ghost_rotors(std::span<const Quaternion> turned) {
  places_->cut(local_count_);
  resize_rotor_arrays();
  place_rotors(total_count());
  std::ranges::copy(turned, orientation.begin() + local_rotors_);
}

std::size_t ParticleStore::bytes() const {
  std::size_t bytes = places_ ? places_->bytes() : 0;
  for_each_field([&](const auto& field) {
    if (!field.has_array()) return;
    const auto& array = this->*field.array;
    bytes += array.size() * sizeof(*array.data());
  });
  return bytes;
}

ParticleRecord particle(const ParticleStore& particles, std::size_t i) {
  ParticleRecord record{};
  for_each_array_of_particles(particles.kind(), [&](const auto& field) {
    record.*field.in_record = (particles.*field.array)[i];
  });
  return record;
}

void set_particle(ParticleStore& particles, std::size_t i, const ParticleRecord& record) {
  for_each_array_of_particles(particles.kind_of_all(), [&](const auto& field) {
    (particles.*field.array)[i] = record.*field.in_record;
  });
  if (!particles.places_) return;
  if (i > particles.places_->known()) throw std::logic_error("particles must come in their order");
  if (i == particles.places_->known()) particles.place_rotors(i + 1);
  if (particles.turns(i) != particles.places_->turns(record.position.type)) {
    throw std::logic_error("a particle cannot begin or cease to rotate");
  }
  particles.orientation[i] = record.orientation;
  particles.angular_momentum[i] = record.angular_momentum;
}

}  // namespace sterna::md
