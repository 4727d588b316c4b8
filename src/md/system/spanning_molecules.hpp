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

/// Molecules with atoms on several ranks, or on one rank that cannot follow them from their first
/// atom. One rank computes all terms within such a molecule, because forces on ghosts return to
/// their owners. See spanning_molecules.cpp.
class SpanningMolecules {
 public:
  /// Leaves no such molecules, so that each rank computes the terms of its own atoms.
  void clear();
  /// Collective. Assigns each molecule that is not `MoleculePlaces::whole` to a rank, for all kinds
  /// whose every molecule is seen completely by some rank. `half_shell` says of each ghost of the
  /// store whether it is in this rank's half shell. `without_return` says of each type whether
  /// forces on its ghosts do not return; if it is empty, all return.
  void find(const comm::Context& context, const MoleculePlaces& places,
            const ParticleStore& particles, std::span<const char> half_shell,
            std::span<const char> without_return);
  /// Frees the table for `has`, which is not called until the next `find`.
  void forget() { kind_of_ = std::vector<std::uint32_t>(); }

  /// Whether a local particle is in such a molecule, on whichever rank it is computed.
  bool has(std::uint32_t particle) const {
    return particle < kind_of_.size() && kind_of_[particle] != none;
  }

  /// Copies the present positions of the molecules that this rank computes, and sets forces to 0.
  void take_positions(const ParticleStore& particles);
  /// The molecules of one kind. `room` is made large enough for the work space of kernels.
  MoleculeBatch of_kind(std::uint32_t molecule, AlignedBuffer<double>& room);
  /// Adds the molecules' forces to those of local particles and ghosts.
  void add_forces(const CollectedForces& collected) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Kind {
    std::vector<std::uint32_t> places;  ///< place of atom k of molecule m is number m * atoms + k
    std::size_t atoms = 0;              ///< per molecule
    std::size_t begin = 0;              ///< of the kind's atoms in the arrays below
  };
  class Finder;

  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  ///< for each local particle
  /// For each atom the target of its force in the store, and its number within its kind.
  std::vector<std::uint32_t> targets_, numbers_;
  AlignedBuffer<Position> position_;
  AlignedBuffer<Vec3> force_;
};

}  // namespace sterna::md
