#include "comm/context/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace sterna::comm {
namespace {

namespace fs = std::filesystem;

/// The names of the files in one version of control groups.
struct Names {
  const char* limit;
  const char* usage;
  const char* cache;  ///< name of a row of memory.stat
};
constexpr Names version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Names version_2{"memory.max", "memory.current", "inactive_file"};

/// Returns the number in a file; nothing if the file holds a word ("max") or does not exist.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::uint64_t cache_in(const fs::path& group, std::string_view name) {
  std::ifstream file(group / "memory.stat");
  std::string row;
  std::uint64_t bytes = 0;
  while (file >> row >> bytes) {
    if (row == name) return bytes;
  }
  return 0;
}

std::uint64_t free_in(const fs::path& group, const Names& names) {
  const auto limit = number_in(group / names.limit);
  const auto usage = number_in(group / names.usage);
  if (!limit || !usage) return unlimited;
  const std::uint64_t cache = std::min(cache_in(group, names.cache), *usage);
  const std::uint64_t used = *usage - cache;
  return *limit > used ? *limit - used : 0;
}

/// Free memory in a control group is the minimum over the group and all its ancestors. Inside a
/// container the path may be that of the host and not exist here; the mount itself is then the
/// container's own group.
std::uint64_t free_on_the_way(const fs::path& root, const fs::path& group, const Names& names) {
  std::uint64_t free = free_in(root, names);
  fs::path folder = root;
  for (const fs::path& part : group.relative_path()) {
    if (part == ".." || part.empty()) continue;
    folder /= part;
    free = std::min(free, free_in(folder, names));
  }
  return free;
}

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "memory") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::uint64_t free_in_control_groups(const fs::path& list, const fs::path& mount) {
  std::uint64_t free = unlimited;
  std::ifstream file(list);
  // A line is "4:memory:/path" in version 1, "0::/path" in version 2.
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) {
      free = std::min(free, free_on_the_way(mount, group, version_2));
    } else if (names_memory(controllers)) {
      free = std::min(free, free_on_the_way(mount / "memory", group, version_1));
    }
  }
  return free;
}

}  // namespace sterna::comm
