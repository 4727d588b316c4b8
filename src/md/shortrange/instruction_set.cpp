#include "md/shortrange/instruction_set.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace sterna::md {

std::vector<const PairKernels*> available_pair_kernels() {
  std::vector<const PairKernels*> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(&pair_kernels_avx512());
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(&pair_kernels_avx2());
  }
#endif
  kernels.push_back(&pair_kernels_baseline());
  return kernels;
}

const PairKernels& select_pair_kernels(std::string_view name) {
  const auto kernels = available_pair_kernels();
  std::string names;
  for (const PairKernels* candidate : kernels) {
    if (name == "auto" || name == candidate->name) return *candidate;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate->name);
  }
  throw std::invalid_argument(
      fmt::format("no pair kernels \"{}\" on this processor; it can run: {}", name, names));
}

}  // namespace sterna::md
