// The reader of checkpoints. The checksums are made to fit, or every input would end at them: bytes
// 0 to 95 are the header, 96 to 99 the length of the metadata, then come metadata and table.
//
// sources: src/md/core/json.cpp
// sources: src/md/output/checkpoint_file.cpp src/md/core/checksum.cpp src/md/output/atomic_file.cpp
// sources: src/md/core/file_error.cpp src/md/system/particle_fields.cpp
// sources: src/md/system/particle_store.cpp src/md/system/rotor_array.cpp
// sources: src/md/system/added_fields.cpp
// sources: src/comm/context/nearest_name.cpp src/comm/context/joined.cpp

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "md/core/checksum.hpp"
#include "md/core/file_error.hpp"
#include "md/output/checkpoint_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void set(std::vector<std::byte>& bytes, std::size_t offset, std::uint64_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

/// Offsets of fields of the header in checkpoint_file.cpp.
enum {
  file_size = 16,
  metadata_offset = 56,
  metadata_size = 64,
  metadata_checksum = 72,
  table_checksum = 80,
  header_checksum = 88,
  header_end = 96
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sterna::md;
  std::vector<std::byte> bytes(std::as_bytes(std::span(data, size)).begin(),
                               std::as_bytes(std::span(data, size)).end());
  if (size >= header_end + 4) {
    std::uint32_t length = 0;
    std::memcpy(&length, data + header_end, sizeof(length));
    const std::size_t rest = size - header_end - 4;
    const std::size_t metadata = std::min<std::size_t>(length, rest);
    const auto whole = std::span(bytes);
    set(bytes, file_size, size);
    set(bytes, metadata_offset, header_end + 4);
    set(bytes, metadata_size, metadata);
    set(bytes, metadata_checksum, xxh64(whole.subspan(header_end + 4, metadata)));
    set(bytes, table_checksum, xxh64(whole.subspan(header_end + 4 + metadata)));
    set(bytes, header_checksum, xxh64(whole.first(header_checksum)));
  }
  const int descriptor = ::memfd_create("checkpoint", MFD_CLOEXEC);
  require(descriptor >= 0);
  require(::write(descriptor, bytes.data(), size) == static_cast<ssize_t>(size));
  try {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const CheckpointFile file(path, CheckpointFile::read_index(path));
    const auto count = static_cast<std::uint64_t>(file.state().particles);
    ParticleStore particles;
    file.read(0, count, &particles);
    require(particles.local_count() == count);
    require(file.block_of(file.state().ranks - 1).second == count);
    file.read(count / 3, count / 2, nullptr);
  } catch (const FileError& error) {
    require(error.what()[0] != '\0');
  }
  ::close(descriptor);
  return 0;
}
