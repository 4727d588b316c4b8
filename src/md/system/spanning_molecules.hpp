#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/ghost_forces.hpp"
#include "md/system/molecule_batch.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

class MoleculePlaces;

/// Molecules whose atoms are on several ranks, or on one that does not see them as a whole from their
/// first atom. One rank computes all that acts within a molecule, as forces on ghosts return. See
/// spanning_molecules.cpp.
class SpanningMolecules {
 public:
  /// There are none: each rank computes what its own atoms need.
  void clear();
  /// Collective. Shares out all molecules that are not `MoleculePlaces::whole`, of those kinds of
  /// which some rank sees each. `half_shell`: of each ghost of the store, whether it is in the half
  /// shell of this rank. `without_return`: by type, of which ghosts no forces return; empty: there is
  /// none.
  void find(const comm::Context& context, const MoleculePlaces& places,
            const ParticleStore& particles, std::span<const char> half_shell,
            std::span<const char> without_return);
  /// Nobody asks for `has` until the next `find`.
  void forget() { kind_of_ = std::vector<std::uint32_t>(); }

  /// Whether a local particle is in such a molecule, whichever rank computes that.
  bool has(std::uint32_t particle) const {
    return particle < kind_of_.size() && kind_of_[particle] != none;
  }

  /// The molecules that this rank computes have the positions of now, and no forces.
  void take_positions(const ParticleStore& particles);
  /// Those of one kind, side by side. `room` is made large enough for them.
  MoleculeBatch of_kind(std::uint32_t molecule, AlignedBuffer<double>& room);
  /// Adds the forces to those of the particles, local ones and ghosts.
  void add_forces(const CollectedForces& collected) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Kind {
    std::vector<std::uint32_t> places;  ///< of atom k of molecule m, number m * atoms + k
    std::size_t atoms = 0;              ///< of each
    std::size_t begin = 0;              ///< of its atoms in the arrays below
  };
  class Finder;

  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  ///< of each local particle
  /// Of all atoms: where their forces go, and their numbers in their kind.
  std::vector<std::uint32_t> targets_, numbers_;
  AlignedBuffer<Position> position_;
  AlignedBuffer<Vec3> force_;
};

}  // namespace sterna::md
