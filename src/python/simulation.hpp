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
#include "python/job.hpp"

namespace sterna::python {

/// What the ranks that did not fail get when another one's callback raised an exception.
class RemoteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a simulation is made; the names are those of the Python class.
struct SimulationRequest {
  std::string text;                 ///< of the input
  std::string name;                 ///< its file, or "settings"
  bool from_file = false;           ///< as `sterna run` reads it
  std::uintptr_t communicator = 0;  ///< address of an MPI_Comm; 0: all ranks
  bool files = false, resume = false, overwrite = false;
  std::string checkpoint;
  /// Edges along their axes and tilt, in units of the input, of what has no [start] of its own.
  std::optional<std::array<double, 6>> box;
  bool stretches = false;  ///< to that box; otherwise it is that of the simulation it goes on from
};

/// A `md::Simulation` in the process of Python. Numbers are in the units of the input. The GIL is
/// free while ranks compute or wait.
class Simulation final : public Ending {
 public:
  using Rows =
      nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

  using Values =
      nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

  Simulation(const SimulationRequest& request, const md::System* system);
  /// Goes on from `previous`, which stays, with other settings.
  Simulation(const SimulationRequest& request, Simulation& previous);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Collective; raises what a callback or a signal handler has raised, and on the other ranks the
  /// like of it.
  void run(std::int64_t steps);
  void measure();
  /// Steps in a time such as "1 ns". Throws std::invalid_argument.
  std::int64_t steps_of(const std::string& time) const;
  /// Collective. An array in the order of ids: on all ranks, or on `root` alone (None elsewhere).
  nanobind::object gather(const std::string& name, std::optional<int> root);
  /// Collective. "position", "velocity", "orientation" or "angular_momentum" of all particles in the
  /// order of ids, the same on all ranks.
  void set(const std::string& name, const Rows& values);
  void save(const std::string& path);
  void finish();
  std::string report_path() const;
  std::vector<std::string> export_paths() const;

  /// A copy of an array of this rank's particles, as they are now.
  nanobind::object local(const std::string& name) const;
  /// Collective. From now on calls method `_observe(number)` of `owner` every `interval` steps, or at
  /// the steps `at` where that is not empty. `needs_state`: as of md::Reporter.
  void observe(std::int64_t interval, std::vector<std::int64_t> at, bool needs_state,
               nanobind::object owner, int number);
  /// Collective. A force term that calls method `_force(number)` of `owner`.
  void add_force(const std::string& name, bool keeps_momentum, nanobind::object owner, int number);
  /// Collective, inside of an observer: "sum", "min", "max" of each value over the ranks. "end" says
  /// that the observer has returned on this rank, "failure" that it has not. Throws RemoteError
  /// where another rank says "failure", or something else than this one.
  nanobind::object reduce(const std::string& kind, const Values& values);
  /// Collective, after a view. `kept`: Python still has arrays, which are left to it. `written`: it
  /// has changed velocities or angular momenta.
  std::unique_ptr<md::ParticleStore> end_view(bool kept, bool written);
  /// Collective. Throws std::invalid_argument on a rank that gives a text, RemoteError with it on
  /// the others.
  void raise_where_any(const std::string& failure) const;

  /// Runs `call`, which needs the GIL; an exception is kept for the end of the run.
  void call_python(const std::function<void()>& call);
  /// Local. While a run goes on, rank 0 calls `callback(step)` a few times a second; None ends that.
  void set_progress(nanobind::object callback);
  /// Collective. Throws comm::Error on all ranks where one of them is about to make another call.
  void compare_call(const std::string& call);
  /// Collective. Frees all that the simulation holds.
  void close() override;
  bool closed() const { return engine_ == nullptr; }

  /// Throws comm::Error once it is closed.
  md::Simulation& engine() const;
  const comm::Context& context() const { return *context_; }
  double unit(md::Dimension dimension) const;

 private:
  bool wants_stop();
  void raise_failure(bool interrupted);
  std::vector<std::int64_t> sorted_ids() const;

  std::shared_ptr<comm::Context> context_;
  std::unique_ptr<md::Simulation> engine_;
  std::exception_ptr failure_;  ///< of a callback or a signal handler on this rank
  std::string failure_text_;
  std::chrono::steady_clock::time_point last_look_, last_progress_;
  nanobind::object progress_;
};

}  // namespace sterna::python
