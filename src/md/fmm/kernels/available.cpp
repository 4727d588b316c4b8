#include "md/fmm/kernels/fmm_kernels.hpp"

namespace sterna::md {

std::vector<const FmmInstructionSet*> available_fmm_kernels() {
  std::vector<const FmmInstructionSet*> sets;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back(&fmm_kernels_avx512());
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back(&fmm_kernels_avx2());
  }
#endif
  sets.push_back(&fmm_kernels_baseline());
  return sets;
}

}  // namespace sterna::md
