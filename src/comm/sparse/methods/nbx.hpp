#pragma once

#include <memory>

#include "comm/sparse/method.hpp"

namespace sterna::comm {

std::unique_ptr<SparseMethod> make_nbx(const SparseSetting& setting);

}  // namespace sterna::comm
