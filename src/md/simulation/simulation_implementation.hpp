#pragma once

// What is behind `Simulation`: the parts of a run and the functions that make it go.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/input/input_record.hpp"
#include "md/integrate/barostats/barostat.hpp"
#include "md/integrate/centers.hpp"
#include "md/integrate/constraints.hpp"
#include "md/integrate/integrators/minimizer.hpp"
#include "md/integrate/virtual_sites.hpp"
#include "md/neighbors/list_buffer.hpp"
#include "md/observe/observer.hpp"
#include "md/output/checkpoint_file.hpp"
#include "md/output/frame_file.hpp"
#include "md/output/h5md_writer.hpp"
#include "md/output/json_log.hpp"
#include "md/output/output_lock.hpp"
#include "md/output/xtc_writer.hpp"
#include "md/simulation/balancer.hpp"
#include "md/simulation/console.hpp"
#include "md/simulation/force_engine.hpp"
#include "md/simulation/frozen_types.hpp"
#include "md/simulation/interaction.hpp"
#include "md/simulation/phase_timer.hpp"
#include "md/simulation/simulation.hpp"
#include "md/simulation/start_times.hpp"
#include "md/simulation/step_modifier_table.hpp"
#include "md/simulation/thermodynamic_averages.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::md {

class Simulation::Implementation {
 public:
  /// `input_text`: what the input was read from; empty: its file. `system`: null where the input
  /// says where particles are.
  /// `previous`: what this one goes on from, null for a start; `box`: to which it is stretched.
  Implementation(const comm::Context& context, const Input& input, std::string input_text,
                 const System* system, const SimulationOptions& options,
                 Implementation* previous = nullptr, const std::optional<Box>& box = std::nullopt);

  Outcome run_to_the_end();
  Outcome run(std::int64_t steps);
  void add(std::shared_ptr<Reporter> reporter);
  void add(std::unique_ptr<ForceTerm> term);
  void change(const std::function<void(ParticleRecord&)>& visitor);
  std::vector<ParticleRecord> gather(int root);
  std::unique_ptr<ParticleStore> release_particles();
  void save(const std::string& path);
  void finish();
  /// Local: an event of rank 0.
  void log_failure(const std::string& text) {
    if (log_) log_->write("failure", {{"step", step_}, {"text", text}});
  }
  std::string report_path() const {
    return options_.files && input_.output.report ? stem_ + ".report.html" : std::string();
  }
  std::vector<std::string> export_paths() const;
  std::vector<ObserverReport> observer_reports();
  void measure_now();
  std::array<double, 6> virial_tensor() const;
  /// What a row of the log says of the last state.
  std::vector<LoggedScalar> logged_state() const;

 private:
  friend class Simulation;

  // simulation_start.cpp: how a run comes to be.
  void start_from_input(const System* system);
  void generate_start();
  void take_particles(const System* system);
  /// What is wrong with these particles; empty where nothing is.
  std::string what_is_wrong(const System::Particles& given) const;
  void draw_velocities();
  void stop_motion();
  void resume_from_checkpoint(const std::string& path);
  /// take_over.cpp: the particles and the state of another simulation. Returns the latter.
  Json take_over(Implementation& previous, const std::optional<Box>& box);
  /// A copy of what a checkpoint would have of this rank besides particles.
  std::vector<RankData> rank_data_in_memory() const;
  /// `grid`: ranks along each axis, where as many as there are; otherwise chosen.
  /// `state`: of the checkpoint that the run goes on from.
  void make_balancer(const std::array<int, 3>& grid = {0, 0, 0}, const Json& state = {});
  // list_lifetime.cpp: the skin that a tolerance of the energy wants.
  void choose_list_buffer(const Json& state);
  Json state_of_list_buffer() const;
  /// FileError on all ranks where the particles are not the atoms of the molecules.
  void check_molecule_atoms();
  /// FileError on all ranks where one of them cannot have the memory that the run takes.
  void require_memory();
  void make_engine();
  /// Atoms and velocities of a start keep the constraints, and people are told what that changed.
  void project_start();
  /// Virtual sites go to their places, and lists are rebuilt where one was elsewhere. Returns the
  /// largest distance from there.
  double put_virtual_sites();
  void report_virtual_sites(double farthest);
  /// To the temperature of the start, after constraints have taken their part.
  void scale_start_velocities();

