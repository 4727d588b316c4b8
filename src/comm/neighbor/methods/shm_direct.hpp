#pragma once

#include <memory>

#include "comm/neighbor/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_shm_direct(const NeighborSetting& setting);
CostTerms cost_of_shm_direct(const PatternShape& shape);

}  // namespace sterna::comm
