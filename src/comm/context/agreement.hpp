#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// Collective. The reason of the lowest rank that gave one, on all ranks ("rank 3: ..."); empty
/// where none gave one. So one rank's objection becomes an error of all, not a wait without end.
std::string agree_on_reason(Context::Implementation& context, const std::string& mine,
                            std::string_view exchange_name);

/// Collective. Throws Error on all ranks where one gives a `fault`.
void throw_on_all(Context::Implementation& context, const std::string& fault,
                  std::string_view exchange_name);

/// Collective. Runs a local `action`; where it throws Error on one rank, all ranks do.
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

/// Collective. At the beginning of what makes an object, of a `kind` ("a region"): throws Error on all
/// ranks where another one makes an object of another kind, of which it would wait for messages that
/// never come.
void announce_object(Context::Implementation& context, std::string_view kind,
                     std::string_view name);

/// Collective. The largest of the ranks' values.
std::int64_t largest(Context::Implementation& context, std::int64_t mine,
                     std::string_view exchange_name);

}  // namespace sterna::comm
