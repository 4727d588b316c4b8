#pragma once

#include <cstddef>
#include <string_view>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Lent arrays below so many bytes are copied where `transport` ("shm", "rdma", "two_sided")
/// carries the messages: as measured by `tune_messages`, otherwise as is usual. Collective, the
/// same on all ranks.
std::size_t copy_limit(const Context& context, std::string_view transport);

}  // namespace sterna::comm
