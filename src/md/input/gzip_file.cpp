#include "md/input/gzip_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sterna::md {
namespace {

/// The functions of zlib that are used; a gzFile is a pointer.
struct Zlib {
  void* (*open)(const char*, const char*) = nullptr;
  int (*read)(void*, void*, unsigned) = nullptr;
  const char* (*error)(void*, int*) = nullptr;
  int (*close)(void*) = nullptr;
};

Zlib zlib() {
  void* const library = ::dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  Zlib found;
  if (library != nullptr) {
    found.open = reinterpret_cast<decltype(found.open)>(::dlsym(library, "gzopen"));
    found.read = reinterpret_cast<decltype(found.read)>(::dlsym(library, "gzread"));
    found.error = reinterpret_cast<decltype(found.error)>(::dlsym(library, "gzerror"));
    found.close = reinterpret_cast<decltype(found.close)>(::dlsym(library, "gzclose"));
  }
  if (!found.open || !found.read || !found.error || !found.close) {
    throw std::runtime_error(
        "is compressed, and zlib (libz.so.1), which unpacks it, was not found; unpack it: gunzip");
  }
  return found;
}

class TemporaryFile {
 public:
  TemporaryFile() {
    const char* const folder = std::getenv("TMPDIR");
    std::string path =
        std::string(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/sterna-XXXXXX";
    descriptor_ = ::mkostemp(path.data(), 0);
    if (descriptor_ < 0) fail("cannot be unpacked into " + path);
    ::unlink(path.c_str());
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void append(const char* bytes, std::size_t size) const {
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, bytes, size);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail("cannot be unpacked into the folder for temporary files (TMPDIR)");
      bytes += done;
      size -= static_cast<std::size_t>(done);
    }
  }
  int release() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return descriptor;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
  }

  int descriptor_ = -1;
};

}  // namespace

bool is_gzip_file(int descriptor) {
  unsigned char begin[2] = {0, 0};
  return ::pread(descriptor, begin, 2, 0) == 2 && begin[0] == 0x1f && begin[1] == 0x8b;
}

int unpack_gzip_file(const std::string& path) {
  const Zlib z = zlib();
  const std::unique_ptr<void, int (*)(void*)> packed(z.open(path.c_str(), "rb"), z.close);
  if (packed == nullptr) {
    throw std::runtime_error(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  TemporaryFile unpacked;
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const int size = z.read(packed.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    int status = 0;
    const char* const reason = z.error(packed.get(), &status);
    // zlib returns the data of a truncated file first, and reports the error afterwards.
    if (size < 0 || status < 0) {
      throw std::runtime_error(fmt::format("cannot be unpacked, it is damaged: {}", reason));
    }
    if (size == 0) return unpacked.release();
    unpacked.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace sterna::md
