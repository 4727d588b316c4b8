#pragma once

#include <memory>

#include "comm/sparse/method.hpp"
#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

std::unique_ptr<SparseMethod> make_nbx(const SparseSetting& setting);
CostTerms cost_of_nbx(const PatternShape& shape);

}  // namespace sterna::comm
