#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const FmmInstructionSet*> available_fmm_kernels() {
  return available_kernels<FmmInstructionSet>({STERNA_WIDE_KERNELS(fmm_kernels_avx512),
                                               STERNA_WIDE_KERNELS(fmm_kernels_avx2),
                                               fmm_kernels_baseline});
}

}  // namespace sterna::md
