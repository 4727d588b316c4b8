#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/forces/alchemy/alchemical_term.hpp"
#include "md/forces/alchemy/changed_pairs.hpp"
#include "md/forces/alchemy/rigid_surroundings.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/soft_core.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Molecules whose van der Waals interactions and charges are switched off, state by state. The rows
/// of the neighbor list have no van der Waals pairs of their atoms: this term has all pairs of which
/// at least one atom is alchemical. Their charges, times 1 - lambda, are in the solver of charges or
/// in the rows like others. With q the whole charges of alchemical atoms the energy of charges is
///
/// U(lambda) = U_RR + (1 - lambda) U_RA + (1 - lambda)^2 U_AA,
///
/// where U_AA lacks the charges within one molecule, if these are kept. What the scaled charges lack
/// of them is added here. If energies are interpolated, (1 - lambda) U_AA is in place of the last
/// part: the difference, lambda (1 - lambda) U_AA, is added here, too.
///
/// Where molecules mutate, state B is not nothing: atoms have other types and charges there, and
/// U(lambda) is between both. Bonded terms and special pairs that change are all in this term.
///
/// All ranks know the positions of all alchemical atoms by a reduction. Each rank computes their
/// pairs with its own particles, and a second reduction adds the forces on alchemical atoms.
class AlchemyForces final : public AlchemicalTerm {
 public:
  /// u and -u'/r.
  struct Value {
    double energy, force_over_r;
  };
  using Curve = std::function<Value(double r)>;
  /// The potential of two types, as the rows of the neighbor list would have it.
  struct Pair {
    Curve curve{};        ///< empty: none
    double cutoff = 0.0;  ///< length
    double size = 0.0;    ///< length; the outermost zero of the potential
    /// The integrals of r^2 u and of r^2 (r f) that the truncation removes, and the part of the
    /// first that lies below the switching distance, where a particle is no neighbor of itself.
    double tail_energy = 0.0, tail_virial = 0.0, near_tail = 0.0;
    double sigma6 = 0.0;  ///< sixth power of the size in the soft core; the term computes it
  };
  /// Charges that end at a cutoff: the interaction of two charges of 1, and the part of it that two
  /// charges lack that exclude each other. Each charge has the energy -q^2 shift / 2 with itself.
  struct CutoffCharges {
    double cutoff = 0.0, shift = 0.0;
    Curve value{}, within_molecule{};
  };
  /// Charges at any distance, by a solver.
  struct SolvedCharges {
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
  /// Two excluded atoms of a molecule with a share of the charges that end at a cutoff.
  struct SharedPair {
    std::int32_t atoms[2];
    double charge_share;
  };

  struct Options {
    std::vector<char> is_alchemical;  ///< by kind of molecule of the topology
    /// Charges of state B by kind of molecule and atom, as the topology has those of state A.
    std::vector<std::vector<double>> charges_of_b;
    States states;
    SoftCore soft_core{};
    /// Whether van der Waals interactions and charges within a molecule are kept: molecules are
    /// decoupled, not annihilated.
    bool keeps_molecules = true;
    std::vector<Pair> pairs;         ///< of all pairs of types, row by row
    std::vector<Pair> pairs_of_b{};  ///< likewise in state B; empty: there are none
    /// Energy and virial of the bonded terms of a kind of molecule that change, at a lambda and these
    /// positions of a whole molecule. Adds the forces on its atoms. Empty: there are none.
    std::function<EnergyAndVirial(std::size_t molecule, double lambda,
                                  std::span<const Vec3> positions, std::span<Vec3> forces)>
        changed_terms{};
    std::vector<std::vector<ChangedPair>> changed_pairs{};  ///< by kind of molecule; may be empty
    /// Rigid molecules around alchemical atoms; their kinds follow the types.
    std::optional<RigidSurroundings::Options> rigid{};
    bool tail_correction = false;
    /// At most one of both.
    std::optional<CutoffCharges> cutoff_charges{};
    std::optional<SolvedCharges> solved_charges{};
    /// Whether the energy of charges is linear in lambda, in place of the charges.
    bool interpolates_energies = false;
    double charge_factor = 1.0;                         ///< multiplies the charges of the topology
    std::vector<std::vector<SharedPair>> shared_pairs;  ///< by kind of molecule
  };
  /// `whole`: the topology with all charges. The box outlives this object.
  AlchemyForces(const comm::Context& context, const Box& box, Topology whole, Options options);

