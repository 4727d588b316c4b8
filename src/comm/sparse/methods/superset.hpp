#pragma once

#include <memory>

#include "comm/sparse/method.hpp"

namespace sterna::comm {

std::unique_ptr<SparseMethod> make_superset(const SparseSetting& setting);

}  // namespace sterna::comm
