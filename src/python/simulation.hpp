#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "md/simulation/simulation.hpp"
#include "python/fields.hpp"
#include "python/job.hpp"

namespace sterna::python {

/// Thrown on the other ranks if a callback of one rank has raised an exception.
class RemoteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments from which a simulation is made; their names are those of the Python class.
struct SimulationRequest {
  std::string text;                 ///< of the input
  std::string name;                 ///< name of its file, or "settings"
  bool from_file = false;           ///< read like an input file, as by `sterna run`
  std::uintptr_t communicator = 0;  ///< address of an MPI_Comm; 0: all ranks
  bool files = false, resume = false, overwrite = false;
  std::string checkpoint;
  /// Edges of the box along their axes, and its tilt, in units of the input, for an input without
  /// [start].
  std::optional<std::array<double, 6>> box;
  bool stretches = false;  ///< particles are stretched to `box`; false: it is the present box
};

/// A `md::Simulation` in the process of Python. Numbers are in the units of the input. The GIL is
/// released while ranks compute or wait.
class Simulation final : public Ending {
 public:
  using Rows =
      nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

  using Values =
      nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

  Simulation(const SimulationRequest& request, const md::System* system);
  /// Continues `previous`, which stays unchanged, with other settings.
  Simulation(const SimulationRequest& request, Simulation& previous);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Collective. Raises the exception of a callback or a signal handler, and a corresponding one on
  /// the other ranks.
  void run(std::int64_t steps);
  void measure();
  /// The number of steps in a time such as "1 ns". Throws std::invalid_argument.
  std::int64_t steps_of(const std::string& time) const;
  /// Collective. An array in the order of ids, on all ranks or only on `root` (None on the others).
  nanobind::object gather(const std::string& name, std::optional<int> root);
  /// Collective. Sets "position", "velocity", "orientation", "angular_momentum" or an added field of
  /// all particles in the order of ids; `values` must be the same on all ranks.
  void set(const std::string& name, const Rows& values);
  /// Collective. See md::Simulation::add_particle_field.
  void add_particle_field(const std::string& name, int components, double initial);
  /// Local. Sets an added field of this rank's particles, in their present order.
  void set_local(const std::string& name, const Values& values);
  void save(const std::string& path);
  void finish();
  std::string report_path() const;
  std::vector<std::string> export_paths() const;

  /// A copy of an array of this rank's particles in their present state.
  nanobind::object local(const std::string& name) const;
  /// Collective. From now on calls method `_observe(number)` of `owner` every `interval` steps, or
  /// at the steps `at` if there are any. `needs_state`: as in md::Reporter.
  void observe(std::int64_t interval, std::vector<std::int64_t> at, bool needs_state,
               nanobind::object owner, int number);
  /// Collective. Adds a force term that calls method `_force(number)` of `owner`.
  void add_force(const std::string& name, bool keeps_momentum, nanobind::object owner, int number);
  /// Collective. Adds a force term that reads neighbors. `how`: "pairs", "clusters" or "gathers"
  /// (models.hpp); `cutoff` in units of the input.
  void add_model(const std::string& name, bool keeps_momentum, const std::string& how,
                 double cutoff, int layers, nanobind::object owner, int number);
  /// Collective, inside an observer: "sum", "min", "max" of each value over the ranks. "end" tells
  /// that the observer has returned on this rank, "failure" that it has failed. Throws RemoteError
  /// if another rank reports "failure" or a different kind.
  nanobind::object reduce(const std::string& kind, const Values& values);
  /// Collective. Ends a view. `kept`: whether Python still has arrays, to which the memory is then
  /// left. `written`: whether Python has changed velocities or angular momenta.
  std::unique_ptr<md::ParticleStore> end_view(bool kept, bool written);
  /// Collective. If any rank gives a text, throws std::invalid_argument there, and RemoteError with
  /// the text on the others.
  void raise_where_any(const std::string& failure) const;

  /// Runs `call`, which needs the GIL; an exception is kept until the end of the run.
  void call_python(const std::function<void()>& call);
  /// Local. During a run rank 0 calls `callback(step)` a few times a second; None turns this off.
  void set_progress(nanobind::object callback);
  /// Collective. Throws comm::Error on all ranks if one of them is about to make a different call.
  void compare_call(const std::string& call);
  /// Collective. Frees all resources of the simulation.
  void close() override;
  bool closed() const { return engine_ == nullptr; }

  /// The engine's simulation. Throws comm::Error after `close`.
  md::Simulation& engine() const;
  const comm::Context& context() const { return *context_; }
  double unit(md::Dimension dimension) const;

 private:
  void make_from(const SimulationRequest& request, Simulation& previous);
  bool wants_stop();
  void raise_failure(bool interrupted);
  Field field(const std::string& name) const;
  /// The added field of this name; null for a field of all particles that can be set. Throws
  /// std::invalid_argument for any other.
  md::AddedField* find_settable(const std::string& name);
  /// Throws std::invalid_argument where values cannot be those of this field.
  void check_rows(const std::string& name, const Field& field, const Rows& values);
  void set_added(md::AddedField& field, const Rows& values);
  std::vector<std::int64_t> sorted_ids() const;

  std::shared_ptr<comm::Context> context_;
  std::unique_ptr<md::Simulation> engine_;
  std::exception_ptr failure_;  ///< exception of a callback or signal handler here
  std::string failure_text_;
  std::chrono::steady_clock::time_point last_look_, last_progress_;
  nanobind::object progress_;
};

}  // namespace sterna::python
