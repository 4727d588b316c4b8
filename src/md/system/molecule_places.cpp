#include "md/system/molecule_places.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace sterna::md {
namespace {

/// Fewer molecules would not fill the lanes of a vector, of which there are up to 16.
constexpr std::size_t fewest_whole = 16;

}  // namespace

void MoleculePlaces::rebuild(const ParticleStore& particles) {
  const std::size_t count = particles.total_count();
  local_count_ = particles.local_count();
  particles_ = &particles;
  const double half = 0.5 * box_->least_height();
  unique_squared_ = half * half;
  mask_ = std::bit_ceil(count + 1) - 1;
  first_.assign(mask_ + 1, none);
  next_.resize(count);
  // Particles are inserted in descending order, so that local ones come first in their buckets.
  for (std::size_t i = count; i-- > 0;) {
    std::uint32_t& first = first_[static_cast<std::size_t>(particles.id[i]) & mask_];
    next_[i] = std::exchange(first, static_cast<std::uint32_t>(i));
  }
  local_of_ghost_.resize(count - local_count_);
  for (std::size_t i = local_count_; i < count; ++i) {
    local_of_ghost_[i - local_count_] = local(particles.id[i]).value_or(none);
  }
  find_whole();
  find_excluded();
}

void MoleculePlaces::find_whole() {
  whole_.resize(topology_->molecules().size());
  for (auto& places : whole_) places.clear();
  whole_begin_.assign(local_count_, none);
  const auto local_of = [&](std::uint32_t place) {
    return place < local_count_ ? place : local_of_ghost_[place - local_count_];
  };
  for (std::uint32_t i = 0; i < local_count_; ++i) {
    const Topology::Place place = topology_->place_of(particles_->id[i]);
    if (place.atom != 0) continue;
    std::vector<std::uint32_t>& places = whole_[place.molecule];
    const std::size_t before = places.size();
    const std::size_t atoms = topology_->molecules()[place.molecule].atoms.size();
    const Vec3 start = particles_->position[i].vector();
    places.push_back(i);
    while (places.size() < before + atoms) {
      const auto next = static_cast<std::int64_t>(places.size() - before);
      const auto found =
          nearest(place.first_id + next, particles_->position[places.back()].vector());
      if (!found || local_of(*found) == none) break;
      if (!is_near(particles_->position[*found].vector() - start)) break;
      places.push_back(*found);
    }
    if (places.size() < before + atoms) places.resize(before);
  }
  for (std::size_t kind = 0; kind < whole_.size(); ++kind) {
    std::vector<std::uint32_t>& places = whole_[kind];
    if (places.size() < fewest_whole * topology_->molecules()[kind].atoms.size()) places.clear();
    const auto atoms = static_cast<std::uint32_t>(topology_->molecules()[kind].atoms.size());
    for (std::uint32_t k = 0; k < places.size(); ++k) {
      whole_begin_[local_of(places[k])] = k - k % atoms;
    }
  }
}

void MoleculePlaces::find_excluded() {
  excluded_begin_.resize(local_count_ + 1);
  excluded_.clear();
  std::size_t exclusions = 0;
  for (std::uint32_t i = 0; i < local_count_; ++i) {
    exclusions += topology_->exclusions_of(topology_->place_of(particles_->id[i])).size();
  }
  excluded_.reserve(exclusions);
  for (std::uint32_t i = 0; i < local_count_; ++i) {
    excluded_begin_[i] = static_cast<std::uint32_t>(excluded_.size());
    const Topology::Place place = topology_->place_of(particles_->id[i]);
    const std::span<const std::uint32_t> atoms = topology_->exclusions_of(place);
    if (in_whole(i)) {
      const std::uint32_t* const places = whole_[place.molecule].data() + whole_begin_[i];
      // If the molecule has this atom as an image, the other places are near the image, not near
      // `i`.
      if (places[place.atom] == i) {
        for (const std::uint32_t atom : atoms) excluded_.push_back(places[atom]);
        continue;
      }
    }
    for (const std::uint32_t atom : atoms) {
      excluded_.push_back(
          nearest(place.first_id + atom, particles_->position[i].vector()).value_or(none));
    }
  }
  excluded_begin_[local_count_] = static_cast<std::uint32_t>(excluded_.size());
}

MoleculeBatch MoleculePlaces::whole_batch(std::uint32_t molecule, Vec3* forces,
                                          AlignedBuffer<double>& room) const {
  const std::size_t atoms = topology_->molecules()[molecule].atoms.size();
  const std::vector<std::uint32_t>& places = whole_[molecule];
  room.resize(atoms * MoleculeBatch::room_per_atom);
  return {places.size() / atoms,  atoms,        places.data(), particles_->position.data(),
          local_of_ghost_.data(), local_count_, forces,        room.data()};
}

void MoleculePlaces::forget() {
  for (auto* array : {&first_, &next_, &whole_begin_, &excluded_begin_, &excluded_}) {
    *array = std::vector<std::uint32_t>();
  }
  spanning_.forget();
}

std::optional<std::uint32_t> MoleculePlaces::local(std::int64_t id) const {
  std::optional<std::uint32_t> found;
  for_each_image(id, [&](std::uint32_t place) {
    if (place < local_count_) found = place;
    return true;
  });
  return found;
}

bool MoleculePlaces::is_nearest(const Vec3& connection) const {
  const double squared = dot(connection, connection);
  if (squared < unique_squared_) return true;
  const Vec3 shortest = box_->nearest_image(connection);
  return squared <= (1.0 + 1e-9) * dot(shortest, shortest);
}

std::optional<std::uint32_t> MoleculePlaces::nearest(std::int64_t id, const Vec3& point) const {
  std::uint32_t best = none;
  double least = 0.0;
  for_each_image(id, [&](std::uint32_t place) {
    const Vec3 connection = particles_->position[place].vector() - point;
    const double squared = dot(connection, connection);
    if (best == none || squared < least) best = place, least = squared;
    return squared < unique_squared_;
  });
  if (best == none || !is_nearest(particles_->position[best].vector() - point)) return std::nullopt;
  return best;
}

std::string MoleculePlaces::missing(std::int64_t id, std::int64_t other, int rank) const {
  return fmt::format(
      "rank {} has {} but not {}, which is bonded to it or excluded from its pairs: it is farther "
      "away than the halo reaches. Where the start is right, a larger \"skin\" in [neighbor] makes "
      "the halo wider; where it is not, or the run is unstable, a minimization or a shorter time "
      "step helps",
      rank, topology_->description(id), topology_->description(other));
}

}  // namespace sterna::md
