#pragma once

#include <nanobind/nanobind.h>

namespace sterna::python {

/// Binds the multipole method for flat arrays; `sterna.fmm` gives them shapes. After `bind_comm`.
void bind_fmm(nanobind::module_& module);

}  // namespace sterna::python
