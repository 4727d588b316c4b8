#pragma once

#include <memory>

#include "comm/sparse/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<SparseMethod> make_grid(const SparseSetting& setting);
CostTerms cost_of_grid(const PatternShape& shape);

}  // namespace sterna::comm
