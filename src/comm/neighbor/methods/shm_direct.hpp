#pragma once

#include <memory>

#include "comm/neighbor/method.hpp"

namespace sterna::comm {

std::unique_ptr<NeighborMethod> make_shm_direct(const NeighborSetting& setting);

}  // namespace sterna::comm
