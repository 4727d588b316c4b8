#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/molecule_batch.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/spanning_molecules.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Where the atoms of molecules are in the store of a rank: by id, among local particles and
/// ghosts, which may hold several images of one atom.
class MoleculePlaces {
 public:
  /// Both live as long as it is in use.
  MoleculePlaces(const Topology& topology, const Box& box) : topology_(&topology), box_(&box) {}

  /// Particles and ghosts, which have ids, keep these places until the next call. The store stays
  /// in use.
  void rebuild(const ParticleStore& particles);
  /// Nobody looks for atoms until the next `rebuild`, as those who want to know places have asked:
  /// only `local_of_ghosts`, `whole` and the molecules that span ranks stay.
  void forget();

  const Topology& topology() const { return *topology_; }
  /// The places of the atoms that a local particle is excluded from, in the order of
  /// `Topology::exclusions_of`: of the image that is nearest to it, or `none` where the store lacks
  /// that image.
  std::span<const std::uint32_t> excluded_of(std::uint32_t particle) const {
    const std::uint32_t begin = excluded_begin_[particle];
    return {excluded_.data() + begin, excluded_begin_[particle + 1] - begin};
  }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The place of a local particle; nothing where this rank has only ghosts of it, or none.
  std::optional<std::uint32_t> local(std::int64_t id) const;
  /// Places of the atoms of whole molecules of one kind, molecule by molecule: molecules all of
  /// whose atoms are local, so near to each other that any two are in their nearest images. A place
  /// may be that of an image. A kind of which there are only a few has none.
  std::span<const std::uint32_t> whole(std::uint32_t molecule) const { return whole_[molecule]; }
  /// The same for kernels, with the present positions; they add to `forces` of local particles.
  /// `room` is made large enough for them.
  MoleculeBatch whole_batch(std::uint32_t molecule, Vec3* forces,
                            AlignedBuffer<double>& room) const;
  /// Whether a local particle is in one of them.
  bool in_whole(std::uint32_t particle) const { return whole_begin_[particle] != none; }
  /// Found after each `rebuild`, or cleared.
  SpanningMolecules& spanning() { return spanning_; }
  const SpanningMolecules& spanning() const { return spanning_; }
  /// Of each ghost: the local particle that it is an image of, or `none`.
  std::span<const std::uint32_t> local_of_ghosts() const { return local_of_ghost_; }
  /// The place of that image of an atom that is nearest to a point; nothing where the store lacks
  /// that image.
  std::optional<std::uint32_t> nearest(std::int64_t id, const Vec3& point) const;
  /// Whether the image at this connection from a particle is the nearest of all.
  bool is_nearest(const Vec3& connection) const;
  /// Whether two atoms, both at most so far from a third one, are in their nearest images.
  bool is_near(const Vec3& connection) const {
    return dot(connection, connection) <= 0.25 * unique_squared_;
  }
  /// For people: what `other`, bonded to or excluded from the local `id`, lacks.
  std::string missing(std::int64_t id, std::int64_t other, int rank) const;

 private:
  /// Calls visit(place) for the images of an atom, a local particle first, until it returns true.
  template <class Visit>
  void for_each_image(std::int64_t id, Visit&& visit) const {
    if (first_.empty()) return;
    for (std::uint32_t place = first_[static_cast<std::size_t>(id) & mask_]; place != none;
         place = next_[place]) {
      if (particles_->id[place] == id && visit(place)) return;
    }
  }

  void find_whole();
  void find_excluded();

  const Topology* topology_;
  const Box* box_;
  /// Its arrays may move while places stay: the pair list wants room behind the positions.
  const ParticleStore* particles_ = nullptr;
  double unique_squared_ = 0.0;  ///< no other image of what is nearer is as near
  std::size_t local_count_ = 0, mask_ = 0;
  /// Of each bucket of ids the first place, of each place the next one in its bucket. Ids of a
  /// molecule follow each other, and so do their buckets.
  std::vector<std::uint32_t> first_, next_;
  std::vector<std::uint32_t> local_of_ghost_;
  std::vector<std::uint32_t> excluded_begin_, excluded_;
  std::vector<std::vector<std::uint32_t>> whole_;  ///< of each kind of molecule
  /// Of each local particle: where its molecule begins there, or `none`.
  std::vector<std::uint32_t> whole_begin_;
  SpanningMolecules spanning_;
};

}  // namespace sterna::md
