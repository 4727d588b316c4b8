#include "md/shortrange/instruction_set.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace sterna::md {

namespace {

/// Those of one family that this processor can run, widest first.
template <class Kernels>
std::vector<const Kernels*> available([[maybe_unused]] const Kernels& (*avx512)(),
                                      [[maybe_unused]] const Kernels& (*avx2)(),
                                      const Kernels& (*baseline)()) {
  std::vector<const Kernels*> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(&avx512());
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels.push_back(&avx2());
#endif
  kernels.push_back(&baseline());
  return kernels;
}

template <class Kernels>
const Kernels& select(const std::vector<const Kernels*>& kernels, std::string_view name) {
  std::string names;
  for (const Kernels* candidate : kernels) {
    if (name == "auto" || name == candidate->name) return *candidate;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate->name);
  }
  throw std::invalid_argument(
      fmt::format("no pair kernels \"{}\" on this processor; it can run: {}", name, names));
}

// Elsewhere the files of the other instruction sets are not compiled.
#if defined(__x86_64__)
#define STERNA_WIDE_KERNELS(function) function
#else
#define STERNA_WIDE_KERNELS(function) nullptr
#endif

}  // namespace

std::vector<const PairKernels*> available_pair_kernels() {
  return available<PairKernels>(STERNA_WIDE_KERNELS(pair_kernels_avx512),
                                STERNA_WIDE_KERNELS(pair_kernels_avx2), pair_kernels_baseline);
}
const PairKernels& select_pair_kernels(std::string_view name) {
  return select(available_pair_kernels(), name);
}

std::vector<const MolecularKernels*> available_molecular_kernels() {
  return available<MolecularKernels>(STERNA_WIDE_KERNELS(molecular_kernels_avx512),
                                     STERNA_WIDE_KERNELS(molecular_kernels_avx2),
                                     molecular_kernels_baseline);
}
const MolecularKernels& select_molecular_kernels(std::string_view name) {
  return select(available_molecular_kernels(), name);
}

}  // namespace sterna::md
