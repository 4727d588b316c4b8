#pragma once

#include <span>
#include <string>
#include <vector>

#include "comm/neighbor/method.hpp"

namespace sterna::comm {

/// Sends `outgoing[i]` to the rank of link i and returns what those ranks sent here. Every rank of
/// the links must do the same. For start-up: by messages, with a wait.
std::vector<std::string> exchange_with_links(const NeighborSetting& setting,
                                             std::span<const Link> links,
                                             std::span<const std::string> outgoing);

}  // namespace sterna::comm
