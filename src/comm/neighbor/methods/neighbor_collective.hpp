#pragma once

#include <memory>

#include "comm/neighbor/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_neighbor_collective(const NeighborSetting& setting);
CostTerms cost_of_neighbor_collective(const PatternShape& shape);

}  // namespace sterna::comm
