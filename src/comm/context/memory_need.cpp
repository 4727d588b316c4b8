#include "comm/context/memory_need.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/free_memory.hpp"

namespace sterna::comm {
namespace {

/// Below these sizes, of a process and of all ranks on a node, no check is made.
constexpr std::size_t harmless_in_process = std::size_t{1} << 20U;
constexpr std::size_t harmless_on_node = std::size_t{64} << 20U;

std::string too_much(std::string_view what, std::uint64_t wanted, std::string_view whose,
                     const FreeMemory& free) {
  return fmt::format("{} of {} are wanted{}, but only {} are free ({})", memory_text(wanted), what,
                     whose, memory_text(free.bytes), free.limit);
}

/// The limit of a file's size: the kernel ends a process that makes a longer file.
FreeMemory largest_file() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return {std::numeric_limits<std::uint64_t>::max(), "no limit"};
  }
  return {limit.rlim_cur, "ulimit -f"};
}

FreeMemory free_for_windows() {
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) != 0) {
    return {std::numeric_limits<std::uint64_t>::max(), "no limit"};
  }
  return {std::uint64_t{status.f_bavail} * status.f_frsize, "/dev/shm"};
}

std::string why_not_in_process(const MemoryNeed& need) {
  const FreeMemory free = free_memory_of_process();
  if (need.all() > free.bytes) return too_much("memory", need.all(), " by one process", free);
  const std::size_t file = std::max(need.shared, need.window);
  const FreeMemory largest = largest_file();
  if (file > largest.bytes) return too_much("shared memory", file, " by one process", largest);
  return {};
}

/// `whose`: "" or " by 4 ranks of this node".
std::string why_not_on_node(std::uint64_t all, std::uint64_t windows, std::string_view whose) {
  const FreeMemory free = free_memory_of_node();
  if (all > free.bytes) return too_much("memory", all, whose, free);
  const FreeMemory left = free_for_windows();
  if (windows > left.bytes) return too_much("MPI windows", windows, whose, left);
  return {};
}

std::string not_a_size() {
  return fmt::format("{} are wanted", memory_text(too_many_bytes));
}

/// Sums the needs of the ranks of each node. The sums are doubles, which do not overflow.
std::vector<double> wanted_on_nodes(Context::Implementation& context, const MemoryNeed& need,
                                    std::string_view exchange_name) {
  std::vector<double> wanted(2 * static_cast<std::size_t>(context.node_count));
  const auto node =
      static_cast<std::size_t>(context.node_of[static_cast<std::size_t>(context.rank)]);
  wanted[2 * node] = static_cast<double>(need.all());
  wanted[2 * node + 1] = static_cast<double>(need.window);
  std::vector<double> all(wanted.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(wanted.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE,
                           MPI_SUM, context.communicator, &request),
            exchange_name);
  wait_for_request(context, request, exchange_name, "allreduce", 0);
  return {all[2 * node], all[2 * node + 1]};
}

std::uint64_t to_bytes(double bytes) {
  return bytes < 0x1p64 ? static_cast<std::uint64_t>(bytes) : too_many_bytes;
}

}  // namespace

std::string why_no_memory(const MemoryNeed& need) {
  if (need.all() <= harmless_in_process) return {};
  if (need.all() == too_many_bytes) return not_a_size();
  std::string reason = why_not_in_process(need);
  if (reason.empty()) reason = why_not_on_node(need.all(), need.window, "");
  return reason;
}

void require_memory(const MemoryNeed& need) {
  const std::string reason = why_no_memory(need);
  if (!reason.empty()) throw MemoryError(reason);
}

void require_memory_on_all(Context::Implementation& context, const MemoryNeed& need,
                           std::string_view exchange_name) {
  const auto mine = static_cast<std::int64_t>(
      std::min<std::size_t>(need.all(), std::numeric_limits<std::int64_t>::max()));
  const std::int64_t most = largest(context, mine, exchange_name);
  // The sums go over the whole context, because different nodes have different ranks.
  if (static_cast<std::size_t>(most) <= harmless_on_node / static_cast<std::size_t>(context.size)) {
    return;
  }
  const std::vector<double> wanted = wanted_on_nodes(context, need, exchange_name);
  std::string fault;
  if (need.all() == too_many_bytes) {
    fault = not_a_size();
  } else {
    fault = why_not_in_process(need);
    if (fault.empty()) {
      const std::string whose =
          context.ranks_on_node.size() > 1
              ? fmt::format(" by the {} ranks of this node", context.ranks_on_node.size())
              : "";
      fault = why_not_on_node(to_bytes(wanted[0]), to_bytes(wanted[1]), whose);
    }
  }
  const std::string agreed = agree_on_reason(context, fault, exchange_name);
  if (!agreed.empty()) throw MemoryError(fmt::format("{}: {}", exchange_name, agreed));
}

}  // namespace sterna::comm
