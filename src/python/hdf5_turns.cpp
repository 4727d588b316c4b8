#include "python/hdf5_turns.hpp"

#include <nanobind/nanobind.h>

#include "md/output/hdf5_library.hpp"

namespace sterna::python {
namespace {

namespace nb = nanobind;

thread_local bool holds_lock_of_h5py = false;

nb::object lock_of_h5py() {
  return nb::module_::import_("h5py._objects").attr("phil");
}

void begin_turn() {
  if (!nb::is_alive()) return;
  const nb::gil_scoped_acquire held;
  try {
    lock_of_h5py().attr("acquire")();
    holds_lock_of_h5py = true;
  } catch (const nb::python_error&) {
    // Without h5py no turns are necessary.
  }
}

void end_turn() {
  if (!holds_lock_of_h5py) return;
  holds_lock_of_h5py = false;
  const nb::gil_scoped_acquire held;
  try {
    lock_of_h5py().attr("release")();
  } catch (const nb::python_error&) {
    // The module of the lock was destroyed, because the interpreter ends.
  }
}

}  // namespace

void take_turns_with_h5py() {
  md::hdf5::set_turns({.begin = begin_turn, .end = end_turn});
}

}  // namespace sterna::python
