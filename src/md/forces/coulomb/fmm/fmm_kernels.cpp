#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const FmmInstructionSet*> available_fmm_kernels() {
  return available_kernels<FmmInstructionSet>(STERNA_KERNEL_FAMILY(fmm_kernels));
}

const FmmInstructionSet& select_fmm_kernels(std::string_view name) {
  return select_kernels(available_fmm_kernels(), name);
}

}  // namespace sterna::md
