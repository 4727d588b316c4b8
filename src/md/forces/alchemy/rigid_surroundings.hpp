#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/energy_and_virial.hpp"
#include "md/forces/body_pairs.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Pairs of alchemical atoms with rigid molecules, which are not alchemical.
class RigidSurroundings {
 public:
  struct Options {
    std::shared_ptr<const BodyPairs> pairs;
    std::size_t atom_types = 0;  ///< kinds from this one on are rigid molecules
    std::size_t kinds = 0;
    std::function<BodiesBeyond(std::span<const double> counts, double volume)>
        beyond{};  ///< or empty
  };
  struct Atom {
    Vec3 position;
    std::size_t type;
  };
  /// The box outlives this object.
  RigidSurroundings(const Box& box, Options options);

  /// Takes the rigid molecules among the particles of this rank.
  void rebuild(const ParticleStore& particles);
  /// This rank's part of the energy in the present state.
  struct Parts {
    double of_wells = 0.0, of_charges = 0.0;
  };
  /// Calls act(index of an atom, force on it) for each pair, and adds the opposite forces and the
  /// torques to particles of this rank, and the virial to the sums.
  Parts add_forces(std::span<const Atom> atoms, double lambda_of_wells, double lambda_of_charges,
                   ParticleStore& particles,
                   const std::function<void(std::size_t, const Vec3&)>& act,
                   EnergyAndVirial& sums) const;
  /// This rank's part of energies: of wells at some lambdas, the derivative at the first one, and of
  /// whole charges with multipoles.
  struct Energies {
    std::vector<double> of_wells;
    double by_wells = 0.0, of_charges = 0.0;
  };
  Energies energies(std::span<const Atom> atoms, std::span<const double> lambdas,
                    const ParticleStore& particles) const;
  /// What lies beyond the cutoff, for counts of all kinds.
  BodiesBeyond beyond(std::span<const double> counts) const {
    return options_.beyond ? options_.beyond(counts, box_.volume()) : BodiesBeyond{};
  }
  std::size_t kinds() const { return options_.kinds; }

 private:
  template <class Visit>
  void for_each_pair(std::span<const Atom> atoms, const ParticleStore& particles,
                     Visit&& visit) const;

  const Box& box_;
  Options options_;
  std::vector<std::vector<Vec3>> sites_of_types_;  ///< of each type of atom, which does not turn
  std::vector<std::uint32_t> rigid_;               ///< places of rigid molecules in the store
};

}  // namespace sterna::md
