#include "sterna/comm/free_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

#include "comm/context/control_group.hpp"

namespace sterna::comm {
namespace {

/// The memory that the kernel reports as available without swapping; unlimited if it reports none.
std::uint64_t available_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibibytes << 10U;
  }
  return unlimited;
}

std::uint64_t address_space_in_use() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

FreeMemory free_memory_of_node() {
  FreeMemory free{available_on_machine(), "memory of the machine"};
  const std::uint64_t in_groups = free_in_control_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  if (in_groups < free.bytes) free = {in_groups, "limit of the control group"};
  if (free.bytes != unlimited) free.bytes -= free.bytes / 20;
  return free;
}

FreeMemory free_memory_of_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return {unlimited, "no limit"};
  }
  const std::uint64_t used = address_space_in_use();
  return {limit.rlim_cur > used ? limit.rlim_cur - used : 0, "ulimit -v"};
}

std::string memory_text(std::uint64_t bytes) {
  if (bytes == unlimited) return "more than 2^64 bytes";
  static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(units)) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace sterna::comm
