#pragma once

#include <nanobind/nanobind.h>

namespace sterna::python {

/// Binds systems of particles that a program makes.
void bind_system(nanobind::module_& module);

}  // namespace sterna::python
