#pragma once

#include "md/domain/halo_plan.hpp"

namespace sterna::md {

/// Three stages; throws std::invalid_argument where the decomposition is not a regular grid.
/// See halo_staged.cpp.
HaloPlan plan_staged_halo(const Decomposition& decomposition, int rank, double width);

}  // namespace sterna::md
