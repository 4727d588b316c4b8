#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"

namespace sterna::comm {

/// Returns for each method, on all ranks, why it does not work here: the reason of the lowest rank
/// that has one, or an empty text if it works on all. `mine` has as many entries on each rank.
/// Collective.
std::vector<std::string> agree_on_reasons(Context::Implementation& context,
                                          const std::vector<std::string>& mine,
                                          std::string_view exchange_name);

/// Throws Error on all ranks if one has a `fault` (that rank reports it, the others quote it), and
/// if the ranks give different numbers of the method. Collective.
void agree_on_method(Context::Implementation& context, std::string fault, std::size_t method,
                     std::string_view named, std::string_view exchange_name);

}  // namespace sterna::comm
