#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/simd/kernel_sets.hpp"

namespace sterna::md {

/// The kernels of one family, with one getter per instruction set. A null getter is not in this
/// build.
template <class Kernels>
struct KernelFamily {
  using Getter = const Kernels& (*)();
  Getter avx512, avx2, sve512, sve256, neon, baseline;
};

/// The getters NAME_avx512 and so on (kernel_getters.hpp), null if this build lacks them.
/// kernel_sets.hpp, which CMake writes, defines the macros (cmake/SternaKernels.cmake).
#define STERNA_KERNEL_FAMILY(name)                                                  \
  {                                                                                 \
    STERNA_AVX512_KERNELS(name##_avx512), STERNA_AVX2_KERNELS(name##_avx2),         \
        STERNA_SVE512_KERNELS(name##_sve512), STERNA_SVE256_KERNELS(name##_sve256), \
        STERNA_NEON_KERNELS(name##_neon), STERNA_BASELINE_KERNELS(name##_baseline)  \
  }

bool processor_has_avx512();
/// Whether the processor executes 64-byte instructions in two halves, as AMD's Zen 4 does.
bool processor_halves_avx512();
bool processor_has_avx2();
/// Whether this thread's SVE registers have so many bits. Code for a fixed length is wrong at any
/// other length, also at a longer one.
bool processor_has_sve(int bits);
bool processor_has_neon();

/// The kernels of a family that this build has and this processor can run, widest first.
template <class Kernels>
std::vector<const Kernels*> available_kernels(const KernelFamily<Kernels>& family) {
  std::vector<const Kernels*> kernels;
  if (family.avx512 != nullptr && processor_has_avx512()) kernels.push_back(&family.avx512());
  if (family.avx2 != nullptr && processor_has_avx2()) kernels.push_back(&family.avx2());
  if (family.sve512 != nullptr && processor_has_sve(512)) kernels.push_back(&family.sve512());
  if (family.sve256 != nullptr && processor_has_sve(256)) kernels.push_back(&family.sve256());
  if (family.neon != nullptr && processor_has_neon()) kernels.push_back(&family.neon());
  if (family.baseline != nullptr) kernels.push_back(&family.baseline());
  return kernels;
}

/// Throws std::invalid_argument: no kernels have this name. `names` are the available ones, perhaps
/// none.
[[noreturn]] void throw_unknown_kernels(std::string_view name,
                                        const std::vector<std::string_view>& names);

/// The kernels with this name out of `available`, or the widest for "auto". Throws
/// std::invalid_argument, with the available names, if there is no such name or if this build or
/// this processor lacks the kernels.
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
