#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md::test {

/// What the pieces of a file hold, read in any order and put together; nothing where one cannot be
/// read, there are not as many particles as the header says, or an id comes twice. Throws where the
/// file cannot be opened.
inline std::optional<std::vector<ParticleRecord>> particles_of_pieces(const std::string& path,
                                                                      StartFileOptions options,
                                                                      std::uint64_t piece_bytes) {
  options.piece_bytes = piece_bytes;
  const auto reader = StartFileReader::open(path, options);
  const StartFileHeader& header = reader->header();
  std::vector<std::vector<ParticleRecord>> pieces(static_cast<std::size_t>(reader->piece_count()));
  // From both ends, so that none follows the one before it in the file.
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const std::size_t piece = n % 2 == 0 ? n / 2 : pieces.size() - 1 - n / 2;
    try {
      const auto records = reader->read_piece(static_cast<std::int64_t>(piece));
      pieces[piece].assign(records.begin(), records.end());
    } catch (const StartFileError&) {
      return std::nullopt;
    }
  }
  std::vector<ParticleRecord> all;
  std::set<std::int64_t> ids;
  for (std::vector<ParticleRecord>& piece : pieces) {
    const auto before = static_cast<std::int64_t>(all.size());
    for (ParticleRecord& record : piece) {
      if (!header.has_ids) record.id += before;
      if (!ids.insert(record.id).second) return std::nullopt;
      all.push_back(record);
    }
  }
  if (static_cast<std::int64_t>(all.size()) != header.particle_count) return std::nullopt;
  return all;
}

inline bool are_equal(const ParticleRecord& a, const ParticleRecord& b) {
  return std::memcmp(&a.position, &b.position, sizeof(a.position)) == 0 &&
         a.velocity == b.velocity && a.id == b.id &&
         std::memcmp(&a.image, &b.image, sizeof(a.image)) == 0 &&
         std::memcmp(&a.orientation, &b.orientation, sizeof(a.orientation)) == 0 &&
         a.angular_momentum == b.angular_momentum;
}

/// Pieces that are shorter than a line, and longer ones.
inline constexpr std::uint64_t piece_sizes[] = {1, 50, 131, 100000};

/// Where the file has pieces, they hold these particles, which the stream has.
inline void check_pieces(const std::string& path, const StartFileOptions& options,
                         const std::vector<ParticleRecord>& particles) {
  for (const std::uint64_t bytes : piece_sizes) {
    CAPTURE(bytes);
    StartFileOptions cut = options;
    cut.piece_bytes = bytes;
    const std::int64_t pieces = StartFileReader::open(path, cut)->piece_count();
    if (pieces == 0 || pieces > 2000) continue;
    const auto found = particles_of_pieces(path, options, bytes);
    REQUIRE(found.has_value());
    REQUIRE(found->size() == particles.size());
    CHECK(std::equal(found->begin(), found->end(), particles.begin(), are_equal));
  }
}

}  // namespace sterna::md::test
