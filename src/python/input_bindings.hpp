#pragma once

#include <nanobind/nanobind.h>

namespace sterna::python {

/// The checks of inputs and what they find.
void bind_input(nanobind::module_& module);

}  // namespace sterna::python
