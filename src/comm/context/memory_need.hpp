#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {

/// The memory that a rank is about to take, by what it is made of.
struct MemoryNeed {
  std::size_t plain = 0;   ///< of this process, and what UCX registers
  std::size_t shared = 0;  ///< files without a name that other processes map
  std::size_t window = 0;  ///< windows of MPI, which lie in /dev/shm

  std::size_t all() const { return sum_of_bytes(sum_of_bytes(plain, shared), window); }
  MemoryNeed& operator+=(const MemoryNeed& other) {
    plain = sum_of_bytes(plain, other.plain);
    shared = sum_of_bytes(shared, other.shared);
    window = sum_of_bytes(window, other.window);
    return *this;
  }
};

/// Why this process alone cannot have so much; empty where it can. Local, for memory that is taken
/// without agreement. Sizes that could do no harm are let pass without a look at the system.
std::string why_no_memory(const MemoryNeed& need);
/// Throws MemoryError where there is a reason.
void require_memory(const MemoryNeed& need);

/// Collective. Throws the same MemoryError on all ranks where the ranks of a node together want
/// more than there is, or one of them more than its limits allow, before anything is touched.
void require_memory_on_all(Context::Implementation& context, const MemoryNeed& need,
                           std::string_view exchange_name);

}  // namespace sterna::comm
