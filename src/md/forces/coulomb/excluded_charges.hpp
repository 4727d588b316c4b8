#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/forces/coulomb/excluded_work.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The Coulomb forces of pairs that molecules exclude, in their nearest images, which a solver of
/// all charges has computed with the others; summed in double precision. A solver in single
/// precision computes them from exact differences of positions, so what is left of them after the
/// subtraction is as small as the rounding of any near pair's force. Where distances are all the same,
/// as in rigid water, so is their rounding: an offset of the energy of some 1e-6 of it.
class ExcludedCharges {
 public:
  /// `places` is rebuilt by others, before this. `factor`: of all charges.
  ExcludedCharges(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
                  double factor);

  /// The charge of a local particle, internal units, times the factor.
  double charge(const ParticleStore& particles, std::size_t particle) const {
    return factor_ * places_->topology().atom_of(particles.id[particle]).charge;
  }
  /// Collective. Throws FileError on all ranks where a rank lacks the other atom of a pair. With
  /// `of_spanning`, `subtract` serves the particles of molecules that span ranks, too.
  void rebuild(const ParticleStore& particles, bool of_spanning);
  /// Subtracts from the forces within molecules that this rank computes for others, too.
  /// `with_sums`: the next `subtract` takes their part of energy and virial.
  void subtract_of_spanning(SpanningMolecules& molecules, bool with_sums);
  /// Subtracts from the forces of local particles, and this rank's share from energy and virial
  /// where these are given.
  void subtract(const ParticleStore& particles, std::span<Vec3> forces, EnergyAndVirial* sums);

 private:
  /// Pairs of some whole molecules; adds to `sums_`.
  void subtract_of_whole(std::uint32_t molecule, const MoleculeBatch& molecules, bool with_sums);
  struct Pair {
    std::uint32_t particle, other;
    double product;  ///< of the charges
  };
  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  double factor_;
  const ExcludedKernels& kernels_;
  std::vector<std::vector<ExcludedWork::Pair>> pairs_;  ///< of each kind of molecule
  AlignedBuffer<double> room_;
  EnergyAndVirial sums_;  ///< of this step so far
  /// Of molecules that are not whole: of two local particles; of one with a ghost.
  std::vector<Pair> local_, of_ghosts_;
};

}  // namespace sterna::md
