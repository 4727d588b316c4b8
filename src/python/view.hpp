#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "python/fields.hpp"
#include "python/simulation.hpp"

namespace sterna::python {

/// The arrays of this rank's particles, without copies, as long as the simulation does not change
/// them. Velocities and angular momenta may be written: places, and so lists and forces, stay as
/// they are. `end` leaves the arrays that somebody still has to them.
class View {
 public:
  /// Collective. `owner` is the simulation's object.
  explicit View(nanobind::object owner);

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
    bool is_copy;
    std::uint64_t fingerprint;  ///< of the engine's values then
  };

  Simulation& simulation() const { return nanobind::cast<Simulation&>(owner_); }
  nanobind::object make_array(const Field& field, bool ghosts) const;
  /// Whether Python has written into this one, which then is what the engine has.
  bool take_written(const Shown& shown) const;

  nanobind::object owner_;
  Memory* memory_;
  nanobind::object capsule_;  ///< of `memory_`
  std::map<std::string, Shown> shown_;
};

}  // namespace sterna::python
