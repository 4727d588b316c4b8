#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  /// What atoms of a type are in states A and B.
  struct Ends {
    double charge_of_a = 0.0, charge_of_b = 0.0;
    std::optional<std::size_t> type_of_b{};  ///< whose wells they have; nothing: none
  };
  struct Options {
    std::shared_ptr<const BodyPairs> pairs;
    /// The same without soft cores: for wells that both states have.
    std::shared_ptr<const BodyPairs> hard_pairs;
    /// Each alchemical atom has a charge of 1 here.
    std::shared_ptr<const BodyPairs> unit_charges;
    std::vector<Ends> ends;      ///< by type
    std::size_t atom_types = 0;  ///< kinds from this one on are rigid molecules
    std::size_t kinds = 0;
    /// What lies beyond the cutoff in states A and B; may be empty.
    std::function<BodiesBeyond(std::span<const double> counts, double volume)> beyond{},
        beyond_of_b{};
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
  /// the charges of both states with multipoles.
  struct Energies {
    std::vector<double> of_wells;
    double by_wells = 0.0, of_charges_of_a = 0.0, of_charges_of_b = 0.0;
  };
  Energies energies(std::span<const Atom> atoms, std::span<const double> lambdas,
                    const ParticleStore& particles) const;
  /// What lies beyond the cutoff in states A and B, for counts of all kinds.
  struct Beyond {
    BodiesBeyond of_a{}, of_b{};
    double energy(double lambda) const {
      return (1.0 - lambda) * of_a.energy + lambda * of_b.energy;
    }
    double virial(double lambda) const {
      return (1.0 - lambda) * of_a.virial + lambda * of_b.virial;
    }
  };
  Beyond beyond(std::span<const double> counts) const;
  std::size_t kinds() const { return options_.kinds; }

 private:
  template <class Visit>
  void for_each_pair(std::span<const Atom> atoms, const ParticleStore& particles,
                     Visit&& visit) const;

  bool act(std::size_t type, std::size_t kind) const;
  /// Wells of an atom of this type with a molecule, between states A and B.
  BodyPairSums wells(std::size_t type, std::size_t kind, const Vec3& d, std::span<const Vec3> sites,
                     double lambda) const;
  /// Charges likewise, for an atom of charge 1.
  BodyPairSums charges(std::size_t type, std::size_t kind, const Vec3& d,
                       std::span<const Vec3> sites) const;

  const Box& box_;
  Options options_;
  /// Of each type of atom, which does not turn; likewise for those with a charge of 1.
  std::vector<std::vector<Vec3>> sites_of_types_, sites_of_units_;
  std::vector<std::uint32_t> rigid_;  ///< places of rigid molecules in the store
};

}  // namespace sterna::md
