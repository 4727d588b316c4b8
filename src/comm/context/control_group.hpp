#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace sterna::comm {

/// Bytes, where there is no limit or none is known.
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// What the control groups that `list` names (as /proc/self/cgroup does, version 1 or 2) and those
/// above them leave of their limits; caches that the system would give up count as free. The
/// largest number where there is no limit, or no `mount` to find it under.
std::uint64_t free_in_control_groups(const std::filesystem::path& list,
                                     const std::filesystem::path& mount);

}  // namespace sterna::comm
