#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/file_error.hpp"
#include "md/core/unstable_run.hpp"
#include "md/ensemble/run_state.hpp"
#include "md/forces/force_term.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"
#include "md/observe/observer_report.hpp"
#include "md/observe/reporter.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/simulation/system.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

class Decomposition;

/// How a run shows its progress to the user.
enum class Progress {
  automatic,  ///< a redrawn line if standard output is a terminal
  never,
  always,  ///< lines `@progress {"step":...,"steps":...,"rate":...,"eta":...}` for a front end
};

struct SimulationOptions {
  bool resume = false;     ///< continue from the latest valid checkpoint, if there is one
  bool overwrite = false;  ///< remove the files of an earlier run instead of keeping backups
  Progress progress = Progress::automatic;
  bool quiet = false;    ///< print nothing on standard output
  bool verbose = false;  ///< report also times by phase and exchange methods at the end
  /// Whether the files that the input asks for are written: log, trajectory, checkpoints, results
  /// of observers. Without them no lock is taken, either.
  bool files = true;
  /// The checkpoint to continue from, written by `Simulation::save` or by a run; empty: none.
  std::string checkpoint = {};
  /// Only `run_to_the_end` is going to be called. If a checkpoint leaves no steps to do, the engine
  /// is not made, and the files of the run stay as they are. Of the places of keys in the input
  /// only a part is kept, which saves memory.
  bool only_runs_to_the_end = false;
  /// The caller heeds signals and decides when checkpoints are written, as for one of many replicas.
  bool leaves_requests_to_caller = false;

  /// Options of a simulation inside another program: it writes neither output nor files.
  static SimulationOptions inside_a_program() {
    SimulationOptions options;
    options.quiet = true;
    options.files = false;
    return options;
  }
};

enum class Outcome {
  complete,
  interrupted,  ///< by a signal, after a checkpoint
};

/// The mistakes of an input; `what()` has all of them as `sterna check` shows them. Thrown on all
/// ranks together.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A signal asked to stop before the first step, so there is no state to save. Thrown on all ranks
/// together.
class StartInterrupted : public std::runtime_error {
 public:
  StartInterrupted() : std::runtime_error("stopped at the start, before the first step") {}
};

/// A simulation on all ranks of a context, from an input file or made by a program. The context
/// must outlive it. Numbers are in internal units: the units of "nano" (nm, ps, u, kJ/mol, K) for
/// all systems of real units, reduced units otherwise. Errors are exceptions; errors of the input,
/// of files and of the physics are thrown on all ranks together.
///
/// Functions are collective, called by all ranks in the same order, unless they say "Local".
class Simulation {
 public:
  /// Makes a simulation from an input that was read from a file (`read_input`).
  Simulation(const comm::Context& context, const Input& input,
             const SimulationOptions& options = {});
  /// Makes a simulation of the particles of `system`. `settings`: the text of an input file without
  /// [start] and [[type]], which `system` replaces; the key `steps` may be missing. Throws
  /// InputError.
  Simulation(const comm::Context& context, std::string_view settings, const System& system,
             const SimulationOptions& options = SimulationOptions::inside_a_program());
  /// Continues the simulation `previous` with an input of the same types that may differ in all
  /// other keys. Step, time, particles and averages are copied from `previous`, which stays as it
  /// is; reporters and terms that were added to it are not copied. If `box` is given (internal
  /// units), positions are stretched to it, atom by atom and molecule by molecule. Throws FileError
  /// if the types differ.
  Simulation(const comm::Context& context, const Input& input, Simulation& previous,
             const std::optional<Box>& box = std::nullopt,
             const SimulationOptions& options = SimulationOptions::inside_a_program());
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Runs so many further steps; may be called repeatedly. Bits do not depend on how a run is
  /// divided into calls. A signal ends it only if the program catches signals (`catch_signals`).
  /// Throws UnstableRun and, if a file cannot be written, FileError.
  Outcome run(std::int64_t steps);
  /// Runs to the input's last step and writes a report at the end, as `sterna run` does.
  Outcome run();

  /// Adds a reporter, which looks at the run every `interval` steps from now on, after earlier
  /// ones.
  void add(std::shared_ptr<Reporter> reporter);
  /// Adds a term, which acts from the next step on. Throws std::invalid_argument if a term has this
  /// name already.
  void add(std::unique_ptr<ForceTerm> term);
  /// `hook` is called on every rank after each step.
  void on_step(std::function<void(std::int64_t step)> hook);
  /// `asked` is called on every rank in each step and must be quick. If it returns true on any
  /// rank, `run` ends some steps later as interrupted, after the same step on all ranks.
  void stop_when(std::function<bool()> asked);

