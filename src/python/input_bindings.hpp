#pragma once

#include <nanobind/nanobind.h>

namespace sterna::python {

/// Binds the checks of inputs and their diagnostics.
void bind_input(nanobind::module_& module);

}  // namespace sterna::python
