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
  std::uint64_t bytes = 0;  ///< size of the file
  double seconds = 0.0;     ///< time that this rank spent
};

/// Collective. Writes the local particles of all ranks and the state, all ranks at once, into a new
/// file. When it is completely on the disk, the new file takes the place of the current one, which
/// becomes the previous one. If it fails, it fails on all ranks (FileError); then both files stay
/// as they were and the unfinished file is removed. `rank_data`: further data of this rank, in
/// pieces, which may differ between ranks. `fields`: added fields of the particles; null: none.
/// checkpoint_file.cpp describes the format.
CheckpointReport write_checkpoint(const comm::Context& context, const std::string& stem,
                                  CheckpointState state, const ParticleStore& particles,
                                  RankDataView rank_data = {}, const AddedFields* fields = nullptr);

/// The same for any file name; an earlier file of this name becomes PATH.previous.
CheckpointReport write_checkpoint_file(const comm::Context& context, const std::string& path,
                                       CheckpointState state, const ParticleStore& particles,
                                       RankDataView rank_data = {},
                                       const AddedFields* fields = nullptr);

/// An open checkpoint. All functions are collective and throw FileError on all ranks if the file is
/// no checkpoint, has another version, is truncated or is damaged.
class CheckpointReader {
 public:
  CheckpointReader(const comm::Context& context, const std::string& path);

  const CheckpointState& state() const { return file_.state(); }
  /// Throws FileError if the checkpoint was written with other types of particles.
  void require_types(std::span<const std::string> types) const;
  /// Whether the number of ranks is the same as at writing.
  bool has_block_per_rank() const;
  /// Replaces the local particles. With the number of ranks as at writing, each rank gets exactly
  /// its own, in their order. Otherwise it gets an equal share from anywhere in the box, and the
  /// caller must migrate them. Forces are not in a checkpoint and stay uninitialized. The added
  /// fields of the checkpoint replace those of `fields`, if that is given.
  void read_particles(ParticleStore& particles, AddedFields* fields = nullptr) const;
  /// The further data of ranks: with the number of ranks as at writing, this rank's own; otherwise
  /// those of several ranks or of none, such that each rank's data go to one rank.
  std::vector<RankData> read_rank_data() const;
  /// Reads everything, each rank a share, and throws if a checksum does not match.
  void verify() const;

 private:
  std::pair<std::uint64_t, std::uint64_t> equal_share() const;

  comm::Context context_;
  CheckpointFile file_;
};

struct FoundCheckpoint {
  std::string path;                  ///< empty if no valid checkpoint was found
  std::int64_t step = 0;             ///< step of this checkpoint
  std::vector<std::string> refused;  ///< names of newer files, and why they were refused
  /// Whether continuing from `path`, or starting again if it is empty, would lose an earlier run:
  /// no checkpoint can be read, or the newest may be good but this program or user cannot read it.
  bool would_lose_run = false;
};

/// Collective. Finds the newest checkpoint of this stem that is complete and undamaged.
FoundCheckpoint find_latest_checkpoint(const comm::Context& context, const std::string& stem);

}  // namespace sterna::md
