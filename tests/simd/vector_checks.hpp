#pragma once

#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// What is told of each number that was computed: what it is of, which lane, what it should be and
/// by how much it may differ.
using ReportNumber = void (*)(const char* what, int lane, double value, double expected,
                              double tolerance);

/// Compiled once for each instruction set, like kernels.
struct VectorChecks {
  const char* name;
  int vector_bytes;
  void (*vectors_of_double)(ReportNumber);
  void (*vectors_of_float)(ReportNumber);
  void (*double_packs)(ReportNumber);
  void (*float_packs)(ReportNumber);
};

STERNA_KERNEL_GETTERS(VectorChecks, vector_checks);

}  // namespace sterna::md
