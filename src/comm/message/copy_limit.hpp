#pragma once

#include <cstddef>
#include <string_view>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Returns the size below which lent arrays are copied if `transport` ("shm", "rdma", "two_sided")
/// carries the messages: the result of `tune_messages`, or else the usual one. Collective, the same
/// on all ranks.
std::size_t copy_limit(const Context& context, std::string_view transport);

}  // namespace sterna::comm
