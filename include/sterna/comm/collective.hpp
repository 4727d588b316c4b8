#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Blocking helpers for what happens once or rarely: start-up, shut-down, reports. Collective.

/// Replaces `bytes` (data and length) on every rank by that of `root`.
void broadcast(const Context& context, int root, std::string& bytes);

/// The strings of all ranks in rank order, on `root`; empty elsewhere.
std::vector<std::string> gather(const Context& context, int root, const std::string& bytes);

/// Exclusive prefix sum of `value` over the ranks (0 on rank 0).
std::int64_t exclusive_sum(const Context& context, std::int64_t value);

void barrier(const Context& context);

}  // namespace sterna::comm
