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

/// Collective, where the tuner is due: agrees on the methods that may carry the next rounds of an
/// exchange. For each of its `count` methods by index: `is_made(i)`; `retire(i)`, once it is done
/// with; `make(i)`, which may throw Error on some ranks: then `drop(i)` follows on all, and the
/// method takes no part. Throws Error on all ranks where the only one that is left cannot be made.
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
