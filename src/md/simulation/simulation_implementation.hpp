#pragma once

// The implementation of `Simulation`: the parts of a run and the functions that drive them.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/integrate/barostats/barostat.hpp"
#include "md/output/checkpoint_file.hpp"
#include "md/simulation/box_control.hpp"
#include "md/simulation/dynamics.hpp"
#include "md/simulation/engine/balancer.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "md/simulation/engine/list_lifetime.hpp"
#include "md/simulation/files/run_files.hpp"
#include "md/simulation/files/run_messages.hpp"
#include "md/simulation/loop_progress.hpp"
#include "md/simulation/particle_reservoirs.hpp"
#include "md/simulation/present_state.hpp"
#include "md/simulation/program_parts.hpp"
#include "md/simulation/run_clock.hpp"
#include "md/simulation/sampling.hpp"
#include "md/simulation/simulated_system.hpp"
#include "md/simulation/simulation.hpp"
#include "md/simulation/starting/start_progress.hpp"
#include "md/simulation/thermodynamics.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::md {

struct LoopAccount;

class Simulation::Implementation {
 public:
  /// `input_text`: the text of the input; empty: it is read from the input's file. `system`: null
  /// if the input describes the particles. `previous`: the simulation to continue, null for a
  /// start; `box`: the box to which it is stretched.
  Implementation(const comm::Context& context, const Input& input, std::string input_text,
                 const System* system, const SimulationOptions& options,
                 Implementation* previous = nullptr, const std::optional<Box>& box = std::nullopt);

  Outcome run_to_the_end();
  Outcome run(std::int64_t steps);
  void add(std::shared_ptr<Reporter> reporter);
  void add(std::unique_ptr<ForceTerm> term);
  void change(const std::function<void(ParticleRecord&)>& visitor);
  std::vector<ParticleRecord> gather(int root);
  AddedField& add_particle_field(std::string_view name, int components, double initial);
  std::vector<double> gather_field(std::string_view name, int root);
  std::unique_ptr<ParticleStore> release_particles();
  void save(const std::string& path);
  void set_state(const RunState& state);
  std::vector<double> potential_energies(std::span<const RunState> states);
  StateParameters state_derivatives() const;
  void finish();
  /// Local: writes an event of rank 0 to the log.
  void log_failure(const std::string& text) {
    if (messages_.log) messages_.log->write("failure", {{"step", clock_.step}, {"text", text}});
  }
  std::vector<ObserverReport> observer_reports();
  void measure_now();

 private:
  friend class Simulation;

  // simulation_start.cpp: the start of a run.
  struct Beginning {
    std::string checkpoint;  ///< its path; empty: none
    Json taken_over;         ///< the state of the previous simulation
    bool goes_on = false;    ///< from a checkpoint or a simulation
  };
  /// Finds the particles and the state that the run begins with: of `previous`, of a checkpoint, or
  /// of the input.
  Beginning begin_run(const System* system, Implementation* previous,
                      const std::optional<Box>& box);
  /// Makes modifiers, barostat, observers and the engine, and the first lists.
  void make_parts();
  /// Gives the particles the velocities that the run begins with, and makes them satisfy the
  /// constraints.
  void prepare_motion(bool goes_on);
  void start_from_input(const System* system);
  void draw_velocities();
  void stop_motion();
  void resume_from_checkpoint(const std::string& path);
  /// Says on the console from where the run goes on, and what has changed since.
  void tell_of_resumption(const std::string& path);
  /// In take_over.cpp: takes particles and state from another simulation. Returns the state.
  Json take_over(Implementation& previous, const std::optional<Box>& box);
  /// A copy of this rank's data besides particles, as a checkpoint would have it.
  std::vector<RankData> rank_data_in_memory() const;
  /// `grid`: the ranks along each axis, used if their product is the number of ranks; otherwise it
  /// is chosen. `state`: of the checkpoint from which the run continues.
  void make_balancer(const std::array<int, 3>& grid = {0, 0, 0}, const Json& state = {});
  /// Throws FileError on all ranks if the particles are not the atoms of the molecules.
  void check_molecule_atoms();
  /// Throws FileError on all ranks if no particle has an id that a group asks for.
  void check_group_members();
  /// Throws FileError on all ranks if one of them lacks the memory that the run needs.
  void require_memory();
  void make_engine();
  /// Counts the degrees of freedom, and tells thermostats and barostat.
  void count_degrees_of_freedom();
  /// Projects atoms and velocities of a start on the constraints, and reports the changes.
  void project_start();
  /// Moves virtual sites to their positions, and rebuilds the lists if any site moved.
  void put_virtual_sites();
  /// As `put_virtual_sites`, at a start; large moves are reported.
  void put_virtual_sites_of_start();
  /// Scales velocities to the temperature of the start after they were projected on the
  /// constraints.
  void scale_start_velocities();

  // outputs.cpp: log, trajectories and messages.
  void open_outputs(bool resumed);
  void open_files(bool resumed);
  /// Writes to a new or a continued log what the run is.
  void log_start(std::optional<std::int64_t> resume_step);
  /// Warns of rows that the log of a resumed run has lost.
  void warn_of_lost_rows();
  void cite_models();
  void report_terms();
  void warn(const std::string& text) { messages_.warn(clock_.step, text); }

