#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/dynamics/fire_minimizer.hpp"
#include "md/dynamics/stochastic_cell_rescaling.hpp"
#include "md/dynamics/velocity_verlet.hpp"
#include "md/io/h5md_writer.hpp"
#include "md/io/input.hpp"
#include "md/io/input_record.hpp"
#include "md/io/json_log.hpp"
#include "md/io/output_lock.hpp"
#include "md/observe/observer.hpp"
#include "md/simulation/averages.hpp"
#include "md/simulation/balancer.hpp"
#include "md/simulation/console.hpp"
#include "md/simulation/force_engine.hpp"
#include "md/simulation/frozen_types.hpp"
#include "md/simulation/interaction.hpp"
#include "md/simulation/phase_timer.hpp"
#include "md/simulation/step_modifier.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::md {

struct SimulationOptions {
  bool resume = false;     ///< continue from the latest valid checkpoint, if there is one
  bool overwrite = false;  ///< a new start removes what an earlier run left, instead of keeping it
  Progress progress = Progress::automatic;
  bool quiet = false;    ///< nothing on standard output
  bool verbose = false;  ///< at the end also where the time went, and the exchange methods
};

enum class Outcome {
  complete,
  interrupted,  ///< by a signal, after a checkpoint
};

/// A signal asked for the end before the first step: there is nothing to keep. On all ranks
/// together.
class StartInterrupted : public std::runtime_error {
 public:
  StartInterrupted() : std::runtime_error("stopped at the start, before the first step") {}
};

/// A run as an input describes it, on all ranks of a context. Everything is collective. Errors are
/// exceptions; those of files and of the physics come on all ranks together.
class Simulation {
 public:
  Simulation(const comm::Context& context, const Input& input, const SimulationOptions& options);
  ~Simulation();

  Outcome run();
  /// Called on every rank after each step.
  void on_step(std::function<void(std::int64_t step)> hook) { hook_ = std::move(hook); }

  /// As they are now; local particles of this rank.
  const ParticleStore& particles() const { return particles_; }
  const Box& box() const { return box_; }
  const Decomposition& decomposition() const { return balancer_->decomposition(); }
  std::int64_t step_number() const { return step_; }
  /// Of the last row of the table, in internal units.
  const ThermodynamicState& last_state() const { return last_state_; }
  LennardJones::TailCorrection tail_correction() const { return tail_; }

 private:
  // simulation.cpp: how a run comes to be and is kept.
  void start_from_input();
  void generate_start();
  void read_start_file();
  void draw_velocities();
  void stop_motion();
  void resume_from_checkpoint(const std::string& path);
  void make_balancer();
  /// FileError on all ranks where one of them cannot have the memory that the run takes.
  void require_memory();
  void make_engine();
  void open_outputs(bool resumed);
  void open_trajectory(bool resumed);
  void cite_models();
  void report_terms();
  void write_checkpoint();

  // run_files.cpp: what belongs to this run, and what to another one.
  void take_output_directory();
  std::string find_checkpoint();
  void compare_with_checkpoint(const nlohmann::json& state, std::int64_t particles, const Box& box);
  void clear_for_new_run();
  bool is_finished(const nlohmann::json& state) const;
  void report_files();

  // step.cpp: the loop.
  /// StartInterrupted on all ranks where a signal asked any of them to stop. Collective.
  void stop_if_asked();
  /// What signals ask for, and the clock.
  std::int64_t asked() const;
  void step();
  void minimize_step();
  /// Kicks and drifts all particles to where they are in this step.
  void move_all();
  void move(std::size_t begin, std::size_t end);
  /// Whether nobody looks at this step's positions and velocities once its forces are there: then
  /// particles go on into the next step as soon as their forces are put together, some at a time.
  bool can_move_early() const;
  bool must_write_checkpoint() const;
  /// Of the present positions, as far as the run's limits let them.
  void compute_forces(EnergyAndVirial* sums);
  void change_volume(EnergyAndVirial& sums);
  ThermodynamicState measure(const EnergyAndVirial& sums);
  /// Throws where the particles are so hot that the run tells nothing any more.
  void check_temperature();
  void observe(const EnergyAndVirial& sums);
  bool is_due(std::int64_t interval) const {
    return interval > 0 && (step_ % interval == 0 || step_ == input_.run.steps);
  }
  bool must_sample() const;
  bool is_due(const Observer& observer) const {
    return observer.is_due(step_) && step_ > input_.output.equilibration;
  }
  bool changes_volume() const { return barostat_ && step_ % input_.barostat.interval == 0; }

