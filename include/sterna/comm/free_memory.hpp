#pragma once

#include <cstdint>
#include <string>

namespace sterna::comm {

/// How many bytes can be had, and what says so: "memory of the machine", "control group", "ulimit
/// -v". For messages: "only 3.2 GiB are free (control group)".
struct FreeMemory {
  std::uint64_t bytes = 0;
  std::string limit = {};
};

/// For all processes of this node together: what the machine has available, or what the control
/// groups of this process leave where that is less. A twentieth is kept for others.
FreeMemory free_memory_of_node();

/// For this process alone: what `ulimit -v` leaves.
FreeMemory free_memory_of_process();

/// "3.2 GiB"; "512 bytes". The largest number of all reads "more than 2^64 bytes".
std::string memory_text(std::uint64_t bytes);

}  // namespace sterna::comm
