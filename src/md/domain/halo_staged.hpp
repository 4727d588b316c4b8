#pragma once

#include "md/domain/halo_plan.hpp"

namespace sterna::md {

/// The plan with three stages; see halo_staged.cpp. Throws std::invalid_argument if the
/// decomposition is not a regular grid.
HaloPlan plan_staged_halo(const Decomposition& decomposition, int rank, double width);

}  // namespace sterna::md
