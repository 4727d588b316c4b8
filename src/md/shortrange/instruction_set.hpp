#pragma once

#include <string_view>
#include <vector>

#include "md/shortrange/molecular_work.hpp"
#include "md/shortrange/pair_work.hpp"

namespace sterna::md {

/// The kernels that this processor can run, widest first; the last is "baseline", which any can.
std::vector<const PairKernels*> available_pair_kernels();

/// The kernels of that name, or for "auto" the widest. Throws std::invalid_argument, with the
/// names there are, for one that this processor lacks or that does not exist.
const PairKernels& select_pair_kernels(std::string_view name);

/// The same for the kernels of rigid molecules.
std::vector<const MolecularKernels*> available_molecular_kernels();
const MolecularKernels& select_molecular_kernels(std::string_view name);

}  // namespace sterna::md
