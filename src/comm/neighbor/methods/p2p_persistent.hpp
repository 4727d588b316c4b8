#pragma once

#include <memory>

#include "comm/neighbor/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_p2p_persistent(const NeighborSetting& setting);
CostTerms cost_of_p2p_persistent(const PatternShape& shape);

}  // namespace sterna::comm
