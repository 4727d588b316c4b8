#pragma once

#include <cstdint>
#include <string>

namespace sterna::comm {

/// The number of bytes that are available, and which limit says so: "memory of the machine",
/// "control group", "ulimit -v". An error then reads "only 3.2 GiB are free (control group)".
struct FreeMemory {
  std::uint64_t bytes = 0;
  std::string limit = {};
};

/// The memory for all processes of this node together: the machine's available memory, or what the
/// control groups of this process leave if that is less. A twentieth is kept for other programs.
FreeMemory free_memory_of_node();

/// The memory that `ulimit -v` leaves to this process alone.
FreeMemory free_memory_of_process();

/// Writes a number of bytes as "3.2 GiB" or "512 bytes". The largest std::uint64_t becomes "more
/// than 2^64 bytes".
std::string memory_text(std::uint64_t bytes);

}  // namespace sterna::comm
