#include "comm/transport/shm/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "comm/context/memory_need.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::shm {
namespace {

/// Allocates the pages now, so that a lack of memory is an error here and not a bus error at a
/// later store. The kernel would rather end other programs than refuse. So free memory is checked
/// piece by piece, as other programs may allocate at the same time. Returns an error number, or 0.
int take_pages(int descriptor, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{256} << 20U;
  for (std::size_t at = 0; at < bytes; at += piece) {
    if (at > 0 && !why_no_memory({.shared = bytes - at}).empty()) return ENOMEM;
    const std::size_t length = std::min(piece, bytes - at);
    const int error =
        posix_fallocate(descriptor, static_cast<off_t>(at), static_cast<off_t>(length));
    if (error != 0) return error;
  }
  return 0;
}

}  // namespace

Memory::Memory(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  require_memory({.shared = bytes});
  const int descriptor = memfd_create("sterna", MFD_CLOEXEC);
  const auto fail = [&](int error) {
    if (descriptor >= 0) close(descriptor);
    throw Error(fmt::format("no {} bytes of shared memory: {}", bytes, std::strerror(error)));
  };
  if (descriptor < 0) fail(errno);
  if (const int error = take_pages(descriptor, bytes); error != 0) fail(error);
  void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) fail(errno);
  struct stat status {};
  fstat(descriptor, &status);
  data_ = static_cast<std::byte*>(address);
  handle_ = {getpid(), descriptor, bytes, status.st_ino};
}

Memory::~Memory() {
  munmap(data_, handle_.bytes);
  close(static_cast<int>(handle_.descriptor));
}

}  // namespace sterna::comm::shm
