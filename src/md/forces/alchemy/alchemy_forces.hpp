#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/forces/alchemy/soft_core.hpp"
#include "md/forces/force_term.hpp"
#include "md/forces/state_parameters.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Energies of one configuration in all states.
struct AlchemicalEnergies {
  /// dU/dlambda of charges and of van der Waals interactions in the present state.
  double by_charges = 0.0, by_van_der_waals = 0.0;
  /// The energy of each state minus that of the present state.
  std::vector<double> differences;
};

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
/// All ranks know the positions of all alchemical atoms by a reduction. Each rank computes their
/// pairs with its own particles, and a second reduction adds the forces on alchemical atoms.
class AlchemyForces final : public ForceTerm, public HasStateParameters {
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
    std::vector<AlchemicalState> states;
    std::size_t state = 0;  ///< of the start
    /// Whether the run takes on other states while it goes on; a checkpoint keeps its state then.
    bool changes_state = false;
    SoftCore soft_core{};
    /// Whether van der Waals interactions and charges within a molecule are kept: molecules are
    /// decoupled, not annihilated.
    bool keeps_molecules = true;
    std::vector<Pair> pairs;  ///< of all pairs of types, row by row
    bool tail_correction = false;
    /// At most one of both.
    std::optional<CutoffCharges> cutoff_charges{};
    std::optional<SolvedCharges> solved_charges{};
    /// Whether the energy of charges is linear in lambda, in place of the charges.
    bool interpolates_energies = false;
    double charge_factor = 1.0;                         ///< multiplies the charges of the topology
    std::vector<std::vector<SharedPair>> shared_pairs;  ///< by kind of molecule
    std::int64_t interval = 0;    ///< steps between two rows of the file; 0: no file
    double temperature = 0.0;     ///< for the head of the file; 0: not known
    double thermal_energy = 0.0;  ///< k times that
  };
  /// `whole`: the topology with all charges. The box outlives this object.
  AlchemyForces(const comm::Context& context, const Box& box, Topology whole, Options options);

  std::string_view name() const override { return "alchemy"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  void rebuild(const ParticleStore& particles) override;
  void begin_step(const StepContext& now) override;
  void start(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<Part> parts() const override { return parts_; }
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;
  std::span<GrowingText> texts() override { return texts_; }
  Settings settings() const override;

  /// "alchemy.charges" and "alchemy.van_der_waals": lambda of both.
  StateParameters state_parameters() const override;
  void set_state_parameters(const StateParameters& values) override;
  std::vector<double> energies_with(std::span<const StateParameters> sets) override;
  StateParameters derivatives() const override { return derivatives_; }
  void set_charges(Topology& topology) const override;

  /// Collective. The energies of the positions of the last `start` in these states.
  AlchemicalEnergies energies(const ParticleStore& particles,
                              std::span<const AlchemicalState> states) const;

 private:
  struct Atom {
    std::int64_t id, type;
    double charge;         ///< whole, times the factor
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
    double linear = 0.0, square = 0.0;  ///< of charges: U_RA and U_AA
  };

  const Pair& pair_of(std::int64_t a, std::int64_t b) const {
    return options_.pairs[static_cast<std::size_t>(a) * type_count_ + static_cast<std::size_t>(b)];
  }
  void list_atoms();
  double whole_tail() const { return tail_energy_ / box_.volume() - near_tail_; }
  void count_types(const ParticleStore& particles);
  void take_positions();
  /// The pair's energy, and force over distance, at a lambda.
  Value softened(const Pair& pair, double r_squared, double lambda) const;
  double softened_slope(const Pair& pair, double r_squared, double lambda) const;
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
  void add_van_der_waals(const ParticleStore& particles, Sums& sums) const;
  void add_charges(const ParticleStore& particles, Sums& sums) const;
  void add_cutoff_charges(const ParticleStore& particles, Sums& sums) const;
  SolvedCharges::WithImages charges_with_images() const;
  /// This rank's share of a factor times U_AA.
  void add_own_charges(double factor, EnergyAndVirial& sums);
  void write_row(const AlchemicalEnergies& energies);
  std::string head() const;

  comm::Context context_;
  const Box& box_;
  Topology topology_;
  Options options_;
  std::size_t type_count_;
  double range_ = 0.0;
  AlchemicalState now_;
  StateParameters derivatives_;
  const ParticleStore* particles_ = nullptr;      ///< of the last `rebuild`
  double tail_energy_ = 0.0, tail_virial_ = 0.0;  ///< of lambda 0, times the volume
  double near_tail_ = 0.0;                        ///< of lambda 0; the energy is less by this
  bool types_are_counted_ = false;

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

  std::int64_t step_ = -1;
  double time_ = 0.0;
  bool is_new_ = false;
  std::vector<Part> parts_;
  std::vector<GrowingText> texts_;
};

}  // namespace sterna::md
