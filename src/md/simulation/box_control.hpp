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

/// The barostat of a run, where it has one: when it acts, what pressure it sees, and how the centers
/// that the box moves follow it. The loop makes the changes, since lists and forces are new then.
class BoxControl {
 public:
  /// All that is given must outlive this.
  BoxControl(const comm::Context& context, const Input& input, SimulatedSystem& system,
             const RunClock& clock)
      : context_(context), input_(input), system_(system), clock_(clock) {}

  /// Once the particles are counted. Not for minimizations.
  void make_barostat();
  /// Once the engine is there, whose exchange is that of the vectors of ghosts.
  void connect(std::shared_ptr<const MoleculePlaces> places, Centers::GhostVectors ghost_vectors);

  bool is_used() const { return barostat_ != nullptr; }
  Barostat* barostat() { return barostat_.get(); }
  bool changes_shape() const {
    return is_used() && input_.barostat.coupling != Input::Coupling::isotropic;
  }
  bool acts() const { return is_used() && barostat_->is_due(clock_.step); }
  bool reads_pressure() const { return acts() && barostat_->reads_pressure(clock_.step); }
  double energy() const { return is_used() ? barostat_->energy(system_.box) : 0.0; }

  /// `keeps_momentum`: whether the total momentum stays. `are_joined`: whether constraints join
  /// atoms, so that the pressure of the centers is another one than that of the atoms.
  void set_motion(bool keeps_momentum, bool are_joined);
  /// Whether the pressure of the centers is another one than that of the atoms, or its directions
  /// count.
  bool sees_tensor() const { return is_used() && (are_joined_ || changes_shape()); }

  /// Where temperature or pressure move, the barostat keeps those of this step from now on.
  void follow_ramps();

  /// After a rebuild of the lists. Collective, as what follows.
  void particles_were_sorted() {
    if (centers_) centers_->rebuild(system_.particles);
  }
  /// `measured` by these sums, with velocities of the time of the positions.
  PressureState pressure_state(const ThermodynamicState& measured, const EnergyAndVirial& sums);
  Tensor center_pressure(const PressureState& state) const;
  void change_velocities(const Deformation& by);
  /// The box and the centers in it; velocities stay.
  void change_box(const Deformation& by);
  /// Counts a change that was tried. Returns a warning, once, where nearly all changes have been
  /// undone.
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
  std::int64_t changes_ = 0, kept_changes_ = 0;  ///< that were tried since the start
  bool warned_ = false;
};

}  // namespace sterna::md
