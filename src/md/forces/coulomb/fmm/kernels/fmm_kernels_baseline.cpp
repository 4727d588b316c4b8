#define STERNA_VECTOR_BYTES 16
#define STERNA_INSTRUCTION_SET "baseline"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_baseline() {
  return instruction_set;
}

}  // namespace sterna::md
