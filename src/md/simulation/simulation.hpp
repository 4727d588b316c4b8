#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/file_error.hpp"
#include "md/core/unstable_run.hpp"
#include "md/forces/force_term.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"
#include "md/observe/observer_report.hpp"
#include "md/observe/reporter.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/simulation/system.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

class Decomposition;

/// How a run tells people of its progress.
enum class Progress {
  automatic,  ///< a line that is redrawn where standard output is a terminal
  never,
  always,  ///< lines `@progress {"step":...,"steps":...,"rate":...,"eta":...}` for a front end
};

struct SimulationOptions {
  bool resume = false;     ///< continue from the latest valid checkpoint, if there is one
  bool overwrite = false;  ///< a new start removes what an earlier run left, instead of keeping it
  Progress progress = Progress::automatic;
  bool quiet = false;    ///< nothing on standard output
  bool verbose = false;  ///< at the end also where the time went, and the exchange methods
  /// Whether the files that the input asks for are written: log, trajectory, checkpoints, what
  /// observers found. Without them nothing is locked, either.
  bool files = true;
  /// Continue from this file, which `Simulation::save` or a run has written. Empty: none.
  std::string checkpoint = {};
  /// Nothing but `run_to_the_end` is going to be called. Where a checkpoint leaves nothing to do,
  /// nothing is put together, then, and the files of the run stay as they are. Of where things stood
  /// in the input only a part is kept, which saves memory.
  bool only_runs_to_the_end = false;

  /// Those of a simulation inside of another program: no output of its own.
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

/// What is wrong with an input; `what()` has all of it as `sterna check` shows it. On all ranks
/// together.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A signal asked for the end before the first step: there is nothing to keep. On all ranks
/// together.
class StartInterrupted : public std::runtime_error {
 public:
  StartInterrupted() : std::runtime_error("stopped at the start, before the first step") {}
};

/// A simulation on all ranks of a context, from an input file or made by a program. The context
/// must outlive it. Numbers are in internal units: those of units = "nano" (nm, ps, u, kJ/mol, K)
/// for all systems of real units, reduced ones otherwise. Errors are exceptions; those of the
/// input, of files and of the physics come on all ranks together.
///
/// Functions are collective, called by all ranks in the same order, unless they say "Local".
class Simulation {
 public:
  /// An input that was read from a file (`read_input`).
  Simulation(const comm::Context& context, const Input& input,
             const SimulationOptions& options = {});
  /// `settings`: an input file's text without [start] and [[type]], for which `system` stands; the
  /// key `steps` may be missing. Throws InputError.
  Simulation(const comm::Context& context, std::string_view settings, const System& system,
             const SimulationOptions& options = SimulationOptions::inside_a_program());
  /// Goes on from where `previous` is, with an input of the same types that may differ in all else.
  /// Step, time, particles and averages are those of `previous`, which stays as it is; reporters and
  /// terms that were added to it are not taken along. With `box` (internal units), particles' places
  /// are stretched to it, those of atoms and molecules one by one. Throws FileError where the types
  /// differ.
  Simulation(const comm::Context& context, const Input& input, Simulation& previous,
             const std::optional<Box>& box = std::nullopt,
             const SimulationOptions& options = SimulationOptions::inside_a_program());
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// So many steps more; again and again. Bits do not depend on how a run is cut into parts.
  /// A signal ends it only where the program catches signals (`catch_signals`). Throws UnstableRun
  /// and, where a file cannot be written, FileError.
  Outcome run(std::int64_t steps);
  /// To the input's last step, with a report at the end: what `sterna run` does.
  Outcome run();

  /// From now on looks at the run every `interval` steps, after those that came before it.
  void add(std::shared_ptr<Reporter> reporter);
  /// Acts from the next step on. Throws std::invalid_argument where a term has this name already.
  void add(std::unique_ptr<ForceTerm> term);
  /// Called on every rank after each step.
  void on_step(std::function<void(std::int64_t step)> hook);
  /// Called on every rank in each step; must be quick. Where it says yes on any rank, `run` ends
  /// some steps later, after the same step on all ranks, as interrupted.
  void stop_when(std::function<bool()> asked);

  /// Local: as they are now, ghosts of other ranks behind those of this one; in an order that
  /// changes whenever lists are rebuilt. Valid until the next call that is not local.
  const ParticleStore& particles() const;
  /// Local: the same, of which velocities and angular momenta may be written. Then all ranks must
  /// call `change`, if only with a visitor that does nothing.
  ParticleStore& writable_particles();
  /// All particles by ascending id, on rank `root`; an empty list on the others.
  std::vector<ParticleRecord> gather(int root = 0) const;
  /// Calls `visitor` for each particle of this rank, which may change position, velocity,
  /// orientation and angular momentum. Particles may go anywhere in the box.
  void change(const std::function<void(ParticleRecord&)>& visitor);

  /// Gives the arrays of `particles` away, to one who goes on looking at them; the simulation goes
  /// on with copies, and with new lists.
  std::unique_ptr<ParticleStore> release_particles();

  /// Local. What the simulation has warned of since the last call, such as masses of a start file
  /// that are not those of the input. Rank 0 has all of it, other ranks perhaps none.
  std::vector<std::string> take_warnings();

  // Local; the same on all ranks.
  /// Whether a checkpoint left nothing to do (`SimulationOptions::only_runs_to_the_end`).
  bool was_complete() const;
  const Box& box() const;
  std::int64_t step_number() const;
  /// Of the start 0.
  double time() const;
  std::int64_t particle_count() const;
  /// Names of the types, in the order of their numbers.
  std::vector<std::string> type_names() const;
  /// Of the last step at which the log's interval, a reporter or the end of `run` looked.
  const ThermodynamicState& last_state() const;
  /// The same as a row of the log: names and values in the units of the input.
  std::vector<std::pair<std::string, double>> last_values() const;
  /// What the simulation was made from, without its particles.
  const Input& input() const;

  /// Forces, velocities and `last_state` of the particles as they are now, without a step.
  void measure();
  /// As of `last_state`: sum r_a f_b over pairs, xx yy zz xy xz yz, with the tail correction.
  std::array<double, 6> virial_tensor() const;

  /// What the input's observers ([rdf], [profile] ...) have found so far.
  std::vector<ObserverReport> observer_reports();

  /// Collective. Ends the files of a simulation that `run(steps)` has advanced as `run()` does at
  /// its end: averages and times in the log, what observers found. Nothing where there are no files.
  void finish();
  /// Where whoever started the run is to write its report (`report` in [output]); empty: nowhere.
  std::string report_path() const;
  /// Likewise the files that the trajectory is to be exported to (`export` in [output]).
  std::vector<std::string> export_paths() const;

  /// Writes a checkpoint. A simulation that goes on from it (`SimulationOptions::checkpoint`) has
  /// the same bits as this one, on as many ranks. Its directory must exist.
  void save(const std::string& path);

  /// Local.
  const Decomposition& decomposition() const;
  /// Local: energy and virial (sum r.f) beyond the cutoff.
  struct TailCorrection {
    double energy, virial;
  };
  TailCorrection tail_correction() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
