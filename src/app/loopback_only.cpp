// A library that `sterna` loads into the launcher of Open MPI (LD_PRELOAD). This launcher listens
// on all networks for daemons on other machines, and no setting prevents it. If all ranks run on
// this machine there are no such daemons: here sockets for all networks become sockets of the
// loopback interface.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

/// Keeps the library from being loaded into ranks, whose sockets have settings of their own. A
/// wrapper around the launcher passes it on.
[[gnu::constructor]] void keep_from_ranks() {
  // The link gives the program's real name, even if it was started by another name.
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return;
  std::string_view program(path, static_cast<std::size_t>(length));
  program.remove_prefix(program.rfind('/') + 1);
  if (program.starts_with("prte") || program.starts_with("orte")) unsetenv("LD_PRELOAD");
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int bind(int socket, const sockaddr* address,
                                                   socklen_t length) noexcept {
  using Bind = int (*)(int, const sockaddr*, socklen_t);
  static const auto next = reinterpret_cast<Bind>(dlsym(RTLD_NEXT, "bind"));
  sockaddr_storage changed{};
  if (address != nullptr && length <= sizeof changed) {
    std::memcpy(&changed, address, length);
    auto& four = reinterpret_cast<sockaddr_in&>(changed);
    auto& six = reinterpret_cast<sockaddr_in6&>(changed);
    if (changed.ss_family == AF_INET && length >= sizeof four &&
        four.sin_addr.s_addr == htonl(INADDR_ANY)) {
      four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address = reinterpret_cast<const sockaddr*>(&changed);
    }
    if (changed.ss_family == AF_INET6 && length >= sizeof six &&
        IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr)) {
      six.sin6_addr = in6addr_loopback;
      address = reinterpret_cast<const sockaddr*>(&changed);
    }
  }
  return next(socket, address, length);
}
