#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// The kernels of one family, which has a file for each instruction set.
template <class Kernels>
struct KernelFamily {
  using Getter = const Kernels& (*)();
  Getter avx512, avx2;  ///< null where this build has none
  Getter baseline;
};

// Elsewhere the files of the other instruction sets are not compiled.
#if defined(__x86_64__)
#define STERNA_WIDE_KERNELS(getter) getter
#else
#define STERNA_WIDE_KERNELS(getter) nullptr
#endif

bool processor_has_avx512();
bool processor_has_avx2();

/// Those of a family that this processor can run, widest first; the last is the baseline.
template <class Kernels>
std::vector<const Kernels*> available_kernels(const KernelFamily<Kernels>& family) {
  std::vector<const Kernels*> kernels;
  if (family.avx512 != nullptr && processor_has_avx512()) kernels.push_back(&family.avx512());
  if (family.avx2 != nullptr && processor_has_avx2()) kernels.push_back(&family.avx2());
  kernels.push_back(&family.baseline());
  return kernels;
}

/// Throws std::invalid_argument: no kernels of this name; `names` are those there are.
[[noreturn]] void throw_unknown_kernels(std::string_view name,
                                        const std::vector<std::string_view>& names);

/// Of `available_kernels` those of that name, or for "auto" the widest. Throws
/// std::invalid_argument, with the names there are, for one that this processor lacks or that does
/// not exist.
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
