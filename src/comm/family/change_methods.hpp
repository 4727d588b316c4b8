#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "comm/context/agreement.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/tune/tuner.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// Agrees on the methods that may carry the next rounds of an exchange, when the tuner is due.
/// Collective. The functions are called for each of the `count` methods by index: `is_made(i)`;
/// `retire(i)` for a method that is no longer used; `make(i)`, which may throw Error on some ranks.
/// In that case `drop(i)` follows on all ranks, and the method takes no part. Throws Error on all
/// ranks if the only method that is left cannot be made.
template <class IsMade, class Make, class Retire, class Drop>
void change_methods(Tuner& tuner, Context::Implementation& context, std::string_view exchange_name,
                    std::size_t count, IsMade&& is_made, Make&& make, Retire&& retire,
                    Drop&& drop) {
  tuner.agree();
  for (std::size_t i = 0; i < count; ++i) {
    if (std::ranges::find(tuner.live(), i) == tuner.live().end()) {
      if (is_made(i)) retire(i);
    } else if (!is_made(i)) {
      std::string fault;
      try {
        make(i);
      } catch (const Error& error) {
        if (context.failed) throw;
        fault = error.what();
      }
      fault = agree_on_reason(context, fault, exchange_name);
      if (fault.empty()) continue;
      if (tuner.live().size() == 1) throw Error(std::string(exchange_name) + ": " + fault);
      drop(i);
      tuner.exclude(i, fault);
    }
  }
}

}  // namespace sterna::comm
