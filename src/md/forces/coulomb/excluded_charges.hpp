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

/// The Coulomb forces of pairs that molecules exclude, in their nearest images. A solver computes
/// them with all others, and they are subtracted here in double precision. A solver in single
/// precision computes them from exact differences of positions, so after the subtraction an error
/// remains that is as small as the rounding of any near pair's force. If distances are constant, as
/// in rigid water, the rounding is constant, too: an offset of the energy by about 1e-6 of it.
class ExcludedCharges {
 public:
  /// `places` must be rebuilt before this object. `factor`: multiplies all charges.
  ExcludedCharges(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
                  double factor);

  /// The charge of a local particle in internal units, times the factor.
  double charge(const ParticleStore& particles, std::size_t particle) const {
    return factor_ * places_->topology().atom_of(particles.id[particle]).charge;
  }
  /// Collective. Throws FileError on all ranks if a rank lacks the other atom of a pair.
  /// `of_spanning`: whether `subtract` also treats the particles of molecules that span ranks.
  void rebuild(const ParticleStore& particles, bool of_spanning);
  /// Subtracts from the forces within molecules that this rank computes for others, too.
  /// `with_sums`: whether the next `subtract` adds their part of energy and virial.
  void subtract_of_spanning(SpanningMolecules& molecules, bool with_sums);
  /// Subtracts from the forces of local particles, and, if `sums` is given, this rank's share from
  /// energy and virial.
  void subtract(const ParticleStore& particles, std::span<Vec3> forces, EnergyAndVirial* sums);

 private:
  void list_pairs();
  /// Subtracts pairs of a batch of whole molecules; adds to `sums_`.
  void subtract_of_whole(std::uint32_t molecule, const MoleculeBatch& molecules, bool with_sums);
  struct Pair {
    std::uint32_t particle, other;
    double product;  ///< product of the charges
  };
  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  double factor_;
  const ExcludedKernels& kernels_;
  std::vector<std::vector<ExcludedWork::Pair>> pairs_;  ///< by kind of molecule
  std::int64_t charge_changes_ = 0;                     ///< of the topology when they were listed
  AlignedBuffer<double> room_;
  EnergyAndVirial sums_;  ///< of this step so far
  /// Pairs of molecules that are not whole: of two local particles, and of a local particle and a
  /// ghost.
  std::vector<Pair> local_, of_ghosts_;
};

}  // namespace sterna::md
