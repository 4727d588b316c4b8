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
  /// Whether frames contain a particle, by id and type; empty: they contain all.
  std::function<bool(std::int64_t, std::int64_t)> chosen;
  /// Positions of the atoms of a particle in its body frame, for each type of particles; empty:
  /// each particle is an atom.
  std::vector<std::vector<Vec3>> places;
  /// Principal moments of inertia, for each type of particles that has `places`; 0: it does not
  /// rotate about this axis.
  std::vector<Vec3> inertia;
  /// Whether the number of atoms is another one in each frame.
  bool numbers_change = false;
  BlockRedistribution::Options redistribution;
};

/// A trajectory in a format of another program. All ranks write it at once: each encodes the atoms
/// of its block of ids and writes them behind those of the rank before.
///
/// All functions are collective and throw a FileError on all ranks if one fails. A frame becomes
/// valid when its head is written, which is done last. A failed frame (on a full disk) leaves
/// earlier frames as they were.
class FrameFile {
 public:
  /// Replaces an existing file. `particles` of the start tell how many are chosen.
  static FrameFile create(const comm::Context& context, const std::string& path,
                          std::unique_ptr<FrameFormat> format, const ParticleStore& particles,
                          FrameFileOptions options);
  /// Continues a file: drops frames later than `last_step` and an incomplete frame. Creates the
  /// file if there is none. Throws if the file has another format or other atoms.
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
  /// Waits until all frames are on the disk; to be called before a checkpoint that relies on them.
  void sync();
  std::int64_t frame_count() const;
  /// The kept frames of a file that is continued, on rank 0; nothing for a new file.
  const std::optional<KeptSteps>& kept_steps() const;

 private:
  class Implementation;
  explicit FrameFile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
