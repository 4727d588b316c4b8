#include <immintrin.h>

#define STERNA_VECTOR_BYTES 32
#define STERNA_INSTRUCTION_SET "avx2"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_avx2() {
  return instruction_set;
}

}  // namespace sterna::md
