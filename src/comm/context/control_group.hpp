#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace sterna::comm {

/// The number of bytes that stands for no limit, or an unknown one.
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// Returns the memory that is left to this process by the control groups in `list` (in the format
/// of /proc/self/cgroup, version 1 or 2) and all their ancestors. Caches that the system would give
/// up count as free. Returns `unlimited` if there is no limit, or no `mount` to find it in.
std::uint64_t free_in_control_groups(const std::filesystem::path& list,
                                     const std::filesystem::path& mount);

}  // namespace sterna::comm
