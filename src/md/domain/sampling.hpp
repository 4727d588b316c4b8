#pragma once

#include "md/domain/decomposition_method.hpp"

namespace sterna::md {

std::unique_ptr<Decomposition> make_sampling(const comm::Context& context,
                                             const DecompositionRequest& request);

}  // namespace sterna::md
