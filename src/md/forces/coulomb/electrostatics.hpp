#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/forces/coulomb/charge_solver.hpp"
#include "md/forces/coulomb/excluded_charges.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/component.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The Coulomb forces of all charges and point dipoles of all particles at any distance, by a solver of
/// charges. Those of one molecule do not act on each other, but their periodic images do. Where
/// molecules are flexible, their atoms have the charges of the topology, and the pairs that it excludes
/// do not act on each other. All calls are collective.
class Electrostatics final : public ForceTerm {
 public:
  struct Options {
    bool periodic = true;    ///< false: charges have no images
    double margin = 0.0;     ///< open box: least distance of particles from faces
    double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
    double travel = 0.0;     ///< largest path of particles between two calls of `rebuild`
    Surroundings surroundings = Surroundings::conductor;
    /// Whether the virial that `finish` adds is the whole tensor, which makes the far field more
    /// expensive. If not, only its trace is right.
    bool virial_tensor = false;
    double charge_unit = 1.0;                                ///< of the input, in internal units
    double permittivity = 1.0;                               ///< relative; divides all interactions
    std::shared_ptr<const MoleculePlaces> places = nullptr;  ///< of flexible molecules
    /// Where there are flexible molecules: so many types, the first ones, are those of atoms. All
    /// others are rigid molecules.
    std::size_t atom_types = 0;
  };
  /// `components`: in the order of Position::type. The decomposition must live as long as it is in
  /// use here. Throws std::invalid_argument if the solver cannot have such molecules in this box.
  Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                 std::span<const Component> components, const Options& options,
                 const MakeChargeSolver& make_solver);

  std::string_view name() const override { return "electrostatics"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  /// Whether the slow part of the solver's forces is computed.
  void include_slow_part(bool included) override;
  SlowForces slow_forces() const override;
  bool rebuild_moves_slow_part() const override { return solver_->rebuild_moves_slow_part(); }
  bool needs_early_rebuild() const override { return solver_->needs_early_rebuild(); }
  void set_decomposition(const Decomposition& decomposition) override;
  /// Particles must lie in their owner's region and keep their order until the next call. Unless
  /// `restore` has given parameters, the first call lets the solver choose those with which the
  /// measured error of the forces on these particles is below the accuracy. Throws
  /// std::runtime_error, on all ranks, if a particle has left an open box or is near a face.
  void rebuild(const ParticleStore& particles) override;
  void start(const ParticleStore& particles) override;
  /// The virial is that of centers of mass: the products of sites' positions in their molecules and
  /// the forces on them are subtracted from the virial of sites.
  void compute_spanning(SpanningMolecules& molecules, bool with_sums) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;

  /// Collective, after `rebuild`. The potentials at these local particles, each of which is at most
  /// one charge, of all charges but theirs. `places`: in the store, ascending. Charges are in internal
  /// units divided by the root of the permittivity.
  std::vector<double> potentials_of_others(const ParticleStore& particles,
                                           std::span<const std::uint32_t> places) const;

  /// Multiplies charges and dipoles of this component by a factor, from the next `rebuild` on. The same
  /// on all ranks.
  void scale_sites(std::size_t component, double factor);
  /// Collective, between `finish` and the next `start`. This rank's part of the sum over the sites of
  /// these local particles: their charges, as if not multiplied, times the potentials of all charges as
  /// they are, minus dipoles times fields. `places`: in the store, ascending.
  double whole_in_potentials(const ParticleStore& particles, std::span<const std::uint32_t> places);

  /// The error at the start, relative to the root mean square force.
  double measured_error() const { return solver_->error(); }
  bool periodic() const { return options_.periodic; }
  /// The method and its error, for the user.
  std::string description() const override;
  std::vector<std::string> warnings() const override;
  Settings settings() const override;
  /// Traffic of the exchanges; empty before the first `rebuild` in the present regions.
  std::vector<comm::Verdict> verdicts() const override { return solver_->verdicts(); }

  /// The solver's choices of the first `rebuild` and the settings for which they were made. A
  /// checkpoint keeps them so that a resumed run has the same bits; a run with other settings chooses
  /// again.
  std::vector<double> state() const override { return solver_->state(); }
  void restore(std::span<const double> state) override { solver_->restore(state); }

 private:
  /// Finds the charges of the local particles, with their values.
  void find_charges(const ParticleStore& particles);
  /// Counts and adds up the charges of all ranks. `changes`: how many times those of the topology have
  /// changed.
  void count_charges(std::int64_t changes);
  /// Computes where listed charges are.
  void place_charges(const ParticleStore& particles, bool with_centers);
  PointCharges charges(const ParticleStore& particles) const;
  ChargesInPlace charges_in_place(const ParticleStore& particles) const;
  bool with_dipoles() const { return with_dipoles_; }
  /// Adds the forces on charges to their particles, and torques if particles rotate.
  void add_forces(const ParticleStore& particles, const CoulombResult& result,
                  std::span<Vec3> forces, std::span<Vec3> torques) const;
  /// Returns the forces of excluded pairs, which are subtracted, for each charge; empty if there
  /// are none.
  std::vector<Vec3> forces_of_excluded(const ParticleStore& particles);
  void check_open_box(const ParticleStore& particles) const;

  comm::Context context_;
  const Decomposition* decomposition_;
  struct Site {
    Vec3 position;
    double charge;
    Vec3 dipole;
  };
  /// Whether its charge is that of the topology.
  bool is_atom(const ParticleStore& particles, std::size_t particle) const {
    return excluded_ &&
           particles.position[particle].type < static_cast<std::int64_t>(options_.atom_types);
  }
  /// Returns no sites for a particle without a charge.
  std::span<const Site> sites_of(const ParticleStore& particles, std::size_t particle) const;
  /// Whether a particle that has a charge is that charge, which need not be listed.
  bool is_in_place(const ParticleStore& particles, std::size_t particle) const {
    return in_place_[static_cast<std::size_t>(particles.position[particle].type)] != 0;
  }
  /// Calls `function(particle, sites, first)` for each local particle with listed charges. `first` is
  /// the number of the charge of the first site.
  template <class Function>
  void for_each_listed(const ParticleStore& particles, Function function) const {
    std::size_t first = 0;
    for (const std::uint32_t particle : listed_) {
      const auto sites = sites_of(particles, particle);
      function(particle, sites, first);
      first += sites.size();
    }
  }
  std::vector<std::vector<Site>> sites_;        ///< by component
  std::vector<std::vector<Site>> whole_sites_;  ///< before `scale_sites`
  bool with_dipoles_ = false;
  /// Whether virtual sites without charge are left out, because a virtual site may coincide with a
  /// charge.
  bool leaves_sites_out_ = false;
  std::vector<char> is_charge_;  ///< by local particle, if sites are left out
  std::optional<ExcludedCharges> excluded_;
  Options options_;
  double molecule_radius_ = 0.0;  ///< largest distance of a charge from its molecule's center

  double total_charge_ = 0.0, largest_charge_ = 0.0;
  std::unique_ptr<ChargeSolver> solver_;
  double charge_count_ = 0.0;        ///< on all ranks
  std::int64_t charge_changes_ = 0;  ///< of the topology when charges were counted
  std::size_t particle_count_ = 0;
  bool slow_part_apart_ = false, with_slow_part_ = true;
  std::vector<Vec3> slow_forces_, slow_torques_;  ///< on local particles, in steps that separate
                                                  ///< slow forces

  // The solver reads positions of charges in place where the particles have them.
  std::vector<char> in_place_;           ///< by component: whether it is one charge at its position
  bool any_in_place_ = false;            ///< whether some component is
  std::vector<double> values_in_place_;  ///< by local particle, 0 for all others
  std::vector<std::uint32_t> absent_;    ///< local particles without a charge, if any is in place
  // All other charges are listed: positions; centers; dipoles, if there are any.
  std::vector<std::uint32_t> listed_;  ///< the local particles with listed charges
  std::vector<Vec3> positions_, centers_, dipoles_;
  std::vector<double> values_;
  std::vector<std::int32_t> molecules_;
};

}  // namespace sterna::md
