#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/output/checkpoint_file.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

struct CheckpointReport {
  std::uint64_t bytes = 0;  ///< of the file
  double seconds = 0.0;     ///< that this rank spent
};

/// Collective. Writes the local particles of all ranks and the state, all ranks at once, into a new
/// file, which takes the place of the current one when all of it is on the disk; the current one
/// becomes the previous one. Fails on all ranks together (FileError), and then both stay as they
/// were and the unfinished file is removed. `rank_data`: what this rank keeps besides the
/// particles, in pieces; ranks may differ in it. The format is in checkpoint_file.cpp.
CheckpointReport write_checkpoint(const comm::Context& context, const std::string& stem,
                                  CheckpointState state, const ParticleStore& particles,
                                  RankDataView rank_data = {});

/// The same into a file of any name; an earlier one of this name becomes PATH.previous.
CheckpointReport write_checkpoint_file(const comm::Context& context, const std::string& path,
                                       CheckpointState state, const ParticleStore& particles,
                                       RankDataView rank_data = {});

/// An open checkpoint. Everything is collective and fails on all ranks together (FileError): not a
/// checkpoint, of another version, truncated, a damaged part.
class CheckpointReader {
 public:
  CheckpointReader(const comm::Context& context, const std::string& path);

  const CheckpointState& state() const { return file_.state(); }
  /// FileError where the checkpoint was written with other types of particles.
  void require_types(std::span<const std::string> types) const;
  /// True where as many ranks wrote it as read it.
  bool has_block_per_rank() const;
  /// Replaces the local particles. With as many ranks as at writing: exactly this rank's, in their
  /// order. Otherwise an equal share, which lies anywhere in the box: the caller migrates them.
  /// Forces are not part of a checkpoint; they are left uninitialized.
  void read_particles(ParticleStore& particles) const;
  /// What ranks kept besides: with as many ranks as at writing, that of this one; otherwise that of
  /// several ranks or of none, so that each comes to one rank.
  std::vector<RankData> read_rank_data() const;
  /// Reads everything, each rank a share, and fails where a checksum does not fit.
  void verify() const;

 private:
  std::pair<std::uint64_t, std::uint64_t> equal_share() const;

  comm::Context context_;
  CheckpointFile file_;
};

struct FoundCheckpoint {
  std::string path;                  ///< empty where no valid one was found
  std::int64_t step = 0;             ///< of that one
  std::vector<std::string> refused;  ///< why newer files were not taken, with their names
  /// Whether a run that was there before would be lost by going on from `path`, or by starting
  /// again where that is empty: no checkpoint can be read, or the newest may be good and only this
  /// program or user cannot read it.
  bool would_lose_run = false;
};

/// Collective. The newest checkpoint of this stem that is complete and undamaged.
FoundCheckpoint find_latest_checkpoint(const comm::Context& context, const std::string& stem);

}  // namespace sterna::md