  // start_file.cpp
  void read_start_file();
  /// All ranks at once, each with a reader that finds these facts in the file; rank 0 brings its
  /// own. False where that cannot be done; there are no particles then.
  bool read_pieces(std::unique_ptr<StartFileReader>& reader, const std::string& facts);
  void read_stream();

  // outputs.cpp
  void open_outputs(bool resumed);
  void open_files(bool resumed);
  /// Files that the run writes and that are not there.
  std::vector<std::string> missing_files() const;
  /// Tells of rows that the log of a resumed run does not have any more.
  void warn_of_lost_rows();
  void open_trajectory(bool resumed);
  void open_xtc(bool resumed);
  void cite_models();
  void report_terms();
  /// On the console, in the log and for `take_warnings`.
  void warn(const std::string& text);

  // checkpoints.cpp: what lasts beyond the end of a run. Each part of a run writes and reads its
  // own state.
  struct StatePart {
    std::string key;
    std::function<Json()> save;  ///< collective; null: nothing to keep
    std::function<void(const Json&)> restore;
  };
  std::vector<StatePart> state_parts();
  /// `rank_data`: of ranks that wrote the checkpoint, any number of them here.
  void restore_parts(const Json& state, std::vector<RankData> rank_data);
  void restore_terms();
  /// FileError where the checkpoint had terms of a program that nobody has added again.
  void require_program_terms() const;
  CheckpointState checkpoint_state();
  void write_checkpoint();

  // run_files.cpp: what belongs to this run, and what to another one.
  void take_output_directory();
  std::string find_checkpoint();
  /// Where a longer run goes on from: the last checkpoint of the shorter one, or the one before it.
  std::string checkpoint_to_extend(const std::string& latest);
  void compare_with_checkpoint(const Json& state, std::int64_t particles, const Box& box);
  void clear_for_new_run();
  /// FileError where a resumed run cannot go on with a file that is there: it is a link or no file,
  /// or what changed makes other frames than it has.
  void require_usable_files();
  bool is_finished(const Json& state) const;
  void report_files();

  // step.cpp: the loop.
  /// StartInterrupted on all ranks where a signal asked any of them to stop. Collective.
  void stop_if_asked();
  /// What signals ask for, and the clock.
  std::int64_t asked() const;
  /// Once: forces and first row of the table.
  void begin();
  /// Collective: says in the log what the start took.
  void log_start_times();
  /// After particles or terms were changed from outside.
  void begin_anew(EnergyAndVirial& sums);
  /// Steps up to `last_step_`.
  Outcome advance();
  /// The same; adds its time to `run_seconds_`.
  Outcome timed_advance();
  void step();
  void make_integrator();
  /// What the integrator asks for while it moves particles.
  class Motion;
  void advance_positions();
  /// Virtual sites follow their atoms.
  void advance_virtual_sites();
  void renew_lists();
  /// Migration, halo, lists, and all that has places in them.
  void rebuild();
  /// Brings the velocities to the time of the positions.
  void complete_velocities();
  /// Takes off velocities what would change a constrained distance. Returns the kinetic energy that
  /// this rank's particles gain.
  double project_velocities();
  /// Forces, and each particle moves to where it is in the next step as soon as its force is there.
  void compute_forces_and_move();
  /// Where in a step thermostats and other modifiers act.
  enum class Moment { between_drifts, end_of_step };
  Moment moment_of(const StepModifier& modifier) const {
    return thermostats_act_between_drifts_ && modifier.is_thermostat() ? Moment::between_drifts
                                                                       : Moment::end_of_step;
  }
  /// The modifiers that are due and act at this moment.
  void modify(Moment moment);
  /// Forces on virtual sites act on their atoms.
  void spread_forces(EnergyAndVirial* sums);
  /// Moves these particles, some at a time, and lets the engine look at each part.
  void for_each_part(const MotionStages::Part& move);
  /// Whether nobody looks at this step's positions and velocities once its forces are there: then
  /// particles go on into the next step as soon as their forces are put together, some at a time.
  bool can_move_early() const;
  // start_check.cpp: particles of the start at the same place.
  /// Throws UnstableRun where a constraint joins two atoms at the same place. Collective, as the
  /// next one.
  void check_constrained_atoms();
  /// Throws UnstableRun where the first forces are not finite or throw a particle beyond the cutoff.
  void check_first_forces();

