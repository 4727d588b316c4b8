#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/output/block_redistribution.hpp"
#include "md/output/kept_steps.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

struct XtcOptions {
  /// Positions are rounded to multiples of this length.
  double rounding = 0.001;
  /// The number of atoms in the whole system.
  std::int64_t atoms = 0;
  std::int64_t interval = 0;  ///< steps between two frames; 0: not known
  /// The positions of a particle's atoms in its body frame, for each type of particles; empty if
  /// each particle is an atom.
  std::vector<std::vector<Vec3>> places;
  BlockRedistribution::Options redistribution;
};

/// A compressed trajectory of positions in GROMACS's XTC format, which its tools, VMD, MDAnalysis,
/// MDTraj and others read. All ranks write it at once: each encodes the atoms of its block of ids
/// and writes them behind those of the rank before (`encode_xtc`). Particles are in the order of
/// their ids and wrapped into the box. The atoms of a rigid molecule stay together, so some may be
/// outside.
///
/// All functions are collective and throw a FileError on all ranks if one fails. A frame becomes
/// valid when its header is written, which is done last. A failed frame (on a full disk) leaves
/// earlier frames as they were.
class XtcWriter {
 public:
  /// The largest number of atoms that GROMACS writes in this format.
  static constexpr std::int64_t most_atoms = 298261617;
  static constexpr std::int64_t highest_step = 2147483647;

  /// Replaces an existing file. `particles`: the number in the whole system.
  static XtcWriter create(const comm::Context& context, const std::string& path,
                          std::int64_t particles, const XtcOptions& options);
  /// Continues a file: drops frames later than `last_step` and an incomplete frame. Creates the
  /// file if there is none. Throws if the file is no XTC file or has other atoms.
  static XtcWriter resume(const comm::Context& context, const std::string& path,
                          std::int64_t particles, const XtcOptions& options,
                          std::int64_t last_step);
  ~XtcWriter();
  XtcWriter(XtcWriter&&) noexcept;

  /// `time` and lengths are in internal units, which are those of the file.
  void write_frame(std::int64_t step, double time, const Box& box, const ParticleStore& particles);
  /// Waits until all frames are on the disk; to be called before a checkpoint that relies on them.
  void sync();
  std::int64_t frame_count() const;
  /// The kept frames of a file that is continued, on rank 0; nothing for a new file.
  const std::optional<KeptSteps>& kept_steps() const;

 private:
  class Implementation;
  explicit XtcWriter(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
