#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/particles/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A double as a text that reads back bit for bit ("0x1.8p+1"), and the way back; FileError where
/// the text is not one. For values in `CheckpointState::state`.
std::string exact_text(double value);
double exact_value(const nlohmann::json& text);

/// What a checkpoint says besides the particles. On writing only rank 0's counts.
struct CheckpointState {
  std::int64_t step = 0;
  double time = 0.0;  ///< internal unit
  Box box;
  std::array<int, 3> grid{1, 1, 1};  ///< ranks per axis
  std::vector<std::string> types;    ///< names, in the order of `Position::type`
  std::uint64_t input_hash = 0;      ///< xxh64 of the input file's text
  std::string program;               ///< name and version of the writer
  nlohmann::json state;              ///< thermostat, observers: each under its own key
  // Filled in by the writer.
  int ranks = 0;
  std::int64_t particles = 0;
};

/// Names of a checkpoint: STEM.checkpoint, before it STEM.checkpoint.previous, and while one is
/// written STEM.checkpoint.new.
std::string checkpoint_path(const std::string& stem);

struct CheckpointReport {
  std::uint64_t bytes = 0;  ///< of the file
  double seconds = 0.0;     ///< that this rank spent
};

/// Collective. Writes the local particles of all ranks and the state, all ranks at once, into a new
/// file, which takes the place of the current one when all of it is on the disk; the current one
/// becomes the previous one. Fails on all ranks together (FileError), and then both stay as they
/// were and the unfinished file is removed. See checkpoint.cpp for the format.
CheckpointReport write_checkpoint(const comm::Context& context, const std::string& stem,
                                  const CheckpointState& state, const ParticleStore& particles);

/// An open checkpoint. Everything is collective and fails on all ranks together (FileError): not a
/// checkpoint, of another version, truncated, a damaged part.
class CheckpointReader {
 public:
  CheckpointReader(const comm::Context& context, const std::string& path);

  const CheckpointState& state() const { return state_; }
  /// FileError where the checkpoint was written with other types of particles.
  void require_types(std::span<const std::string> types) const;
  /// True where as many ranks wrote it as read it.
  bool has_block_per_rank() const;
  /// Replaces the local particles. With as many ranks as at writing: exactly this rank's, in their
  /// order. Otherwise an equal share, which lies anywhere in the box: the caller migrates them.
  /// Forces are not part of a checkpoint; they are left uninitialized.
  void read_particles(ParticleStore& particles) const;
  /// Reads everything, each rank a share, and fails where a checksum does not fit.
  void verify() const;

 private:
  struct Block {
    std::uint64_t offset;         ///< in the file
    std::uint64_t count;          ///< records
    std::uint64_t first_segment;  ///< in `checksums_`
  };
  void parse(std::string_view metadata, std::string_view table, std::uint64_t file_size);
  /// This rank's part: records [begin, end) in the order of the blocks.
  void read_records(std::uint64_t begin, std::uint64_t end, ParticleStore* particles) const;
  std::pair<std::uint64_t, std::uint64_t> equal_share() const;

  comm::Context context_;
  std::string path_;
  CheckpointState state_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> checksums_;
};

struct FoundCheckpoint {
  std::string path;                  ///< empty where no valid one was found
  std::int64_t step = 0;             ///< of that one
  std::vector<std::string> refused;  ///< why newer files were not taken, with their names
};

/// Collective. The newest checkpoint of this stem that is complete and undamaged.
FoundCheckpoint find_latest_checkpoint(const comm::Context& context, const std::string& stem);

}  // namespace sterna::md
