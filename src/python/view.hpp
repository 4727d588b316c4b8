#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "python/fields.hpp"
#include "python/simulation.hpp"

namespace sterna::python {

/// The arrays of this rank's particles, without copies, as long as the simulation does not change
/// them. Velocities and angular momenta may be written where that is asked for: places, and so lists
/// and forces, stay as they are. `end` leaves the arrays that somebody still has to them.
class View {
 public:
  /// Collective. `owner` is the simulation's object. `writable`: names of arrays. Throws
  /// std::invalid_argument for one that may not be written.
  View(nanobind::object owner, std::set<std::string> writable);

  /// Where the units of the input are not those of the engine, a copy; what is written into it is
  /// the particles' from `end` on.
  nanobind::object array(const std::string& name);
  /// Collective. Throws std::invalid_argument where this rank has written what is not finite, and
  /// RemoteError where another one has.
  void end();

 private:
  /// What arrays of Python keep alive. The memory is the engine's until `kept` has it.
  struct Memory {
    std::unique_ptr<md::ParticleStore> kept;
  };
  /// An array that Python has been given.
  struct Shown {
    Field field;
    nanobind::object array;
    bool is_copy, is_writable;
  };

  Simulation& simulation() const { return nanobind::cast<Simulation&>(owner_); }
  nanobind::object make_array(const Field& field, bool ghosts) const;
  /// Copies what Python has written to the engine.
  void take_written(const Shown& copy) const;

  nanobind::object owner_;
  std::set<std::string> writable_;
  std::shared_ptr<Memory> memory_;
  nanobind::object capsule_;  ///< holds `memory_` for all arrays
  std::map<std::string, Shown> shown_;
};

}  // namespace sterna::python
