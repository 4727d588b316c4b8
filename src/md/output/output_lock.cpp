#include "md/output/output_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "md/core/file_error.hpp"
#include "md/output/atomic_file.hpp"

namespace sterna::md {
namespace {

constexpr std::string_view holder_begin = "process ";

/// A text such as "process 4711 on node3 since 2026-01-31T12:00:00Z".
std::string holder_text() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) std::strcpy(host.data(), "this host");
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return fmt::format("{}{} on {} since {}", holder_begin, ::getpid(), host.data(), time.data());
}

/// The text that the holder has written so far, possibly incomplete.
std::string read_holder(int descriptor) {
  std::array<char, 512> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  holder.erase(holder.find_last_not_of("\n") + 1);
  return holder.empty() ? "another process" : holder;
}

/// Whether the path still refers to the open file, which its last holder may have removed.
bool has_name(int descriptor, const std::string& path) {
  struct stat open_file, named_file;
  return ::fstat(descriptor, &open_file) == 0 && ::lstat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

/// Whether the open file is empty or names a holder. Any other file belongs to the user and is
/// kept.
bool is_lock(int descriptor) {
  std::array<char, holder_begin.size()> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  return size == 0 || (size > 0 && std::string_view(text.data(), text.size()) == holder_begin);
}

}  // namespace

OutputLock::OutputLock(std::string path) : path_(std::move(path)) {
  for (;;) {
    require_own_file(path_);
    const int descriptor = ::open(
        path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
    if (descriptor < 0) {
      if (errno == EINTR) continue;
      throw FileError(system_failure(path_, "cannot open", errno));
    }
    if (!is_lock(descriptor)) {
      ::close(descriptor);
      throw FileError(
          path_ +
          ": is no lock of a run, and a run would replace it; move it away, or give the "
          "run another \"name\" in [run] or \"directory\" in [output]");
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string holder = error == EWOULDBLOCK ? read_holder(descriptor) : std::string();
      ::close(descriptor);
      if (error == EINTR) continue;
      if (error == EWOULDBLOCK) {
        throw FileError(
            fmt::format("{}: another run writes files of this name: {}; wait for its end, or give "
                        "this one another \"name\" in [run] or \"directory\" in [output]",
                        path_, holder));
      }
      why_missing_ = std::strerror(error);
      ::unlink(path_.c_str());
      return;
    }
    if (!has_name(descriptor, path_)) {
      ::close(descriptor);
      continue;
    }
    descriptor_ = descriptor;
    break;
  }
  // The lock is valid without its text, so a full disk is no error.
  const std::string text = holder_text() + "\n";
  if (::ftruncate(descriptor_, 0) != 0 ||
      ::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return;
  }
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  // Remove the name first, so that no process waits for a file that is about to be removed.
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      why_missing_(std::move(other.why_missing_)) {}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(why_missing_, other.why_missing_);
  return *this;
}

}  // namespace sterna::md