  // final_report.cpp
  void report_end(Outcome outcome, double seconds);
  nlohmann::ordered_json report_observers();

  const comm::Context& context_;
  /// Held for those who share it: the start, rebalancing, output and checkpoints.
  std::shared_ptr<comm::Messenger> messenger_;
  Input input_;
  SimulationOptions options_;
  Console console_;
  std::string stem_;  ///< of all output files
  OutputLock lock_;   ///< rank 0

  Interaction interaction_;
  FrozenTypes frozen_;
  Box box_;
  std::int64_t particle_count_ = 0;
  std::vector<std::int64_t> type_counts_;
  std::int64_t moving_count_ = 0;  ///< of particles that are not frozen
  std::vector<double> masses_;
  std::vector<double> counted_masses_;  ///< without those of frozen types
  std::vector<RigidBody> bodies_;       ///< by type; frozen ones do not turn
  double skin_ = 0.0;
  double degrees_of_freedom_ = 0.0;  ///< with those of rotation
  ParticleStore particles_;
  bool draw_velocities_ = false;

  LennardJones::TailCorrection tail_{0.0, 0.0};
  PhaseTimer timer_;
  std::unique_ptr<Balancer> balancer_;
  std::unique_ptr<ForceEngine> engine_;
  nlohmann::json state_of_terms_;  ///< of the checkpoint that the run goes on from
  VelocityVerlet integrator_;
  std::vector<std::unique_ptr<StepModifier>> modifiers_;
  std::optional<StochasticCellRescaling> barostat_;
  double volume_work_ = 0.0;  ///< energy that the particles have lost to changes of the volume
  std::optional<FireMinimizer> minimizer_;
  bool converged_ = false;

  std::int64_t step_ = 0;
  std::int64_t first_step_ = 0;
  bool rebuilt_ = false;  ///< in the present step
  bool moved_ = false;    ///< particles are where they will be in the next step
  double translational_degrees() const {
    const double fixed = keeps_momentum(input_) ? 3.0 : 0.0;
    return std::max(1.0, 3.0 * static_cast<double>(moving_count_) - fixed);
  }
  /// The ideal part of the pressure counts the centers of mass with the degrees of freedom that
  /// they have.
  double kinetic_factor() const {
    return 3.0 * static_cast<double>(moving_count_) / translational_degrees();
  }
  double elapsed_time() const {
    return static_cast<double>(step_) * input_.run.timestep + time_offset_;
  }
  double time_offset_ = 0.0;  ///< of a run that went on with another time step

  std::unique_ptr<JsonLog> log_;
  std::optional<H5mdWriter> trajectory_;
  std::vector<std::unique_ptr<Observer>> observers_;
  nlohmann::json input_record_;  ///< rank 0
  InputChanges changes_;         ///< since the checkpoint that the run goes on from
  bool finished_ = false;        ///< nothing was left to do
  std::int64_t last_checkpoint_ = -1;
  std::chrono::steady_clock::time_point last_checkpoint_time_;
  std::function<void(std::int64_t)> hook_;
  ThermodynamicState last_state_;
  std::optional<double> first_temperature_;  ///< of what is resumed, too
  std::optional<Averages> averages_;         ///< none where nothing moves
};

struct LoggedKinds {
  bool moves = true;            ///< otherwise no velocities, but the largest force
  bool rotating = false;        ///< with the energy of rotation
  bool changes_volume = false;  ///< with the volume
};
/// What a row of the log says, in the units of the input.
std::vector<LoggedScalar> logged_scalars(const ThermodynamicState& state, const UnitSystem& units,
                                         const LoggedKinds& kinds);

}  // namespace sterna::md
