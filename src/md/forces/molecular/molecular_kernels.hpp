#pragma once

#include <string_view>
#include <vector>

#include "md/forces/molecular/molecular_work.hpp"

namespace sterna::md {

/// The molecular kernels for `available_kernels` and `select_kernels` (instruction_set.hpp).
std::vector<const MolecularKernels*> available_molecular_kernels();
const MolecularKernels& select_molecular_kernels(std::string_view name);

}  // namespace sterna::md
