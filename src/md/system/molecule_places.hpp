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

/// Finds the atoms of molecules by id among the local particles and ghosts of a rank. Several
/// ghosts may be images of one atom.
class MoleculePlaces {
 public:
  /// `topology` and `box` must outlive this object.
  MoleculePlaces(const Topology& topology, const Box& box) : topology_(&topology), box_(&box) {}

  /// Particles and ghosts, which must have ids, keep their places until the next call. The store
  /// must stay alive.
  void rebuild(const ParticleStore& particles);
  /// Frees the tables for looking up atoms, once all terms have found their places.
  /// `local_of_ghosts`, `whole` and the spanning molecules stay valid; the next `rebuild` restores
  /// the rest.
  void forget();

  const Topology& topology() const { return *topology_; }
  /// The places of the atoms that a local particle is excluded from, in the order of
  /// `Topology::exclusions_of`. A place is that of the nearest image, or `none` if the store lacks
  /// it.
  std::span<const std::uint32_t> excluded_of(std::uint32_t particle) const {
    const std::uint32_t begin = excluded_begin_[particle];
    return {excluded_.data() + begin, excluded_begin_[particle + 1] - begin};
  }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The place of a local particle; nothing if this rank has only ghosts of it, or no copy at all.
  std::optional<std::uint32_t> local(std::int64_t id) const;
  /// Places of the atoms of whole molecules of one kind, molecule by molecule. In a whole molecule
  /// all atoms are local, and so close that any two are nearest images of each other. A place may
  /// be that of an image. The list is empty if there are only a few whole molecules.
  std::span<const std::uint32_t> whole(std::uint32_t molecule) const { return whole_[molecule]; }
  /// The whole molecules for kernels, with the present positions. Kernels add to `forces` of local
  /// particles. `room` is made large enough for their work space.
  MoleculeBatch whole_batch(std::uint32_t molecule, Vec3* forces,
                            AlignedBuffer<double>& room) const;
  /// Whether a local particle belongs to a whole molecule.
  bool in_whole(std::uint32_t particle) const { return whole_begin_[particle] != none; }
  /// The molecules that span ranks. They are found, or cleared, after each `rebuild`.
  SpanningMolecules& spanning() { return spanning_; }
  const SpanningMolecules& spanning() const { return spanning_; }
  /// For each ghost the local particle that it is an image of, or `none`.
  std::span<const std::uint32_t> local_of_ghosts() const { return local_of_ghost_; }
  /// The place of the image of an atom that is nearest to a point, or nothing if the store lacks
  /// it.
  std::optional<std::uint32_t> nearest(std::int64_t id, const Vec3& point) const;
  /// Whether the image at this distance vector from a particle is certainly its nearest image.
  bool is_nearest(const Vec3& connection) const;
  /// Whether two atoms are surely nearest images of each other if both are this close to a third.
  bool is_near(const Vec3& connection) const {
    return dot(connection, connection) <= 0.25 * unique_squared_;
  }
  /// An error text: atom `other`, bonded to or excluded from local atom `id`, is missing.
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
  /// The store's arrays may be reallocated while places stay, because the pair list resizes them.
  const ParticleStore* particles_ = nullptr;
  double unique_squared_ = 0.0;  ///< at a shorter distance no other image is as near
  std::size_t local_count_ = 0, mask_ = 0;
  /// A hash table by id: the first place of each bucket, and for each place the next one in its
  /// bucket. The atoms of a molecule have consecutive ids, and so consecutive buckets.
  std::vector<std::uint32_t> first_, next_;
  std::vector<std::uint32_t> local_of_ghost_;
  std::vector<std::uint32_t> excluded_begin_, excluded_;
  std::vector<std::vector<std::uint32_t>> whole_;  ///< of each kind of molecule
  /// For each local particle the begin of its molecule in `whole_`, or `none`.
  std::vector<std::uint32_t> whole_begin_;
  SpanningMolecules spanning_;
};

}  // namespace sterna::md
