#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "md/start/readers/start_file_reader.hpp"

/// Reads the bytes as a start file, in chunks of three: either all records hold what the reader
/// promises, or a StartFileError is thrown that can be shown.
class StartFileFuzzer {
 public:
  StartFileFuzzer(const std::uint8_t* data, std::size_t size)
      : descriptor_(::memfd_create("start", MFD_CLOEXEC)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(descriptor_ >= 0);
    require(::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  /// Reads a file that somebody else writes.
  explicit StartFileFuzzer(std::string path) : descriptor_(-1), path_(std::move(path)) {}
  ~StartFileFuzzer() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void read(const sterna::md::StartFileOptions& options) const {
    using namespace sterna::md;
    try {
      const auto reader = StartFileReader::open(path_, options);
      const StartFileHeader& header = reader->header();
      require(header.particle_count > 0 && !header.format.empty());
      for (const Diagnostic& warning : header.warnings) check(warning);
      const Vec3& edges = header.box.length;
      const auto& tilt = header.box.tilt;
      // In unsheared coordinates; those of a box that leans come with rounding.
      const Shear shear = header.box.shear();
      const double slack = shear.none() ? 0.0
                                        : 1e-9 * (edges.x + edges.y + edges.z + std::abs(tilt.xy) +
                                                  std::abs(tilt.xz) + std::abs(tilt.yz));
      std::int64_t count = 0;
      std::set<std::int64_t> ids;
      for (auto records = reader->read_chunk(3); !records.empty();
           records = reader->read_chunk(3)) {
        for (const ParticleRecord& record : records) {
          ++count;
          require(record.id >= 0 && record.id < (std::int64_t{1} << 48));
          require(ids.insert(record.id).second);
          require(record.position.type >= 0 &&
                  record.position.type < static_cast<std::int64_t>(options.type_names.size()));
          const Vec3 unsheared = shear.unsheared(record.position.vector());
          for (int axis = 0; axis < 3; ++axis) {
            const double x = unsheared[axis];
            require(std::isfinite(edges[axis]) && x >= -slack && x < edges[axis] + slack);
            require(std::isfinite(record.velocity[axis]));
          }
        }
      }
      require(count == header.particle_count);
    } catch (const StartFileError& error) {
      check(error.diagnostic());
    }
  }

 private:
  static void require(bool holds) {
    if (!holds) std::abort();
  }
  static void check(const sterna::md::Diagnostic& diagnostic) {
    require(diagnostic.line >= 0 && !diagnostic.message.empty());
    for (const char c : sterna::md::render(diagnostic)) {
      require(static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t');
    }
  }

  int descriptor_;
  std::string path_;
};
