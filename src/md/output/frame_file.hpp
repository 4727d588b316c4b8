#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/output/block_redistribution.hpp"
#include "md/output/frame_format.hpp"
#include "md/output/kept_steps.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

struct FrameFileOptions {
  std::int64_t interval = 1;  ///< steps between two frames
  /// Of the particles that frames have, by id and type; empty: all.
  std::function<bool(std::int64_t, std::int64_t)> chosen;
  /// Where the atoms of a particle are in its body frame, for each type of particles; empty: each
  /// particle is an atom.
  std::vector<std::vector<Vec3>> places;
  /// Principal moments of inertia, for each type of particles that has places; 0: it does not turn
  /// about this axis.
  std::vector<Vec3> inertia;
  BlockRedistribution::Options redistribution;
};

/// A trajectory in a format of another program. All ranks write it at once: each one encodes the
/// atoms of its block of ids and writes them behind those of the rank before.
///
/// Everything is collective and fails on all ranks together with a FileError. A frame counts once
/// its head is written, which comes last. One that failed (a full disk) leaves the earlier ones as
/// they were.
class FrameFile {
 public:
  /// An existing file is replaced. `particles`: of the start, which tell how many are chosen.
  static FrameFile create(const comm::Context& context, const std::string& path,
                          std::unique_ptr<FrameFormat> format, const ParticleStore& particles,
                          FrameFileOptions options);
  /// Continues a file: frames later than `last_step`, and one that has no end, are dropped. Where
  /// there is no file, one is made. Fails where the file is no such file or has other atoms.
  static FrameFile resume(const comm::Context& context, const std::string& path,
                          std::unique_ptr<FrameFormat> format, const ParticleStore& particles,
                          FrameFileOptions options, std::int64_t last_step);
  ~FrameFile();
  FrameFile(FrameFile&&) noexcept;

  bool is_due(std::int64_t step) const;
  std::int64_t interval() const;
  const std::string& path() const;
  void write_frame(std::int64_t step, double time, double potential_energy, const Box& box,
                   const ParticleStore& particles);
  /// Returns when all frames are on the disk: before a checkpoint that follows them.
  void sync();
  std::int64_t frame_count() const;
  /// Of the frames of a file that is continued, on rank 0; nothing where the file is new.
  const std::optional<KeptSteps>& kept_steps() const;

 private:
  class Implementation;
  explicit FrameFile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
