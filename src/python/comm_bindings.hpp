#pragma once

#include <nanobind/nanobind.h>

namespace sterna::python {

/// Binds the communication library for bytes; `sterna.comm` makes arrays of them.
void bind_comm(nanobind::module_& module);

}  // namespace sterna::python
