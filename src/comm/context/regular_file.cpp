#include "sterna/comm/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sterna::comm {
namespace {

using Reason = UnreadableFile::Reason;

[[noreturn]] void fail(int error_number) {
  if (error_number == ENOENT) throw UnreadableFile(Reason::missing, "does not exist");
  throw UnreadableFile(Reason::failed,
                       fmt::format("cannot be read: {}", std::strerror(error_number)));
}

class Descriptor {
 public:
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    if (number_ < 0) fail(errno);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::string size_text(std::size_t bytes) {
  return bytes % (std::size_t{1} << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                                             : fmt::format("{} bytes", bytes);
}

}  // namespace

std::string read_regular_file(const std::string& path, std::size_t most_bytes) {
  const Descriptor file(path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) throw UnreadableFile(Reason::folder, "is a folder");
  if (!S_ISREG(status.st_mode)) {
    throw UnreadableFile(Reason::irregular, "is not a regular file, but a device or a pipe");
  }
  // The size is only a hint: files of /proc report 0, and another program may append meanwhile.
  constexpr std::size_t piece = std::size_t{64} << 10;
  const auto hint = std::min(static_cast<std::size_t>(status.st_size), most_bytes);
  std::string text;
  text.reserve(hint + piece);
  for (std::size_t filled = 0;;) {
    text.resize(filled + std::min(piece, most_bytes + 1 - filled));
    const ssize_t got = ::read(file.number(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno != EINTR) fail(errno);
    filled += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (filled > most_bytes) {
      throw UnreadableFile(Reason::too_large,
                           fmt::format("is larger than {}", size_text(most_bytes)));
    }
    if (got == 0) {
      text.resize(filled);
      return text;
    }
  }
}

}  // namespace sterna::comm
