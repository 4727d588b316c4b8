#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"

namespace sterna::comm {

/// Sends `outgoing[i]` to `ranks[i]` and returns what those ranks sent here, by messages with
/// `tag`. Each of those ranks must call it, too. It waits, so it is for start-up only.
std::vector<std::string> handshake(Context::Implementation& context, std::string_view exchange_name,
                                   int tag, std::span<const int> ranks,
                                   std::span<const std::string> outgoing);

}  // namespace sterna::comm
