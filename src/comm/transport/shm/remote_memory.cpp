#include "comm/transport/shm/remote_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sterna/comm/error.hpp"

namespace sterna::comm::shm {

RemoteMemory::RemoteMemory(const Handle& handle) : bytes_(handle.bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const auto fail = [&](const std::string& reason) {
    if (descriptor >= 0) close(descriptor);
    throw Error(fmt::format("cannot map memory of process {}: {}", handle.process, reason));
  };
  if (descriptor < 0) fail(std::strerror(errno));
  struct stat status {};
  fstat(descriptor, &status);
  if (status.st_ino != handle.file || static_cast<std::uint64_t>(status.st_size) < bytes_) {
    fail("its number means another process here (separate process namespaces)");
  }
  void* const address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) fail(std::strerror(errno));
  close(descriptor);
  data_ = static_cast<std::byte*>(address);
}

RemoteMemory::~RemoteMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

RemoteMemory::RemoteMemory(RemoteMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

}  // namespace sterna::comm::shm