  // checkpoints.cpp: the state that survives the end of a run. Each part of a run writes and reads
  // its own.
  struct StatePart {
    std::string key;
    std::function<Json()> save;  ///< collective; returns null if there is none
    std::function<void(const Json&)> restore;
  };
  std::vector<StatePart> state_parts();
  Json saved_terms() const;
  Json saved_modifiers() const;
  void restore_modifiers(const Json& saved);
  void restore_barostat(const std::vector<double>& state);
  void restore_averages(const Json& saved);
  void restore_observers(const Json& saved);
  /// `rank_data`: data of the ranks that wrote the checkpoint, from any number of them on this
  /// rank.
  void restore_parts(const Json& state, std::vector<RankData> rank_data);
  void restore_terms();
  CheckpointState checkpoint_state();
  /// Collective. Brings log, trajectories and files of terms to the disk.
  void sync_files();
  void write_checkpoint();

  // state.cpp: the state of the run, which may be another one than that of its input.
  /// Takes the state of the input.
  void begin_state();
  /// Sets targets and parameters.
  void apply_state(const RunState& state);
  /// Gives atoms the charges that follow from parameters. Forces have them after the next rebuild.
  void take_charges_of_state();
  /// Renews lists and forces, as a run that continues from a checkpoint of this step begins.
  void renew(EnergyAndVirial& sums);
  Json saved_state() const;  ///< null: that of the input
  void restore_state(const Json& saved);

  // step.cpp: the loop.
  /// The request of signals, of the program and of the time between checkpoints.
  std::int64_t highest_request() const;
  /// Computes the first forces and the first row of the table; only once.
  void begin();
  /// Collective: writes to the log how long the parts of the start took.
  void log_start_times();
  /// Begins again after the program has changed particles or terms.
  void restart_from_changes(EnergyAndVirial& sums);
  /// Runs the steps up to the last one.
  Outcome advance();
  /// As `advance`; adds its time to `run_seconds_`.
  Outcome timed_advance();
  void step();
  void renew_lists();
  /// Renews migration, halo, lists, and all indices of particles.
  void rebuild();
  /// Whether this step's positions and velocities are not needed once its forces are known. Then
  /// particles move on into the next step block by block, as soon as their forces are complete.
  bool can_move_early() const;
  // start_check.cpp: checks for particles of the start at the same position.
  /// Throws UnstableRun if the first forces are not finite or throw a particle beyond the cutoff.
  void check_first_forces();

  bool must_write_checkpoint() const;
  /// Throws UnstableRun if the particles are so hot that the run has failed.
  void check_temperature();
  /// Collective. Warns if the first forces are so large that particles must overlap.
  void warn_of_overlaps();
  void observe(const EnergyAndVirial& sums);
  bool must_sample() const;
  /// The state of the step for observers and reporters.
  Frame frame() const;
  /// Calls the reporters that are due: those that need positions only before the forces of a step,
  /// all others afterwards.
  void report();

  // box_changes.cpp: the changes of the box by the barostat.
  void start_barostat(const EnergyAndVirial& sums);
  /// `sums` are replaced by sums of the present box if `sample` is set or the barostat reads the
  /// pressure.
  void act_barostat(EnergyAndVirial& sums, bool sample);
  /// Counts a change of the box. Warns once if nearly all changes have been undone.
  void count_box_change(bool is_kept);
  /// Changes the box, moves the centers, and renews lists and forces. `sums`: null if no sums are
  /// wanted.
  void change_box(const Barostat::Change& change, EnergyAndVirial* sums);

  // particle_exchange.cpp: particles that come and go.
  /// Throws InputError on all ranks if a force term does not tell the energy of one molecule.
  void make_reservoirs();
  bool exchanges_particles(std::int64_t step) const {
    return reservoirs_ && reservoirs_->are_due(step);
  }
  /// Collective. Lets reservoirs insert and delete particles, and renews lists and forces if any
  /// did. `sums`: of the present forces, and afterwards of the new ones.
  void exchange_particles(EnergyAndVirial& sums);

  // ending/ending.cpp: the report at the end of a run.
  void report_end(Outcome outcome, double seconds);
  Json report_observers();
  /// Rank 0: writes averages to the console and to `log`.
  void report_averages(const Json& observed, Json& log);
  void report_loop(const LoopAccount& account, Json& log);
  /// Collective. Averages use no samples of earlier steps.
  std::int64_t first_settled_step() const;

  const comm::Context& context_;
  /// Kept alive for the parts that share it: the start, rebalancing, output and checkpoints.
  std::shared_ptr<comm::Messenger> messenger_;
  Input input_;
  SimulationOptions options_;

  // The parts of a run. Each owns its state.
  RunMessages messages_;
  LoopProgress loop_;
  SimulatedSystem system_;
  RunClock clock_;
  Dynamics dynamics_;
  BoxControl box_control_;
  std::unique_ptr<ParticleReservoirs> reservoirs_;  ///< null: the number of particles stays
  Thermodynamics thermodynamics_;
  ListLifetime lists_;
  std::unique_ptr<Balancer> balancer_;
  std::unique_ptr<ForceEngine> engine_;
  RunFiles files_;
  StartProgress start_;
  PresentState state_;
  Sampling sampling_;
  ProgramParts program_;
};

}  // namespace sterna::md
