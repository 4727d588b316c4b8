#pragma once

namespace sterna::md {
namespace {

/// Calls function.operator()<q>() for q from 0 to count - 1. Arrays whose indices are constants
/// from the start stay in registers; those that an unrolled loop goes through may be stored in each
/// turn.
template <int count, class Function>
[[gnu::always_inline]] inline void unrolled(const Function& function) {
  if constexpr (count > 0) {
    unrolled<count - 1>(function);
    function.template operator()<count - 1>();
  }
}

}  // namespace
}  // namespace sterna::md
