#pragma once

namespace sterna::md {
namespace {

/// Calls function.operator()<q>() for q from 0 to count - 1. An array that is indexed by such
/// constants stays in registers, whereas the compiler may store an array in memory if a loop
/// indexes it, even an unrolled one.
template <int count, class Function>
[[gnu::always_inline]] inline void unrolled(const Function& function) {
  if constexpr (count > 0) {
    unrolled<count - 1>(function);
    function.template operator()<count - 1>();
  }
}

}  // namespace
}  // namespace sterna::md
