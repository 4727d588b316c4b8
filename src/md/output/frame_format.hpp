#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "md/core/box.hpp"
#include "md/core/vector.hpp"
#include "md/output/atomic_file.hpp"

namespace sterna::md {

/// An atom of a frame, in internal units.
struct FrameAtom {
  std::int64_t id;    ///< of its particle
  std::int32_t type;  ///< likewise
  std::int32_t site;  ///< of a rigid molecule, from 0
  std::array<std::int32_t, 3> image;
  Vec3 position;         ///< that of the particle is in the box
  Vec3 velocity, force;  ///< sites of rigid molecules have no force of their own
};

struct FrameHead {
  std::int64_t step;
  double time;
  Box box;
  std::int64_t atoms;
  double potential_energy;
};

/// What a file of frames holds as a whole.
struct FrameFileContent {
  std::int64_t atoms, frames;
  std::int64_t first_step, interval;  ///< of the frames
  double time_per_step;               ///< 0: not known yet
};

/// A format of trajectories whose frames follow each other: a head, then blocks, each of which has
/// something of every atom in the order of ids. All texts are bytes as the file has them.
class FrameFormat {
 public:
  FrameFormat() = default;
  virtual ~FrameFormat() = default;
  FrameFormat(const FrameFormat&) = delete;
  FrameFormat& operator=(const FrameFormat&) = delete;

  /// How many atoms a file of the format can have.
  virtual std::int64_t most_atoms() const = 0;
  virtual std::int64_t last_step() const = 0;
  /// Whether frames have no step of their own but follow from their number, so that none may be
  /// missing between others.
  virtual bool counts_frames() const { return false; }
  /// Whether `encode` looks at velocities and forces.
  virtual bool has_velocities() const { return false; }
  virtual bool has_forces() const { return false; }

  /// What stands before all frames; it has the same length whatever it says.
  virtual std::string file_head(const FrameFileContent&) const { return {}; }
  /// What a file says of its frames before them, of which only the first step and the time per step
  /// are sought: `content` is what the run would write. Throws FileError where the frames are
  /// others.
  virtual void read_file_head(const RawFile&, FrameFileContent&) const {}

  virtual std::string frame_head(const FrameHead& head) const = 0;
  virtual int block_count() const { return 1; }
  /// What stands before a block of so many atoms, and behind it.
  virtual std::string block_begin(int, std::int64_t) const { return {}; }
  virtual std::string block_end(int, std::int64_t) const { return {}; }
  /// Appends the part of these atoms.
  virtual void encode(int block, std::span<const FrameAtom> atoms, std::string& bytes) const = 0;

  struct Found {
    std::int64_t step, atoms;
    std::uint64_t end;  ///< where the next frame begins
  };
  /// The frame that begins at a byte of a file of `size` bytes: the `number`-th one, from 0. Nothing
  /// where it is not whole: its head comes last, and there are zeros before. Throws FileError where
  /// there is something else.
  virtual std::optional<Found> find_frame(const RawFile& file, std::uint64_t begin,
                                          std::uint64_t size, std::int64_t number,
                                          const FrameFileContent& content) const = 0;
};

}  // namespace sterna::md
