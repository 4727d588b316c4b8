#pragma once

#include "md/domain/halo_plan.hpp"

namespace sterna::md {

/// The plan with one stage, for any decomposition. See halo_direct.cpp.
HaloPlan plan_direct_halo(const Decomposition& decomposition, int rank, double width);

}  // namespace sterna::md
