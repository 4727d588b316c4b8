#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/core/vector.hpp"
#include "md/observe/observer.hpp"
#include "md/observe/particle_keepers.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A vector of each particle, such as its velocity, in the latest samples, newest first. The past of
/// a particle is kept by the rank that its id stands for.
class ParticlePast {
 public:
  struct Item {
    std::int64_t id;
    Vec3 value;
    std::int64_t type;
  };
  /// `most` samples. `name`: of the observer. `groups`: none counts particles by their types.
  ParticlePast(const comm::Context& context, std::string name, std::size_t most,
               std::vector<AtomGroup> groups);

  /// Collective. The newest sample: item_at(0), ... item_at(count - 1) of this rank's particles.
  template <class ItemAt>
  void add(std::size_t count, const ItemAt& item_at) {
    keepers_.collect(count, item_at);
    take();
  }

  std::size_t size() const { return past_.size(); }
  /// The values of this rank's share of the particles `lag` samples back, by ascending id.
  std::span<const Vec3> back(std::size_t lag) const { return past_[lag]; }
  /// Types or groups that count the particle at this place of the share.
  std::span<const std::size_t> columns_of(std::size_t place) const {
    return std::span(columns_).subspan(first_column_[place],
                                       first_column_[place + 1] - first_column_[place]);
  }
  /// The id of the particle at this place.
  std::int64_t id_of(std::size_t place) const { return ids_[place]; }
  /// The type of the particle at this place, -1 until a sample was added.
  std::int64_t type_of(std::size_t place) const { return keepers_.items()[place].type; }

  /// The history, as an observer has it. `samples`: the number of samples before the checkpoint.
  std::vector<std::span<const std::byte>> history() const;
  void set_history(std::span<Observer::History> parts, std::int64_t samples);

  /// Bytes of one particle.
  static double bytes_per_particle(std::size_t most) {
    return static_cast<double>(most * sizeof(Vec3) + sizeof(std::int64_t));
  }

 private:
  void take();
  void find_columns();

  comm::Context context_;
  std::string name_;
  std::size_t most_;
  std::vector<AtomGroup> groups_;
  ParticleKeepers<Item> keepers_;
  std::vector<std::int64_t> ids_;  ///< of this rank's share; of all samples
  std::vector<std::vector<Vec3>> past_;
  std::vector<std::size_t> columns_, first_column_;
};

}  // namespace sterna::md
