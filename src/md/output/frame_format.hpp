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
  std::int64_t id;    ///< id of its particle
  std::int32_t type;  ///< type of its particle
  std::int32_t site;  ///< number in a rigid molecule, from 0
  std::array<std::int32_t, 3> image;
  Vec3 position;         ///< the particle's position is in the box
  Vec3 velocity, force;  ///< sites of rigid molecules have no force of their own
};

struct FrameHead {
  std::int64_t step;
  double time;
  Box box;
  std::int64_t atoms;
  double potential_energy;
};

/// Properties of a whole file of frames.
struct FrameFileContent {
  std::int64_t atoms, frames;
  std::int64_t first_step, interval;  ///< of the frames
  double time_per_step;               ///< 0 if not known yet
};

/// A format of trajectories whose frames are contiguous. A frame is a head followed by blocks, each
/// of which has some data of every atom in the order of ids. All texts are raw bytes of the file.
class FrameFormat {
 public:
  FrameFormat() = default;
  virtual ~FrameFormat() = default;
  FrameFormat(const FrameFormat&) = delete;
  FrameFormat& operator=(const FrameFormat&) = delete;

  /// The largest number of atoms in a file of this format.
  virtual std::int64_t most_atoms() const = 0;
  virtual std::int64_t last_step() const = 0;
  /// Whether frames have no step of their own but follow from their number, so that none may be
  /// missing between others.
  virtual bool counts_frames() const { return false; }
  /// Whether `encode` looks at velocities and forces.
  virtual bool has_velocities() const { return false; }
  virtual bool has_forces() const { return false; }

  /// The bytes before all frames; their length does not depend on the content.
  virtual std::string file_head(const FrameFileContent&) const { return {}; }
  /// Reads the first step and the time of a step from the bytes before the frames. `content` is
  /// what the run would write. Throws FileError if the file's frames differ from it.
  virtual void read_file_head(const RawFile&, FrameFileContent&) const {}

  virtual std::string frame_head(const FrameHead& head) const = 0;
  virtual int block_count() const { return 1; }
  /// The bytes before and behind a block of this many atoms.
  virtual std::string block_begin(int, std::int64_t) const { return {}; }
  virtual std::string block_end(int, std::int64_t) const { return {}; }
  /// Appends the data of these atoms.
  virtual void encode(int block, std::span<const FrameAtom> atoms, std::string& bytes) const = 0;

  struct Found {
    std::int64_t step, atoms;
    std::uint64_t end;  ///< begin of the next frame
  };
  /// Reads the head of the frame with this number, counted from 0, at the byte `begin` of a file of
  /// `size` bytes. Returns nothing if the frame is incomplete: its head is written last, so zeros
  /// stand in its place. Throws FileError if something else stands there.
  virtual std::optional<Found> find_frame(const RawFile& file, std::uint64_t begin,
                                          std::uint64_t size, std::int64_t number,
                                          const FrameFileContent& content) const = 0;
};

}  // namespace sterna::md
