#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/json.hpp"
#include "md/output/atomic_file.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Names of a checkpoint: STEM.checkpoint, before it STEM.checkpoint.previous, and while one is
/// written STEM.checkpoint.new.
inline std::string checkpoint_path(const std::string& stem) {
  return stem + ".checkpoint";
}

/// A double as a text that reads back bit for bit ("0x1.8p+1"), and the way back; FileError where
/// the text is not one. For values in `CheckpointState::state`.
std::string exact_text(double value);
double exact_value(const Json& text);
/// Likewise arrays of them.
Json exact_array(std::span<const double> values);
/// One text of 16 digits for each, which takes a tenth of the memory. `exact_values` reads it, too.
Json packed_array(std::span<const double> values);
std::vector<double> exact_values(const Json& array);

/// What one rank keeps besides its particles, in pieces.
using RankData = std::vector<std::vector<std::byte>>;
using RankDataView = std::span<const std::span<const std::byte>>;

/// What a checkpoint says besides the particles. On writing only rank 0's counts.
struct CheckpointState {
  std::int64_t step = 0;
  double time = 0.0;  ///< internal unit
  Box box;
  std::array<int, 3> grid{1, 1, 1};  ///< ranks per axis
  std::vector<std::string> types;    ///< names, in the order of `Position::type`
  std::uint64_t input_hash = 0;      ///< xxh64 of the input file's text
  std::string program;               ///< name and version of the writer
  Json state;                        ///< thermostat, observers: each under its own key
  // Filled in by the writer.
  int ranks = 0;
  std::int64_t particles = 0;
  bool rotating = false;  ///< with orientations and angular momenta
};

/// The format of a checkpoint, as one process sees it; checkpoint.hpp has the ranks work together.
/// Every failure is a FileError that names the file.

/// Where the block of rank 0 begins, and what a block of `records` takes.
inline constexpr std::uint64_t first_checkpoint_block = 4096;
std::uint64_t checkpoint_block_bytes(std::uint64_t records, bool rotating);

/// Marks a file that is being written, so that the other processes know it from another one that
/// had its name; `finish_checkpoint` takes the mark away.
void mark_checkpoint(RawFile& file, std::uint64_t token);
/// Opens the file that was marked with `token`. The name alone is not enough: a network file system
/// may remember for up to a minute which file had it before, and that is now the current
/// checkpoint, into which nothing must be written. Waits that long.
RawFile open_marked_checkpoint(const std::string& path, std::uint64_t token);

/// What `write_rank_data` writes: bytes of the file.
std::uint64_t rank_data_bytes(RankDataView data);
/// Writes what this rank keeps besides from `offset` on, behind the blocks of all ranks. Its text
/// comes before that of the block in what `finish_checkpoint` wants to know.
std::string write_rank_data(RawFile& file, std::uint64_t offset, RankDataView data);
/// Writes the local particles from `offset` on; returns what `finish_checkpoint` wants to know.
std::string write_checkpoint_block(RawFile& file, std::uint64_t offset,
                                   const ParticleStore& particles);
/// Writes all but the blocks, of which each rank has told in `blocks`, and closes the file when it
/// is on the disk. Returns its size.
std::uint64_t finish_checkpoint(RawFile& file, CheckpointState state,
                                const std::vector<std::string>& blocks);

/// What is in a checkpoint and where.
class CheckpointFile {
 public:
  /// The parts of the file that every process must know; one reads them for all.
  struct Index {
    std::string metadata;
    std::string table;
    std::uint64_t blocks_end = 0;
  };
  /// Not a checkpoint, of another version, truncated, damaged: FileError.
  static Index read_index(const std::string& path);
  /// Whether the file is not damaged, as far as this program can tell, and yet nothing it can
  /// read: another version wrote it, or this user may not open it.
  static bool is_foreign(const std::string& path);

  CheckpointFile(std::string path, const Index& index);

  const std::string& path() const { return path_; }
  const CheckpointState& state() const { return state_; }
  /// Records [first, second) in the order of the blocks: those that `rank` wrote.
  std::pair<std::uint64_t, std::uint64_t> block_of(int rank) const;
  /// Reads and checks these records; where `particles` is given, they replace its local ones.
  /// FileError where the ones rotate and the others do not.
  void read(std::uint64_t begin, std::uint64_t end, ParticleStore* particles) const;
  /// What this rank kept besides at writing, checked.
  RankData read_rank_data(int rank) const;

 private:
  struct Block {
    std::uint64_t offset;  ///< in the file
    std::uint64_t first_record;
    std::uint64_t count;          ///< records
    std::uint64_t first_segment;  ///< in `checksums_`
  };
  std::string path_;
  CheckpointState state_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> checksums_;
  struct RankDataPlace {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t checksum;  ///< of the directory
  };
  std::vector<RankDataPlace> rank_data_;  ///< of each rank that wrote; empty: none kept any
};

}  // namespace sterna::md
