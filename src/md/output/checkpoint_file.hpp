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
#include "md/system/added_fields.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The path of a checkpoint is STEM.checkpoint. The one before it is STEM.checkpoint.previous, and
/// an unfinished one is STEM.checkpoint.new.
inline std::string checkpoint_path(const std::string& stem) {
  return stem + ".checkpoint";
}

/// Converts a double to a text that keeps every bit ("0x1.8p+1"), and back; FileError if the text
/// is no such number. For values in `CheckpointState::state`.
std::string exact_text(double value);
double exact_value(const Json& text);
/// The same for arrays of doubles.
Json exact_array(std::span<const double> values);
/// One text with 16 hexadecimal digits per number, which takes a tenth of the memory.
/// `exact_values` reads it, too.
Json packed_array(std::span<const double> values);
std::vector<double> exact_values(const Json& array);

/// Further data of one rank besides its particles, in pieces.
using RankData = std::vector<std::vector<std::byte>>;
using RankDataView = std::span<const std::span<const std::byte>>;

/// The content of a checkpoint besides the particles. At writing only rank 0's is used.
struct CheckpointState {
  std::int64_t step = 0;
  double time = 0.0;  ///< internal unit
  Box box;
  std::array<int, 3> grid{1, 1, 1};  ///< ranks per axis
  std::vector<std::string> types;    ///< names, in the order of `Position::type`
  std::uint64_t input_hash = 0;      ///< xxh64 of the input file's text
  std::string program;               ///< name and version of the writer
  Json state;                        ///< thermostats, observers, each under its own key
  // The writer sets the following members.
  int ranks = 0;
  std::int64_t particles = 0;
  bool rotating = false;  ///< whether particles have orientations and angular momenta
  /// Whether only some of them have. Then records have none, and those of some particles follow.
  bool only_some_rotate = false;
  std::vector<AddedFieldLayout> fields;  ///< added fields, whose numbers records have
};

/// The format of a checkpoint as one process sees it; checkpoint.hpp makes the ranks cooperate.
/// Every failure is a FileError that names the file.

/// The offset of rank 0's block, and the size of a block with this many records of `state`, and this
/// many particles that rotate, where only some do.
inline constexpr std::uint64_t first_checkpoint_block = 4096;
std::uint64_t checkpoint_block_bytes(std::uint64_t records, std::uint64_t rotors,
                                     const CheckpointState& state);

/// Marks a file that is being written, so that other processes can tell it from an earlier file of
/// the same name. `finish_checkpoint` removes the mark.
void mark_checkpoint(RawFile& file, std::uint64_t token);
/// Opens the file that was marked with `token`. The name alone is not enough: for up to a minute, a
/// network file system may still connect it with the earlier file, which is now the current
/// checkpoint and must not be changed. Waits at least as long.
RawFile open_marked_checkpoint(const std::string& path, std::uint64_t token);

/// The size of the data that `write_rank_data` writes.
std::uint64_t rank_data_bytes(RankDataView data);
/// Writes this rank's further data from `offset` on, behind the blocks of all ranks. Returns a text
/// for `finish_checkpoint`, to be placed before the block's text.
std::string write_rank_data(RawFile& file, std::uint64_t offset, RankDataView data);
/// Writes the local particles, with their added fields if there are any, from `offset` on; returns
/// a text for `finish_checkpoint`.
std::string write_checkpoint_block(RawFile& file, std::uint64_t offset,
                                   const ParticleStore& particles,
                                   const AddedFields* fields = nullptr);
/// Writes everything but the blocks, which the texts in `blocks` describe, and closes the file when
/// it is on the disk. Returns its size.
std::uint64_t finish_checkpoint(RawFile& file, CheckpointState state,
                                const std::vector<std::string>& blocks);

/// The content of a checkpoint and its places in the file.
class CheckpointFile {
 public:
  /// The parts of the file that every process needs; one process reads them for all.
  struct Index {
    std::string metadata;
    std::string table;
    std::uint64_t blocks_end = 0;
  };
  /// Throws FileError if the file is no checkpoint, has another version, is truncated or damaged.
  static Index read_index(const std::string& path);
  /// Whether the file seems undamaged but cannot be read, because another version wrote it or this
  /// user may not open it.
  static bool is_foreign(const std::string& path);

  CheckpointFile(std::string path, const Index& index);

  const std::string& path() const { return path_; }
  const CheckpointState& state() const { return state_; }
  /// Records [first, second) that `rank` wrote, counted over all blocks.
  std::pair<std::uint64_t, std::uint64_t> block_of(int rank) const;
  /// Reads and checks these records. If `particles` is given, they replace its local ones;
  /// FileError if only one of file and store rotates. If `fields` is given, the added fields of the
  /// file replace those there.
  void read(std::uint64_t begin, std::uint64_t end, ParticleStore* particles,
            AddedFields* fields = nullptr) const;
  /// The further data of a writing rank, checked.
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
  /// For each segment, how many orientations segments before it have, where only some particles
  /// rotate.
  std::vector<std::uint64_t> turns_before_;
  /// Takes the second half of `checksums_`, which is how many orientations each segment has.
  void take_turn_counts(const std::string& contradiction);
  std::uint64_t turns_before(std::uint64_t segment) const;

  struct RankDataPlace {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t checksum;  ///< of the directory
  };
  std::vector<RankDataPlace> rank_data_;  ///< for each writing rank; empty: no rank had any
};

}  // namespace sterna::md
