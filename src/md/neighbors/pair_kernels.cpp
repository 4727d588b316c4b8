#include "md/neighbors/pair_kernels.hpp"

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const PairKernels*> available_pair_kernels() {
  return available_kernels<PairKernels>(STERNA_KERNEL_FAMILY(pair_kernels));
}

const PairKernels& select_pair_kernels(std::string_view name) {
  return select_kernels(available_pair_kernels(), name);
}

}  // namespace sterna::md