  bool must_write_checkpoint() const;
  /// Whether this is one of the last rebuilds of the run, and the first of them.
  bool is_near_end() const;
  /// The most steps that a list is kept.
  std::int64_t longest_list() const {
    return input_.time_steps.longest() +
           (list_buffer_ ? list_buffer_->interval : input_.neighbor.maximum_interval);
  }
  /// Of the present positions, as far as the run's limits let them.
  void compute_forces(EnergyAndVirial* sums);
  ThermodynamicState measure(const EnergyAndVirial& sums);
  /// `last_state_` is that of now.
  void keep_state(const EnergyAndVirial& sums);
  double lightest_mass() const;         ///< of what has a mass
  double lightest_moving_mass() const;  ///< of particles that are there and not frozen
  /// Throws where the particles are so hot that the run tells nothing any more.
  void check_temperature();
  /// Collective. Warns where the forces of the start are those of particles that overlap.
  void warn_of_overlaps();
  void observe(const EnergyAndVirial& sums);
  bool is_due(std::int64_t interval) const {
    return interval > 0 && (step_ % interval == 0 || step_ == last_step_);
  }
  bool must_sample() const;
  /// To those that are due: before the forces of a step to reporters that need positions alone,
  /// afterwards to observers and the other reporters.
  void report();
  bool is_due(const Observer& observer) const {
    return observer.is_due(step_) && step_ > input_.output.equilibration;
  }

  // box_changes.cpp: what the barostat does.
  void make_barostat();
  double center_degrees() const;  ///< of freedom, of what moves with the box as a whole
  Tensor center_pressure(const PressureState& state) const;
  bool changes_shape() const {
    return barostat_ && input_.barostat.coupling != Input::Coupling::isotropic;
  }
  bool barostat_acts() const { return barostat_ && barostat_->is_due(step_); }
  /// Whether the pressure of the centers is another one than that of the atoms, or its directions
  /// count.
  bool sees_tensor() const;
  /// `measured` by these sums, with velocities of the time of the positions.
  PressureState pressure_state(const ThermodynamicState& measured, const EnergyAndVirial& sums);
  void start_barostat(const EnergyAndVirial& sums);
  /// `sums` become those of the present box where `sample` or the barostat reads the pressure.
  void act_barostat(EnergyAndVirial& sums, bool sample);
  /// Warns once where nearly all changes of the box have been undone.
  void count_box_change(bool is_kept);
  /// Of the centers.
  void change_velocities(const Deformation& by);
  /// Box and centers change; lists and forces are new, with sums where they are wanted.
  void change_box(const Barostat::Change& change, EnergyAndVirial* sums);

  // final_report.cpp
  void report_end(Outcome outcome, double seconds);
  Json report_observers();
  /// Collective. Samples of earlier steps are in no average.
  std::int64_t first_settled_step() const;

  const comm::Context& context_;
  /// Held for those who share it: the start, rebalancing, output and checkpoints.
  std::shared_ptr<comm::Messenger> messenger_;
  Input input_;
  std::string input_text_;
  SimulationOptions options_;
  Console console_;
  std::vector<std::string> warnings_;  ///< that nobody has taken yet
  std::string stem_;                   ///< of all output files
  OutputLock lock_;                    ///< rank 0

  Interaction interaction_;
  Topology topology_;  ///< of flexible molecules
  Box box_;
  std::int64_t particle_count_ = 0;
  std::vector<std::int64_t> type_counts_;
  std::int64_t moving_count_ = 0;  ///< of particles that are not frozen, and no virtual sites
  std::vector<double> masses_;
  FrozenTypes frozen_;
  std::vector<double> counted_masses_;  ///< without those of frozen types
  std::vector<RigidBody> bodies_;       ///< by type; frozen ones do not turn
  double skin_ = 0.0;
  std::optional<ListBuffer> list_buffer_;    ///< where lists may miss pairs
  std::array<double, 4> buffer_settings_{};  ///< that it follows from
  double degrees_of_freedom_ = 0.0;          ///< with those of rotation
  ParticleStore particles_;
  bool draw_velocities_ = false;

