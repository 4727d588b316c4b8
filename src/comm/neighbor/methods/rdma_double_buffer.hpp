#pragma once

#include <memory>

#include "comm/neighbor/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_rdma_double_buffer(const NeighborSetting& setting);
CostTerms cost_of_rdma_double_buffer(const PatternShape& shape);

}  // namespace sterna::comm