  /// Local: the present particles of this rank, followed by ghosts. Their order changes whenever
  /// lists are rebuilt. Valid until the next call that is not local.
  const ParticleStore& particles() const;
  /// Local: as `particles`, with writable velocities and angular momenta. Afterwards all ranks must
  /// call `change`, even with a visitor that does nothing.
  ParticleStore& writable_particles();
  /// All particles by ascending id, on rank `root`; an empty list on the others.
  std::vector<ParticleRecord> gather(int root = 0) const;
  /// Calls `visitor` for each particle of this rank. It may change position, velocity, orientation
  /// and angular momentum. The new position may be anywhere in the box.
  void change(const std::function<void(ParticleRecord&)>& visitor);

  /// Adds a field to all particles: `components` numbers for each, all of them `initial` at first.
  /// It belongs to the particles: it goes with them to other ranks and is in checkpoints. A
  /// simulation that continues from a checkpoint has its numbers, and this call then returns the
  /// field as it is. The reference is valid as long as the simulation. Throws std::invalid_argument
  /// on all ranks if the name is no name, is taken or differs between ranks, or if the checkpoint
  /// has another number of components.
  AddedField& add_particle_field(std::string_view name, int components = 1, double initial = 0.0);
  /// The numbers of an added field on rank `root`, particle by particle by ascending id; an empty
  /// list on the others.
  std::vector<double> gather_field(std::string_view name, int root = 0) const;
  /// Local: the added fields; those of a checkpoint, too. Numbers of a field may be changed at any
  /// time, and forces that read them follow in the next step.
  AddedFields& particle_fields();
  const AddedFields& particle_fields() const;

  /// Moves the arrays of `particles` out to a caller who still reads them. The simulation continues
  /// with copies and new lists.
  std::unique_ptr<ParticleStore> release_particles();

  /// Local. The warnings since the last call, for example about masses of a start file that differ
  /// from the input's. Rank 0 has all of them, other ranks perhaps none.
  std::vector<std::string> take_warnings();

  // Local functions with the same result on all ranks.
  /// Whether a checkpoint left no steps to do (`SimulationOptions::only_runs_to_the_end`).
  bool was_complete() const;
  const Box& box() const;
  std::int64_t step_number() const;
  /// The simulated time, which is 0 at the start.
  double time() const;
  std::int64_t particle_count() const;
  /// Names of the types, in the order of their numbers.
  std::vector<std::string> type_names() const;
  /// The state at the last step that the log's interval, a reporter or the end of `run` sampled.
  const ThermodynamicState& last_state() const;
  /// `last_state` as a row of the log: names and values in the units of the input.
  std::vector<std::pair<std::string, double>> last_values() const;
  /// The input of the simulation, without particles.
  const Input& input() const;

  /// Computes forces, velocities and `last_state` at the present positions, without a step.
  void measure();
  /// The virial tensor at `last_state`: the sums of r_b f_a over pairs, xx yy zz xy xz yz, with the
  /// tail correction.
  std::array<double, 6> virial_tensor() const;

  /// The results of the input's observers ([rdf], [profile] ...) so far.
  std::vector<ObserverReport> observer_reports();

  /// Collective. Completes the files of a simulation that `run(steps)` has advanced, as `run()`
  /// does at its end: averages and times in the log, results of observers. Does nothing if the run
  /// writes no files.
  void finish();
  /// The path at which the caller of `run` is expected to write a report (`report` in [output]);
  /// empty: none.
  std::string report_path() const;
  /// The paths to which the caller is expected to export the trajectory (`export` in [output]).
  std::vector<std::string> export_paths() const;

  /// Takes on another state of the run: targets of thermostat and barostat, parameters of force
  /// terms. Where the temperature changes, velocities are multiplied by the root of the ratio. The
  /// conserved energy does not count the change. Lists and forces are renewed.
  void set_state(const RunState& state);
  /// The potential energies that the present positions have in each of these states.
  std::vector<double> potential_energies(std::span<const RunState> states);
  /// Local: the derivatives of the potential energy by parameters of states, such as
  /// "alchemy.charges", at the last call of `potential_energies`.
  StateParameters state_derivatives() const;
  /// Local: the [[state]]s of the input; if it has none, the states of [alchemy].
  std::size_t state_count() const;
  /// The potential energy that the present positions have in one of them.
  double energy(std::size_t state);

  /// Writes a checkpoint. A simulation that continues from it (`SimulationOptions::checkpoint`) on
  /// the same number of ranks has the same bits as this one. The directory of `path` must exist.
  void save(const std::string& path);

  /// Local.
  const Decomposition& decomposition() const;
  /// Local: the corrections to energy and virial (sum r.f) for pairs beyond the cutoff.
  struct TailCorrection {
    double energy, virial;
  };
  TailCorrection tail_correction() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
