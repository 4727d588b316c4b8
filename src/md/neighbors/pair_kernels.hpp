#pragma once

#include <string_view>
#include <vector>

#include "md/neighbors/pair_work.hpp"

namespace sterna::md {

/// The pair kernels for `available_kernels` and `select_kernels` (instruction_set.hpp).
std::vector<const PairKernels*> available_pair_kernels();
const PairKernels& select_pair_kernels(std::string_view name);

}  // namespace sterna::md
