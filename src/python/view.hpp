#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "python/simulation.hpp"

namespace sterna::python {

/// The arrays of this rank's particles, without copies, as long as the simulation does not change
/// them. `end` leaves the arrays that somebody still has to them.
class View {
 public:
  /// Collective. `owner` is the simulation's object.
  explicit View(nanobind::object owner);

  /// Read-only; where the units of the input are not those of the engine, a copy.
  nanobind::object array(const std::string& name) const;
  /// Collective.
  void end();

 private:
  /// What arrays of Python keep alive. The memory is the engine's until `kept` has it.
  struct Memory {
    std::unique_ptr<md::ParticleStore> kept;
  };

  Simulation& simulation() const { return nanobind::cast<Simulation&>(owner_); }

  nanobind::object owner_;
  Memory* memory_;
  nanobind::object capsule_;  ///< of `memory_`
};

}  // namespace sterna::python