  void rebuild(const ParticleStore& particles) override;
  void start(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<Part> parts() const override { return parts_; }
  Settings settings() const override;

  void set_charges(Topology& topology) const override;

  AlchemicalEnergies energies(const ParticleStore& particles,
                              std::span<const AlchemicalState> states) const override;

 private:
  struct Atom {
    std::int64_t id, type;
    double charge;         ///< in state A, times the factor
    double charge_of_b;    ///< likewise in state B
    std::size_t molecule;  ///< index in `molecules_`
  };
  struct Molecule {
    std::size_t first, count;  ///< atoms
    std::uint32_t kind;
    double radius = 0.0;  ///< largest distance of an atom from the first one
  };
  /// Two atoms of a molecule. The pair has its van der Waals potential unless it is excluded.
  struct Inner {
    std::uint32_t first, second;
    bool is_excluded;
    double charge_share;  ///< of the interaction of its charges
  };
  /// This rank's part of the energies in some states.
  struct Sums {
    std::vector<double> lambdas;        ///< distinct ones of van der Waals interactions
    std::vector<double> van_der_waals;  ///< by these lambdas
    double by_van_der_waals = 0.0;
    /// The energy of charges that change: in states A and B, and with the difference of both charges
    /// alone, without others.
    double at_a = 0.0, at_b = 0.0, of_change = 0.0;
    std::vector<double> bonded_lambdas;  ///< distinct ones
    std::vector<double> bonded;          ///< by these
    double by_bonded = 0.0;
    double by_pairs_of_charges = 0.0;  ///< of changed pairs, which are linear in lambda
  };

  const Pair& pair_of(std::int64_t a, std::int64_t b) const {
    return options_.pairs[static_cast<std::size_t>(a) * type_count_ + static_cast<std::size_t>(b)];
  }
  const Pair* pair_of_b(std::int64_t a, std::int64_t b) const {
    if (options_.pairs_of_b.empty()) return nullptr;
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    const Pair& pair = options_.pairs_of_b[first * type_count_ + second];
    return pair.curve ? &pair : nullptr;
  }
  bool act(std::int64_t a, std::int64_t b) const {
    return pair_of(a, b).curve || pair_of_b(a, b) != nullptr;
  }
  /// Tails of one state, times the volume. The energy is less by `near`.
  struct Tail {
    double energy = 0.0, virial = 0.0, near = 0.0;
    double at(double volume) const { return energy / volume - near; }
  };
  void list_atoms();
  Tail tail_of(const std::vector<Pair>& pairs, std::span<const double> counts,
               std::span<const double> alchemical) const;
  double tail_at(double lambda) const {
    const double volume = box_.volume();
    return (1.0 - lambda) * tail_.at(volume) + lambda * tail_of_b_.at(volume);
  }
  void count_types(const ParticleStore& particles);
  /// Pairs of atoms and rigid molecules, and their part of energies.
  void add_rigid_forces(ParticleStore& particles, EnergyAndVirial& sums);
  void add_rigid_energies(const ParticleStore& particles, Sums& sums) const;
  std::vector<RigidSurroundings::Atom> atoms_among_rigid() const;
  void take_positions();
  /// 1 - lambda times a potential, as energy and force over distance, and the derivative by lambda.
  Value softened(const Pair& pair, const SoftCore& core, double r_squared, double lambda) const;
  double softened_slope(const Pair& pair, const SoftCore& core, double r_squared,
                        double lambda) const;
  /// The same of two types, with what they are in state B.
  Value between(std::int64_t a, std::int64_t b, double r_squared, double lambda) const;
  double slope_between(std::int64_t a, std::int64_t b, double r_squared, double lambda) const;
  /// Calls visit(a, i, connection from a to i) for alchemical atoms a and particles i in `which`
  /// that may be within the range.
  template <class Visit>
  void for_each_surrounding(const ParticleStore& particles, std::span<const std::uint32_t> which,
                            double range, Visit&& visit) const;
  /// Calls visit(a, b, connection from a to b) for alchemical atoms of different molecules of which
  /// the first is this rank's.
  template <class Visit>
  void for_each_outer(Visit&& visit) const;
  /// Calls visit(a, b, inner, connection from a to b) for pairs of a molecule whose first atom is
  /// this rank's.
  template <class Visit>
  void for_each_inner(Visit&& visit) const;
  /// Calls visit(molecule, its number) for the molecules whose first atom is this rank's.
  template <class Visit>
  void for_each_own_molecule(Visit&& visit) const;
  std::span<const ChangedPair> changed_pairs_of(const Molecule& molecule) const {
    if (options_.changed_pairs.empty()) return {};
    return options_.changed_pairs[molecule.kind];
  }
  bool has_bonded() const { return static_cast<bool>(options_.changed_terms); }
  double bonded_energy(const Molecule& molecule, double lambda,
                       std::span<const Vec3> positions) const;
  /// dU/dlambda, by differences of four energies: exact to rounding where U is a polynomial in
  /// lambda of up to the fourth degree, as that of all harmonic terms is.
  double bonded_slope(const Molecule& molecule, double lambda,
                      std::span<const Vec3> positions) const;
  void add_changed_forces(EnergyAndVirial& sums);
  void add_changed_energies(Sums& sums) const;
  void add_van_der_waals(const ParticleStore& particles, Sums& sums) const;
  void add_charges(const ParticleStore& particles, Sums& sums) const;
  SolvedCharges::WithImages with_images(std::span<const double> charges) const;
  /// This rank's share of the energy of charges of alchemical atoms with each other.
  double energy_of_own(std::span<const double> charges) const;
  /// The charges that change, of all atoms: in states A and B, and their difference.
  std::vector<double> charges_of(bool b) const;
  std::vector<double> changes_of_charges() const;
  /// This rank's share of a factor times the energy of the difference of charges.
  void add_own_charges(double factor, EnergyAndVirial& sums);

  comm::Context context_;
  const Box& box_;
  Topology topology_;
  Options options_;
  std::size_t type_count_;
  double range_ = 0.0;
  bool has_changes_ = false;  ///< bonded terms or special pairs that change
  std::optional<std::size_t> changed_part_, charges_part_;  ///< indices in `parts_`
  Tail tail_, tail_of_b_;
  bool types_are_counted_ = false;

  std::optional<RigidSurroundings> rigid_;
  std::vector<double> counts_of_kinds_;  ///< of types and rigid molecules

  std::vector<Atom> atoms_;
  std::vector<Molecule> molecules_;
  std::vector<std::vector<Inner>> inner_;  ///< by kind of molecule
  std::vector<char> acts_on_;              ///< by type: whether an alchemical atom acts on it

  std::vector<std::uint32_t> slot_of_own_;   ///< index in `atoms_` of each own alchemical atom
  std::vector<std::uint32_t> place_of_own_;  ///< its place in the store, ascending
  std::vector<char> is_own_;                 ///< by index in `atoms_`
  std::vector<std::uint32_t> surroundings_;  ///< places of particles on which an atom acts
  std::vector<std::uint32_t> others_;  ///< places of charges that are not alchemical; of cutoffs
  std::vector<double> coordinates_;    ///< three of each atom
  std::vector<Vec3> positions_;        ///< molecules are whole
  std::vector<double> forces_;         ///< three of each atom
  comm::ReductionBatch of_positions_, of_forces_;

  std::vector<Part> parts_;
};

}  // namespace sterna::md
