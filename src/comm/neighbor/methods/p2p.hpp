#pragma once

#include <memory>

#include "comm/neighbor/method.hpp"

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_p2p(const NeighborSetting& setting);

}  // namespace sterna::comm
