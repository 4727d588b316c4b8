#pragma once

/// Declares the functions that return the kernels of a family, NAME_SET for each instruction set.
/// Each is defined in a file of its own, NAME_SET.cpp, and a build has those of its processor's
/// architecture (instruction_set.hpp).
#define STERNA_KERNEL_GETTERS(Kernels, name) \
  const Kernels& name##_avx512();            \
  const Kernels& name##_avx2();              \
  const Kernels& name##_sve512();            \
  const Kernels& name##_sve256();            \
  const Kernels& name##_neon();              \
  const Kernels& name##_baseline()
