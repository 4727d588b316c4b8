#include "md/output/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "md/core/file_error.hpp"

namespace sterna::md {
namespace {

// Linux transfers at most 2^31 - 4096 bytes per call, so larger transfers are split.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

int open_flags(RawFile::Mode mode) {
  // O_NONBLOCK, because opening a pipe would otherwise wait for the process at its other end.
  constexpr int always = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  switch (mode) {
    case RawFile::Mode::read:
      return O_RDONLY | always;
    case RawFile::Mode::write:
      return O_RDWR | O_NOFOLLOW | always;
    case RawFile::Mode::create:
      return O_RDWR | O_CREAT | O_NOFOLLOW | always;
  }
  return O_RDONLY | always;
}

[[noreturn]] void fail_irregular(const std::string& path, mode_t mode) {
  if (S_ISLNK(mode)) {
    throw FileError(path +
                    ": is a symbolic link, and a run writes no file that a link names; move it "
                    "away (\"directory\" in [output] may be a link)");
  }
  throw FileError(path + (S_ISDIR(mode) ? ": is a folder, not a file"
                                        : ": is not a regular file, but a device or a pipe"));
}

}  // namespace

void require_own_file(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw FileError(system_failure(path, "cannot open", errno));
  }
  if (!S_ISREG(status.st_mode)) fail_irregular(path, status.st_mode);
}

RawFile::RawFile(std::string path, Mode mode) : path_(std::move(path)) {
  do {
    descriptor_ = ::open(path_.c_str(), open_flags(mode), 0666);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) {
    const int error = errno;
    if (mode != Mode::read) require_own_file(path_);
    throw FileError(system_failure(path_, "cannot open", error));
  }
  struct stat status;
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    const int error = errno;
    ::close(descriptor_);
    if (known) fail_irregular(path_, status.st_mode);
    throw FileError(system_failure(path_, "cannot open", error));
  }
  if (mode != Mode::create) return;
  try {
    resize(0);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RawFile::~RawFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RawFile::RawFile(RawFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RawFile& RawFile::operator=(RawFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::uint64_t RawFile::size() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) {
    throw FileError(system_failure(path_, "cannot read the size", errno));
  }
  return static_cast<std::uint64_t>(status.st_size);
}

void RawFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written =
        ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), largest_transfer),
                 static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw FileError(system_failure(
          path_, fmt::format("cannot write {} bytes at byte {}", bytes.size(), offset), errno));
    }
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void RawFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto got = ::pread(descriptor_, bytes.data(), std::min(bytes.size(), largest_transfer),
                             static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw FileError(system_failure(
          path_, fmt::format("cannot read {} bytes at byte {}", bytes.size(), offset), errno));
    }
    if (got == 0) {
      throw FileError(fmt::format("{}: ends at byte {}, where {} more bytes are expected", path_,
                                  offset, bytes.size()));
    }
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void RawFile::resize(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    throw FileError(
        system_failure(path_, fmt::format("cannot set the length to {} bytes", size), errno));
  }
}

void RawFile::reserve(std::uint64_t offset, std::uint64_t size) {
  int result;
  do {
    result = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                         static_cast<off_t>(size));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return;
  // Only these two errors mean missing space; other errors mean that the file system cannot
  // reserve.
  if (errno == ENOSPC || errno == EDQUOT) {
    throw FileError(
        system_failure(path_, fmt::format("cannot reserve space for {} bytes", size), errno));
  }
}

void RawFile::sync() {
  // EINVAL means that the file system does not support fsync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) {
    throw FileError(system_failure(path_, "cannot bring the data to the disk", errno));
  }
}

void RawFile::close() {
  const int result = ::close(std::exchange(descriptor_, -1));
  if (result != 0 && errno != EINTR) throw FileError(system_failure(path_, "cannot close", errno));
}

bool file_exists(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    throw FileError(system_failure(path, "cannot remove", errno));
  }
}

void rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    throw FileError(system_failure(from, fmt::format("cannot rename to {}", to), errno));
  }
}

void sync_directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw FileError(system_failure(directory, "cannot open", errno));
  // Some network file systems refuse fsync of a directory, but keep renames in order by themselves.
  ::fsync(descriptor);
  ::close(descriptor);
}

void replace_keeping_previous(const std::string& path) {
  if (file_exists(path)) rename_file(path, path + ".previous");
  rename_file(path + ".new", path);
  sync_directory_of(path);
}

}  // namespace sterna::md
