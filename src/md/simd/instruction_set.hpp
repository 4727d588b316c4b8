#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/simd/kernel_sets.hpp"

namespace sterna::md {

/// The kernels of one family, which has a file for each instruction set. Null: not in this build.
template <class Kernels>
struct KernelFamily {
  using Getter = const Kernels& (*)();
  Getter avx512, avx2, baseline;
};

/// Of functions NAME_avx512, NAME_avx2 and NAME_baseline those that this build has. kernel_sets.hpp,
/// which CMake writes, defines the three macros (cmake/SternaKernels.cmake).
#define STERNA_KERNEL_FAMILY(name)                                          \
  {                                                                         \
    STERNA_AVX512_KERNELS(name##_avx512), STERNA_AVX2_KERNELS(name##_avx2), \
        STERNA_BASELINE_KERNELS(name##_baseline)                            \
  }

bool processor_has_avx512();
/// Whether it does 64 bytes in two halves: AMD's Zen 4.
bool processor_halves_avx512();
bool processor_has_avx2();

/// Those of a family that this build has and this processor can run, widest first.
template <class Kernels>
std::vector<const Kernels*> available_kernels(const KernelFamily<Kernels>& family) {
  std::vector<const Kernels*> kernels;
  if (family.avx512 != nullptr && processor_has_avx512()) kernels.push_back(&family.avx512());
  if (family.avx2 != nullptr && processor_has_avx2()) kernels.push_back(&family.avx2());
  if (family.baseline != nullptr) kernels.push_back(&family.baseline());
  return kernels;
}

/// Throws std::invalid_argument: no kernels of this name; `names` are those there are, perhaps none.
[[noreturn]] void throw_unknown_kernels(std::string_view name,
                                        const std::vector<std::string_view>& names);

/// Of `available_kernels` those of that name, or for "auto" the widest. Throws
/// std::invalid_argument, with the names there are, for one that this build or this
/// processor lacks or that does not exist.
template <class Kernels>
const Kernels& select_kernels(const std::vector<const Kernels*>& available, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Kernels* candidate : available) {
    if (name == "auto" || name == candidate->name) return *candidate;
    names.push_back(candidate->name);
  }
  throw_unknown_kernels(name, names);
}

}  // namespace sterna::md
