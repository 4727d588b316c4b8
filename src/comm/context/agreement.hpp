#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// Returns, on all ranks, the reason of the lowest rank that gave one ("rank 3: ..."); empty if
/// none did. Collective. So one rank's objection becomes an error on all ranks instead of an
/// endless wait.
std::string agree_on_reason(Context::Implementation& context, const std::string& mine,
                            std::string_view exchange_name);

/// Throws Error on all ranks if one of them gives a `fault`. Collective.
void throw_on_all(Context::Implementation& context, const std::string& fault,
                  std::string_view exchange_name);

/// Runs a local `action`. If it throws Error on one rank, all ranks throw. Collective.
template <class Action>
void on_all_ranks(Context::Implementation& context, std::string_view exchange_name,
                  Action&& action) {
  std::string fault;
  try {
    action();
  } catch (const Error& error) {
    fault = error.what();
  }
  throw_on_all(context, fault, exchange_name);
}

/// Checks that all ranks make an object of the same `kind` ("a region"), and throws Error on all
/// ranks if they do not. Called first when an object is made, since its ranks would otherwise wait
/// for messages that never come. Collective.
void announce_object(Context::Implementation& context, std::string_view kind,
                     std::string_view name);

/// Returns the largest of the ranks' values. Collective.
std::int64_t largest(Context::Implementation& context, std::int64_t mine,
                     std::string_view exchange_name);

}  // namespace sterna::comm
