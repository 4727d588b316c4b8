#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/forces/alchemy/alchemical_atoms.hpp"
#include "md/forces/alchemy/alchemical_pairs.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The energy of the charges of alchemical atoms, with all others and with each other. With charges q_A
/// and q_B of both states it is a square in lambda, so that three numbers say it for all states.
class AlchemicalCharges {
 public:
  using Value = AlchemicalPairs::Value;
  using Curve = AlchemicalPairs::Curve;
  /// Charges that end at a cutoff: the interaction of two charges of 1, and the part of it that two
  /// charges lack that exclude each other. Each charge has the energy -q^2 shift / 2 with itself.
  struct Cutoff {
    double cutoff = 0.0, shift = 0.0;
    Curve value{}, within_molecule{};
  };
  /// Charges at any distance, by a solver.
  struct Solved {
    /// Collective. The potentials at these local particles, given by ascending places in the store,
    /// of all charges but theirs.
    std::function<std::vector<double>(const ParticleStore&, std::span<const std::uint32_t>)>
        potentials_of_others{};
    /// This rank's share of charges with each other and with the images of all. Two of one molecule
    /// have no energy in their nearest image.
    struct WithImages {
      EnergyAndVirial sums;
      std::vector<Vec3> forces;  ///< on each charge
    };
    std::function<WithImages(std::span<const Vec3> positions, std::span<const double> charges,
                             std::span<const std::int32_t> molecules)>
        with_images{};
  };
  struct Options {
    /// At most one of both.
    std::optional<Cutoff> cutoff{};
    std::optional<Solved> solved{};
    /// Whether the energy of charges is linear in lambda, in place of the charges.
    bool interpolates_energies = false;
    double charge_factor = 1.0;  ///< multiplies the charges of the topology
  };
  /// Atoms and topology, which has all charges, outlive this object.
  /// `keeps_molecules`: whether charges within a molecule are kept.
  AlchemicalCharges(const AlchemicalAtoms& atoms, const Topology& topology, bool keeps_molecules,
                    Options options);

  bool interpolates_energies() const { return options_.interpolates_energies; }
  /// Forgets the charges around alchemical atoms, and takes a local particle as one of them.
  void forget_others() { others_.clear(); }
  void take_other(const ParticleStore& particles, std::uint32_t i);

  /// This rank's part of the energy of charges that change: in states A and B, and with the
  /// difference of both charges alone, without others.
  struct Energies {
    double at_a = 0.0, at_b = 0.0, of_change = 0.0;
  };
  /// Collective.
  Energies energies(const ParticleStore& particles) const;
  /// Adds this rank's share of a factor times the energy of the difference of charges, alone. Calls
  /// push(atom, force on it).
  void add_own(double factor, const std::function<void(std::size_t, const Vec3&)>& push,
               EnergyAndVirial& sums) const;
  /// The interaction of two charges of 1 that a molecule keeps, whose charges are scaled; nothing
  /// beyond the cutoff.
  std::optional<Value> kept(double r_squared) const;

 private:
  Solved::WithImages with_images(std::span<const double> charges) const;
  /// This rank's share of the energy of charges of alchemical atoms with each other.
  double energy_of_own(std::span<const double> charges) const;
  /// The charges that change, of all atoms: in states A and B, and their difference.
  std::vector<double> charges_of(bool b) const;
  std::vector<double> changes() const;

  const AlchemicalAtoms& atoms_;
  const Topology& topology_;
  bool keeps_molecules_;
  Options options_;
  std::vector<std::uint32_t> others_;  ///< places of charges that are not alchemical; of cutoffs
};

}  // namespace sterna::md
