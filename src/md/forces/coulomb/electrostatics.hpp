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
    bool ewald = false;      ///< by gathered_ewald instead, periodic boxes only
    bool periodic = true;    ///< otherwise charges have no images
    double margin = 0.0;     ///< of an open box: nearer to a face no particle may come
    double accuracy = 1e-4;  ///< relative root-mean-square error of the forces
    int order = 0;           ///< 0: as the accuracy wants it
    int levels = 0;          ///< of cells; 0: as the cost wants it
    /// Whether some trees are timed at the start, instead of a model that chooses one.
    bool measured_tree = false;
    std::optional<FmmPrecision> precision;  ///< nothing: as the accuracy wants it
    /// How far cells of the multipole method overlap, in units of their edges; 0: forces jump where
    /// a molecule changes its cell.
    double smoothing = 0.0;
    double travel = 0.0;  ///< how far particles may move between two calls of `rebuild`
    Surroundings surroundings = Surroundings::conductor;
    /// Whether the virial that `finish` adds is the whole tensor, which makes the far field more
    /// expensive; otherwise it has the right trace only.
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
  /// use here. Throws std::invalid_argument where the box is too small for the molecules.
  Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                 std::span<const Component> components, const Options& options);

  std::string_view name() const override { return "electrostatics"; }
  bool keeps_momentum() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  /// The far field of the multipole method is slow.
  void include_slow_part(bool included) override;
  SlowForces slow_forces() const override;
  /// A charge that gets into another cell has other neighbors nearby.
  bool rebuild_moves_slow_part() const override { return options_.smoothing == 0.0; }
  /// Cells that overlap hold what stays within half the skin. Without overlap, a charge that leaves
  /// its cell by as much as any list allows adds less than the error that there is.
  bool needs_early_rebuild() const override { return options_.smoothing > 0.0; }
  void set_decomposition(const Decomposition& decomposition) override;
  /// Particles lie in their owner's region and keep their order until the next call. The first
  /// time it chooses the tree, by a model or by times, and an order whose error, measured in the forces on these
  /// particles, is below the accuracy; but for what `restore` was given. Throws
  /// std::runtime_error, on all ranks, where a particle has left an open box or is near a face.
  void rebuild(const ParticleStore& particles) override;
  void start(const ParticleStore& particles) override;
  /// The virial is that of centers of mass: from the virial of sites, the sites' positions in their
  /// molecules times the forces on them are subtracted.
  void compute_spanning(SpanningMolecules& molecules, bool with_sums) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;

  /// Of all particles, in internal units.
  double total_charge() const { return total_charge_; }
  /// What the error was at the start, relative to the root of the mean square force.
  double measured_error() const { return error_; }
  bool periodic() const { return options_.periodic; }
  int order() const { return parameters_ ? parameters_->order : 0; }  ///< 0: no expansions
  /// How the forces are computed, and with what error.
  std::string description() const override;
  std::vector<std::string> warnings() const override;
  Settings settings() const override;
  /// None before the first `rebuild` in the present regions.
  std::vector<comm::Verdict> verdicts() const override {
    return solver_ ? solver_->verdicts() : std::vector<comm::Verdict>{};
  }

  /// For checkpoints: what the first `rebuild` chose, so that a resumed run has the same bits.
  /// What was chosen, and for which settings: a resumed run with others chooses again.
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;

 private:
  /// "order 8, single precision, 16 x 16 x 16 leaves".
  std::string method() const;
  void place_charges(const ParticleStore& particles, bool with_centers);
  PointCharges charges(const ParticleStore& particles) const;
  bool with_dipoles() const;
  /// Whether each particle is one charge at its position: then neither positions nor molecules are
  /// copied.
  bool particles_are_charges(const ParticleStore& particles) const;
  /// Of the charges to the particles that they belong to; torques where particles rotate.
  void add_forces(const ParticleStore& particles, const CoulombResult& result,
                  std::span<Vec3> forces, std::span<Vec3> torques) const;
  /// What excluded pairs take away, of each charge; empty where there are none.
  std::vector<Vec3> forces_of_excluded(const ParticleStore& particles);
  void choose_parameters(const ParticleStore& particles);
  /// The settings that a choice depends on.
  std::array<double, 7> wishes() const;
  /// What does not follow from the accuracy.
  void set_options(FmmParameters& parameters) const;
  EwaldSolver ewald_solver(double accuracy) const;
  /// One whose error, measured in the forces on these particles, is below the accuracy.
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
  /// None of a particle that is no charge.
  std::span<const Site> sites_of(const ParticleStore& particles, std::size_t particle) const;
  std::vector<std::vector<Site>> sites_;  ///< of each component
  /// Whether some virtual sites without a charge are no charges, as they may be where one is.
  bool leaves_sites_out_ = false;
  std::vector<char> is_charge_;  ///< of the local particles, in that case
  std::optional<ExcludedCharges> excluded_;
  Options options_;
  double molecule_radius_ = 0.0;  ///< of the farthest charge from its molecule's center

  std::optional<FmmParameters> parameters_;
  double error_ = 0.0;
  double total_charge_ = 0.0, largest_charge_ = 0.0;
  std::unique_ptr<FmmSolver> solver_;
  CoulombResult ewald_result_;
  std::optional<double> ewald_accuracy_;  ///< for `ewald_solver`
  double charge_count_ = 0.0;             ///< of all ranks
  std::size_t particle_count_ = 0;
  bool far_field_apart_ = false, with_far_field_ = true;
  std::vector<Vec3> slow_forces_, slow_torques_;  ///< of the local particles, in such a step

  // Of each site of the local particles, particle by particle: positions, centers and molecules
  // unless particles are charges, dipoles where there are some.
  std::vector<Vec3> positions_, centers_, dipoles_;
  std::vector<double> values_;
  std::vector<std::int32_t> molecules_;
};

}  // namespace sterna::md
