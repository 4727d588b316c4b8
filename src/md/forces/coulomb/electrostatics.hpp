#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/forces/coulomb/excluded_charges.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/component.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The Coulomb forces of all charges and point dipoles of all particles at any distance, by the
/// fast multipole method or, for small systems, Ewald sums. Those of one molecule do not act on
/// each other, but their periodic images do. Where molecules are flexible, their atoms have the
/// charges of the topology, and the pairs that it excludes do not act on each other. All calls are
/// collective.
class Electrostatics final : public ForceTerm {
 public:
  struct Options {
    bool ewald = false;      ///< use gathered_ewald; periodic boxes only
    bool periodic = true;    ///< false: charges have no images
    double margin = 0.0;     ///< open box: least distance of particles from faces
    double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
    int order = 0;           ///< 0: from the accuracy
    int levels = 0;          ///< of cells; 0: chosen by cost
    /// Whether some trees are timed at the start, instead of chosen by a model.
    bool measured_tree = false;
    std::optional<FmmPrecision> precision;  ///< nothing: from the accuracy
    /// Overlap of the cells of the multipole method, in units of their edges. If it is 0, forces
    /// jump when a molecule changes its cell.
    double smoothing = 0.0;
    double travel = 0.0;  ///< largest path of particles between two calls of `rebuild`
    Surroundings surroundings = Surroundings::conductor;
    /// Whether the virial that `finish` adds is the whole tensor, which makes the far field more
    /// expensive. If not, only its trace is right.
    bool virial_tensor = false;
    std::string exchange_method = "auto";                    ///< of comm::neighbor_methods()
    double charge_unit = 1.0;                                ///< of the input, in internal units
    double permittivity = 1.0;                               ///< relative; divides all interactions
    std::shared_ptr<const MoleculePlaces> places = nullptr;  ///< of flexible molecules
    /// Where there are flexible molecules: so many types, the first ones, are those of atoms. All
    /// others are rigid molecules.
    std::size_t atom_types = 0;
  };
  /// `components`: in the order of Position::type. The decomposition must live as long as it is in
  /// use here. Throws std::invalid_argument if the box is too small for the molecules.
  Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                 std::span<const Component> components, const Options& options);

  std::string_view name() const override { return "electrostatics"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  /// Whether the far field of the multipole method, the slow part, is computed.
  void include_slow_part(bool included) override;
  SlowForces slow_forces() const override;
  /// Without overlap a charge that changes its cell changes its near neighbors, and with them the
  /// near field.
  bool rebuild_moves_slow_part() const override { return options_.smoothing == 0.0; }
  /// Overlapping cells hold particles only within half the skin. Without overlap the error is
  /// small: a charge that leaves its cell as far as any list allows adds less than the existing
  /// error.
  bool needs_early_rebuild() const override { return options_.smoothing > 0.0; }
  void set_decomposition(const Decomposition& decomposition) override;
  /// Particles must lie in their owner's region and keep their order until the next call. Unless
  /// `restore` has given tree and order, the first call chooses the tree, by a model or by timing.
  /// It also chooses an order at which the measured error of the forces on these particles is below
  /// the accuracy. Throws
  /// std::runtime_error, on all ranks, if a particle has left an open box or is near a face.
  void rebuild(const ParticleStore& particles) override;
  void start(const ParticleStore& particles) override;
  /// The virial is that of centers of mass: the products of sites' positions in their molecules and
  /// the forces on them are subtracted from the virial of sites.
  void compute_spanning(SpanningMolecules& molecules, bool with_sums) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;

  /// The sum over all particles, in internal units.
  double total_charge() const { return total_charge_; }
  /// The error at the start, relative to the root mean square force.
  double measured_error() const { return error_; }
  bool periodic() const { return options_.periodic; }
  int order() const { return parameters_ ? parameters_->order : 0; }  ///< 0: no expansions
  /// The method and its error, for the user.
  std::string description() const override;
  std::vector<std::string> warnings() const override;
  Settings settings() const override;
  /// Traffic of the exchanges; empty before the first `rebuild` in the present regions.
  std::vector<comm::Verdict> verdicts() const override {
    return solver_ ? solver_->verdicts() : std::vector<comm::Verdict>{};
  }

  /// The choices of the first `rebuild` and the settings for which they were made. A checkpoint
  /// keeps them so that a resumed run has the same bits; a run with other settings chooses again.
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;

 private:
  /// The method for the user: "order 8, single precision, 16 x 16 x 16 leaves".
  std::string method() const;
  void place_charges(const ParticleStore& particles, bool with_centers);
  PointCharges charges(const ParticleStore& particles) const;
  bool with_dipoles() const;
  /// Whether each particle is a single charge at its position, so that neither positions nor
  /// molecules have to be copied.
  bool particles_are_charges(const ParticleStore& particles) const;
  /// Adds the forces on charges to their particles, and torques if particles rotate.
  void add_forces(const ParticleStore& particles, const CoulombResult& result,
                  std::span<Vec3> forces, std::span<Vec3> torques) const;
  /// Returns the forces of excluded pairs, which are subtracted, for each charge; empty if there
  /// are none.
  std::vector<Vec3> forces_of_excluded(const ParticleStore& particles);
  void choose_parameters(const ParticleStore& particles);
  /// The settings on which a choice depends.
  std::array<double, 7> wishes() const;
  /// Sets the parameters that do not follow from the accuracy.
  void set_options(FmmParameters& parameters) const;
  EwaldSolver ewald_solver(double accuracy) const;
  /// Chooses an accuracy of the sums at which the error, measured in the forces on these particles,
  /// is below the wanted accuracy.
  void choose_ewald_accuracy(const ParticleStore& particles);
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
  std::vector<std::vector<Site>> sites_;  ///< by component
  /// Whether virtual sites without charge are left out, because a virtual site may coincide with a
  /// charge.
  bool leaves_sites_out_ = false;
  std::vector<char> is_charge_;  ///< by local particle, if sites are left out
  std::optional<ExcludedCharges> excluded_;
  Options options_;
  double molecule_radius_ = 0.0;  ///< largest distance of a charge from its molecule's center

  std::optional<FmmParameters> parameters_;
  double error_ = 0.0;
  double total_charge_ = 0.0, largest_charge_ = 0.0;
  std::unique_ptr<FmmSolver> solver_;
  CoulombResult ewald_result_;
  std::optional<double> ewald_accuracy_;  ///< for `ewald_solver`
  double charge_count_ = 0.0;             ///< on all ranks
  std::size_t particle_count_ = 0;
  bool far_field_apart_ = false, with_far_field_ = true;
  std::vector<Vec3> slow_forces_, slow_torques_;  ///< on local particles, in steps that separate
                                                  ///< slow forces

  // Data of each site of the local particles, particle by particle: positions; centers and
  // molecules, unless each particle is a charge; dipoles, if there are any.
  std::vector<Vec3> positions_, centers_, dipoles_;
  std::vector<double> values_;
  std::vector<std::int32_t> molecules_;
};

}  // namespace sterna::md
