#pragma once

#include <memory>
#include <string>

#include "comm/sparse/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::string why_rdma_reserve_unavailable(const Context& context);
std::unique_ptr<SparseMethod> make_rdma_reserve(const SparseSetting& setting);
CostTerms cost_of_rdma_reserve(const PatternShape& shape);

}  // namespace sterna::comm
