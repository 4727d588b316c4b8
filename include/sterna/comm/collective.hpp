#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Blocking, collective helpers for rare events: start-up, shut-down, reports.

/// Replaces `bytes` (contents and length) on every rank by those of `root`.
void broadcast(const Context& context, int root, std::string& bytes);

/// Returns the strings of all ranks on `root`, in rank order; other ranks get an empty list.
std::vector<std::string> gather(const Context& context, int root, const std::string& bytes);

/// Returns the exclusive prefix sum of `value` over the ranks (0 on rank 0).
std::int64_t exclusive_sum(const Context& context, std::int64_t value);

void barrier(const Context& context);

}  // namespace sterna::comm
