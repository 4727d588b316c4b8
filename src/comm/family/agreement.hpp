#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"

namespace sterna::comm {

/// Collective. For each method why it does not work here: the reason of the lowest rank that has
/// one, on all ranks; empty where it works on all. `mine` has as many entries on each rank.
std::vector<std::string> agree_on_reasons(Context::Implementation& context,
                                          const std::vector<std::string>& mine,
                                          std::string_view exchange_name);

/// Collective. Throws Error on all ranks where one has a `fault` (that rank says it, the others
/// quote it), and where the ranks give different numbers of the method.
void agree_on_method(Context::Implementation& context, std::string fault, std::size_t method,
                     std::string_view named, std::string_view exchange_name);

}  // namespace sterna::comm
