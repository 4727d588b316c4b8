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
/// them. Velocities and angular momenta are writable on request; positions are not, so lists and
/// forces stay valid. `end` leaves arrays that Python still uses to Python.
class View {
 public:
  /// Collective. `owner`: the Python object of the simulation. `writable`: names of arrays. Throws
  /// std::invalid_argument if one of them cannot be writable.
  View(nanobind::object owner, std::set<std::string> writable);

  /// An array of the view. If the units of the input differ from the engine's, it is a copy, whose
  /// changes become the particles' at `end`.
  nanobind::object array(const std::string& name);
  /// Collective. Throws std::invalid_argument if this rank has written numbers that are not finite,
  /// and RemoteError if another rank has.
  void end();

 private:
  /// The memory that arrays of Python keep alive. It belongs to the engine until `kept` is set.
  struct Memory {
    std::unique_ptr<md::ParticleStore> kept;
  };
  /// An array that was given to Python.
  struct Shown {
    Field field;
    nanobind::object array;
    bool is_copy, is_writable;
  };

  Simulation& simulation() const { return nanobind::cast<Simulation&>(owner_); }
  Field field_of(const std::string& name) const;
  nanobind::object make_array(const Field& field, bool ghosts) const;
  /// Whether the array is a copy because only some particles turn.
  bool is_copy_of_rotors(const Shown& shown) const;
  /// What is wrong with the numbers that Python left in an array; empty: nothing.
  std::string mistake_in_written(const std::string& name, const Shown& shown) const;
  /// Copies the changes of a copied array to the engine.
  void take_written(const Shown& copy) const;

  nanobind::object owner_;
  std::set<std::string> writable_;
  std::shared_ptr<Memory> memory_;
  nanobind::object capsule_;  ///< keeps `memory_` alive for all arrays
  std::map<std::string, Shown> shown_;
};

}  // namespace sterna::python