  LennardJones::TailCorrection tail_{0.0, 0.0};
  PhaseTimer timer_;
  StartTimes start_times_;
  std::unique_ptr<Balancer> balancer_;
  std::unique_ptr<ForceEngine> engine_;
  std::vector<RankData> restored_rank_data_;     ///< while parts are restored
  Json state_of_terms_;                          ///< of the checkpoint that the run goes on from
  std::set<std::string> program_terms_;          ///< that a program has added
  std::set<std::string> program_terms_of_file_;  ///< of the checkpoint
  std::unique_ptr<Integrator> integrator_;
  Minimizer* minimizer_ = nullptr;  ///< the integrator, where it is one
  bool thermostats_act_between_drifts_ = false;
  bool has_converged() const { return minimizer_ != nullptr && minimizer_->has_converged(); }
  std::unique_ptr<Constraints> constraints_;     ///< null: there are none
  bool constrained_atoms_checked_ = false;       ///< since the start, or a change from outside
  std::unique_ptr<VirtualSites> virtual_sites_;  ///< null: there are none
  EnergyAndVirial virtual_site_sums_;            ///< what they change, in the last step measured
  EnergyAndVirial constraint_sums_;              ///< of the last step that was measured
  std::vector<std::unique_ptr<StepModifier>> modifiers_;
  std::unique_ptr<Barostat> barostat_;  ///< null: the box stays as it is
  std::int64_t box_changes_ = 0;        ///< that the barostat has tried since the start
  std::int64_t kept_box_changes_ = 0;
  bool told_of_box_changes_ = false;  ///< whether the run has warned that most are undone
  std::unique_ptr<Centers> centers_;  ///< where there is a barostat
  double center_count_ = 0.0;         ///< there

  std::int64_t step_ = 0;
  std::int64_t first_step_ = 0;
  std::int64_t last_step_ = 0;  ///< where the present `run` ends
  bool begun_ = false;          ///< forces are there
  std::int64_t rebuilds_at_begin_ = 0;
  double run_seconds_ = 0.0;  ///< of the loop, since the start or the last report
  Outcome last_outcome_ = Outcome::complete;
  bool changed_ = false;  ///< from outside, so that lists and forces are no longer right
  bool rebuilt_ = false;  ///< in the present step
  bool ended_ = false;    ///< velocities are those of the end of the present step
  bool moved_ = false;    ///< particles are where they will be in the next step
  /// Whether all that acts on the molecules leaves their total momentum as it is. Otherwise the
  /// motion of the center of mass takes part in the temperature.
  bool keeps_momentum() const {
    return engine_->keeps_momentum() && step_modifiers_keep_momentum(input_) &&
           input_.freezes.empty();
  }
  /// Follows from the molecules and from the force terms, and goes to thermostats and barostat.
  void count_degrees_of_freedom();
  double translational_degrees() const {
    const double fixed = keeps_momentum() ? 3.0 : 0.0;
    return std::max(1.0, unconstrained_degrees() - fixed);
  }
  double unconstrained_degrees() const {
    return static_cast<double>(3 * moving_count_ - topology_.constraint_count(frozen_.flags()));
  }
  /// The ideal part of the pressure counts the centers of mass with the degrees of freedom that
  /// they have.
  double kinetic_factor() const {
    return std::max(1.0, unconstrained_degrees()) / translational_degrees();
  }
  double elapsed_time() const {
    return static_cast<double>(step_) * input_.run.timestep + time_offset_;
  }
  double time_offset_ = 0.0;  ///< of a run that went on with another time step

  std::unique_ptr<JsonLog> log_;
  std::optional<H5mdWriter> trajectory_;
  std::optional<XtcWriter> xtc_;
  std::vector<FrameFile> frame_files_;
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<std::shared_ptr<Reporter>> reporters_;
  Json input_record_;      ///< rank 0
  InputChanges changes_;   ///< since the checkpoint that the run goes on from
  bool finished_ = false;  ///< nothing was left to do
  std::int64_t last_checkpoint_ = -1;
  /// Whether the present `run` ends with a checkpoint, which a longer run may go on from.
  bool writes_last_checkpoint_ = false;
  std::int64_t built_at_ = 0;    ///< step of the present list
  std::int64_t list_steps_ = 0;  ///< that the list before it was kept
  bool resumed_ = false;         ///< from a checkpoint of this run, whose files go on
  bool repeats_end_ = false;     ///< whether it goes on from before the end of a shorter run
  std::chrono::steady_clock::time_point last_checkpoint_time_;
  std::function<void(std::int64_t)> hook_;
  std::function<bool()> stop_when_;  ///< a program's own wish beside signals
  ThermodynamicState last_state_;
  EnergyAndVirial last_sums_;  ///< this rank's part of it
  std::int64_t measured_step_ = -1;
  std::optional<double> first_temperature_;        ///< of what is resumed, too
  std::optional<ThermodynamicAverages> averages_;  ///< none where nothing moves
};

}  // namespace sterna::md
