#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "md/core/energy_and_virial.hpp"
#include "md/input/input.hpp"
#include "md/integrate/barostats/barostat.hpp"
#include "md/integrate/centers.hpp"
#include "md/integrate/ramp.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/simulation/run_clock.hpp"
#include "md/simulation/simulated_system.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The barostat of a run, if it has one: when it acts, which pressure it sees, and how the centers
/// follow the box. The loop applies the changes, because lists and forces must be computed again.
class BoxControl {
 public:
  /// All arguments must outlive this object.
  BoxControl(const comm::Context& context, const Input& input, SimulatedSystem& system,
             const RunClock& clock)
      : context_(context), input_(input), system_(system), clock_(clock) {}

  /// Is called after the particles are counted. Minimizations have no barostat.
  void make_barostat();
  /// Is called after the engine is made, because the engine exchanges the vectors of ghosts.
  void connect(std::shared_ptr<const MoleculePlaces> places, Centers::GhostVectors ghost_vectors);

  bool is_used() const { return barostat_ != nullptr; }
  Barostat* barostat() { return barostat_.get(); }
  bool changes_shape() const {
    return is_used() && input_.barostat.coupling != Input::Coupling::isotropic;
  }
  bool acts() const { return is_used() && barostat_->is_due(clock_.step); }
  bool reads_pressure() const { return acts() && barostat_->reads_pressure(clock_.step); }
  /// Whether the box is strained before this step.
  bool deforms(std::int64_t step) const { return is_used() && barostat_->deforms(step); }
  std::optional<Tensor> strain() const {
    return is_used() ? barostat_->strain(system_.box) : std::nullopt;
  }
  double energy() const { return is_used() ? barostat_->energy(system_.box) : 0.0; }

  /// `keeps_momentum`: whether the total momentum is conserved. `are_joined`: whether constraints
  /// join atoms, so that the pressure of the centers differs from the pressure of the atoms.
  void set_motion(bool keeps_momentum, bool are_joined);
  /// Whether the barostat needs the pressure tensor: constraints join atoms, or the box changes its
  /// shape.
  bool sees_tensor() const { return is_used() && (are_joined_ || changes_shape()); }

  /// If temperature or pressure change during the run, the barostat keeps those of this step from
  /// now on.
  void follow_ramps();

  /// Collective, like the functions below. Is called after each rebuild of the lists.
  void particles_were_sorted() {
    if (centers_) centers_->rebuild(system_.particles);
  }
  /// `measured` follows from these sums; its velocities belong to the time of the positions.
  PressureState pressure_state(const ThermodynamicState& measured, const EnergyAndVirial& sums);
  Tensor center_pressure(const PressureState& state) const;
  void change_velocities(const Deformation& by);
  /// Changes the box and moves the centers with it; velocities stay.
  void change_box(const Deformation& by);
  /// Strains the box and moves the centers with it, before the step for which it `deforms`.
  void deform() { change_box(barostat_->deformation(system_.box, clock_.step)); }
  /// Counts an attempted change. Returns a warning, once, if nearly all changes have been undone.
  std::optional<std::string> count_change(bool is_kept);

 private:
  void make_ramps(double temperature);
  double center_degrees() const;  ///< of freedom, of what moves with the box as a whole

  const comm::Context& context_;
  const Input& input_;
  SimulatedSystem& system_;
  const RunClock& clock_;
  std::unique_ptr<Barostat> barostat_;             ///< null: the box stays as it is
  std::unique_ptr<Centers> centers_;               ///< where there is a barostat
  std::optional<Ramp> thermal_energy_, pressure_;  ///< where one of them moves
  double center_count_ = 0.0;
  bool keeps_momentum_ = false, are_joined_ = false;
  std::int64_t changes_ = 0, kept_changes_ = 0;  ///< attempted since the start, and accepted
  bool warned_ = false;
};

}  // namespace sterna::md
