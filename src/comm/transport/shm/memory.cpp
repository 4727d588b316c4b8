#include "comm/transport/shm/memory.hpp"

#ifdef STERNA_HAVE_SHM

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sterna/comm/error.hpp"

namespace sterna::comm::shm {

Memory::Memory(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  const int descriptor = memfd_create("sterna", MFD_CLOEXEC);
  const auto fail = [&](int error) {
    if (descriptor >= 0) close(descriptor);
    throw Error(fmt::format("no {} bytes of shared memory: {}", bytes, std::strerror(error)));
  };
  if (descriptor < 0) fail(errno);
  // Takes the pages now: a lack of memory is an error here, not a bus error at some later store.
  if (const int error = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)); error != 0) {
    fail(error);
  }
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

#endif
