#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {

/// The memory that a rank is about to allocate, by kind.
struct MemoryNeed {
  std::size_t plain = 0;   ///< private memory of this process, and memory registered with UCX
  std::size_t shared = 0;  ///< anonymous files that other processes map
  std::size_t window = 0;  ///< MPI windows, which are in /dev/shm

  std::size_t all() const { return sum_of_bytes(sum_of_bytes(plain, shared), window); }
  MemoryNeed& operator+=(const MemoryNeed& other) {
    plain = sum_of_bytes(plain, other.plain);
    shared = sum_of_bytes(shared, other.shared);
    window = sum_of_bytes(window, other.window);
    return *this;
  }
};

/// Returns the reason why this process alone cannot have this much; empty if it can. Local, for
/// memory that is allocated without agreement. Harmless sizes pass without a query of the system.
std::string why_no_memory(const MemoryNeed& need);
/// Throws MemoryError if there is such a reason.
void require_memory(const MemoryNeed& need);

/// Throws the same MemoryError on all ranks if the ranks of a node together need more than is
/// available, or if one of them needs more than its limits allow. No memory is touched before.
/// Collective.
void require_memory_on_all(Context::Implementation& context, const MemoryNeed& need,
                           std::string_view exchange_name);

}  // namespace sterna::comm
