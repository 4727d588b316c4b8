#pragma once

#include <memory>

#include "comm/sparse/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<SparseMethod> make_two_level(const SparseSetting& setting);
CostTerms cost_of_two_level(const PatternShape& shape);

}  // namespace sterna::comm
