#pragma once

// What is behind `Simulation`: the parts of a run and the functions that make it go.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/integrate/barostats/barostat.hpp"
#include "md/observe/observer.hpp"
#include "md/output/checkpoint_file.hpp"
#include "md/output/json_log.hpp"
#include "md/simulation/box_control.hpp"
#include "md/simulation/dynamics.hpp"
#include "md/simulation/engine/balancer.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "md/simulation/engine/list_lifetime.hpp"
#include "md/simulation/engine/phase_timer.hpp"
#include "md/simulation/files/checkpoint_schedule.hpp"
#include "md/simulation/files/console.hpp"
#include "md/simulation/files/continuation.hpp"
#include "md/simulation/files/run_folder.hpp"
#include "md/simulation/files/trajectory_files.hpp"
#include "md/simulation/run_clock.hpp"
#include "md/simulation/simulated_system.hpp"
#include "md/simulation/simulation.hpp"
#include "md/simulation/starting/start_times.hpp"
#include "md/simulation/thermodynamic_averages.hpp"
#include "md/simulation/thermodynamics.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::md {

struct LoopAccount;

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
    if (log_) log_->write("failure", {{"step", clock_.step}, {"text", text}});
  }
  std::vector<ObserverReport> observer_reports();
  void measure_now();

 private:
  friend class Simulation;

  // simulation_start.cpp: how a run comes to be.
  void start_from_input(const System* system);
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
  /// FileError on all ranks where the particles are not the atoms of the molecules.
  void check_molecule_atoms();
  /// FileError on all ranks where one of them cannot have the memory that the run takes.
  void require_memory();
  void make_engine();
  /// Follows from the molecules and from all that acts on them; thermostats and barostat are told.
  void count_degrees_of_freedom();
  /// Atoms and velocities of a start keep the constraints, and people are told what that changed.
  void project_start();
  /// Virtual sites go to their places, and lists are rebuilt where one was elsewhere.
  void put_virtual_sites();
  /// The same at a start, and people are told what that changed.
  void put_virtual_sites_of_start();
  /// To the temperature of the start, after constraints have taken their part.
  void scale_start_velocities();

  // outputs.cpp
  void open_outputs(bool resumed);
  void open_files(bool resumed);
  /// Tells of rows that the log of a resumed run does not have any more.
  void warn_of_lost_rows();
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

  // step.cpp: the loop.
  /// What signals ask for, and the clock.
  std::int64_t highest_request() const;
  /// Once: forces and first row of the table.
  void begin();
  /// Collective: says in the log what the start took.
  void log_start_times();
  /// After particles or terms were changed from outside.
  void restart_from_changes(EnergyAndVirial& sums);
  /// Steps up to the last one.
  Outcome advance();
  /// The same; adds its time to `run_seconds_`.
  Outcome timed_advance();
  void step();
  void renew_lists();
  /// Migration, halo, lists, and all that has places in them.
  void rebuild();
  /// Whether nobody looks at this step's positions and velocities once its forces are there: then
  /// particles go on into the next step as soon as their forces are put together, some at a time.
  bool can_move_early() const;
  // start_check.cpp: particles of the start at the same place.
  /// Throws UnstableRun where the first forces are not finite or throw a particle beyond the cutoff.
  void check_first_forces();

  bool must_write_checkpoint() const;
  /// Throws where the particles are so hot that the run tells nothing any more.
  void check_temperature();
  /// Collective. Warns where the forces of the start are those of particles that overlap.
  void warn_of_overlaps();
  void observe(const EnergyAndVirial& sums);
  bool must_sample() const;
  /// To those that are due: before the forces of a step to reporters that need positions alone,
  /// afterwards to observers and the other reporters.
  void report();
  bool is_due(const Observer& observer) const {
    return observer.is_due(clock_.step) && clock_.step > input_.output.equilibration;
  }

  // box_changes.cpp: what the barostat does.
  void start_barostat(const EnergyAndVirial& sums);
  /// `sums` become those of the present box where `sample` or the barostat reads the pressure.
  void act_barostat(EnergyAndVirial& sums, bool sample);
  /// Warns once where nearly all changes of the box have been undone.
  void count_box_change(bool is_kept);
  /// Box and centers change; lists and forces are new, with sums where they are wanted.
  void change_box(const Barostat::Change& change, EnergyAndVirial* sums);

  // ending/ending.cpp: what a run says at its end.
  void report_end(Outcome outcome, double seconds);
  Json report_observers();
  /// Rank 0: on the console and for the log.
  void report_averages(const Json& observed, Json& log);
  void report_loop(const LoopAccount& account, Json& log);
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
  RunFolder folder_;

  SimulatedSystem system_;
  RunClock clock_;
  PhaseTimer timer_;
  Dynamics dynamics_;
  BoxControl box_control_;
  Thermodynamics thermodynamics_;
  ListLifetime lists_;
  Continuation continuation_;
  CheckpointSchedule checkpoints_;
  bool draw_velocities_ = false;

  StartTimes start_times_;
  std::unique_ptr<Balancer> balancer_;
  std::unique_ptr<ForceEngine> engine_;
  std::vector<RankData> restored_rank_data_;     ///< while parts are restored
  Json state_of_terms_;                          ///< of the checkpoint that the run goes on from
  std::set<std::string> program_terms_;          ///< that a program has added
  std::set<std::string> program_terms_of_file_;  ///< of the checkpoint
  bool begun_ = false;                           ///< forces are there
  std::int64_t rebuilds_at_begin_ = 0;
  double run_seconds_ = 0.0;  ///< of the loop, since the start or the last report
  Outcome last_outcome_ = Outcome::complete;
  bool changed_ = false;  ///< from outside, so that lists and forces are no longer right
  bool rebuilt_ = false;  ///< in the present step
  std::unique_ptr<JsonLog> log_;
  TrajectoryFiles trajectories_;
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<std::shared_ptr<Reporter>> reporters_;
  bool finished_ = false;  ///< nothing was left to do
  bool resumed_ = false;   ///< from a checkpoint of this run, whose files go on
  std::function<void(std::int64_t)> hook_;
  std::function<bool()> stop_when_;                ///< a program's own wish beside signals
  std::optional<ThermodynamicAverages> averages_;  ///< none where nothing moves
};

}  // namespace sterna::md
