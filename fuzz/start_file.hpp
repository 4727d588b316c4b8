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
#include <vector>

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
      std::vector<ParticleRecord> all;
      for (auto records = reader->read_chunk(3); !records.empty();
           records = reader->read_chunk(3)) {
        for (const ParticleRecord& record : records) {
          ++count;
          all.push_back(record);
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
      compare_with_pieces(options, &all);
    } catch (const StartFileError& error) {
      check(error.diagnostic());
      compare_with_pieces(options, nullptr);
    }
  }

 private:
  /// Pieces hold what the stream does, or cannot all be read; never where the stream cannot.
  void compare_with_pieces(sterna::md::StartFileOptions options,
                           const std::vector<sterna::md::ParticleRecord>* all) const {
    using namespace sterna::md;
    options.piece_bytes = 40;
    try {
      const auto reader = StartFileReader::open(path_, options);
      const std::int64_t pieces = reader->piece_count();
      constexpr std::int64_t most_pieces = 100;
      if (pieces == 0 || pieces > most_pieces) return;
      std::int64_t count = 0;
      std::set<std::int64_t> ids;
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const std::int64_t before = count;
        for (ParticleRecord& record : reader->read_piece(piece)) {
          if (!reader->header().has_ids) record.id += before;
          if (!ids.insert(record.id).second) return;
          if (all != nullptr && count < static_cast<std::int64_t>(all->size())) {
            const ParticleRecord& other = (*all)[static_cast<std::size_t>(count)];
            require(record.id == other.id);
            require(record.position.x == other.position.x);
            require(record.velocity.z == other.velocity.z);
          }
          ++count;
        }
      }
      if (count == reader->header().particle_count) require(all != nullptr);
    } catch (const StartFileError&) {
    }
  }

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
