#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/units.hpp"
#include "md/core/values_by_type.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"
#include "md/input/start_file_error.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// What a start file is read with.
struct StartFileOptions {
  /// Of `start_reader_rows()`, or "auto": by the file's first lines.
  std::string format = "auto";
  /// What the file's numbers mean.
  UnitSystem units = *UnitSystem::by_name("reduced");
  /// Of the input's [[type]] or [[component]] sections. A particle's type is the number of its name
  /// here.
  std::vector<std::string> type_names;
  std::string type_section = "[[type]]";  ///< for messages
  /// To warn where a file states others; in internal units; may be empty.
  std::vector<double> type_masses;
  bool has_molecules_that_turn = false;  ///< of several sites, which have orientations
  /// Molecules of atoms that follow each other, for files whose atoms have no names.
  struct Molecules {
    std::int64_t count = 0;
    std::vector<std::int64_t> types;  ///< of the atoms of one
  };
  std::vector<Molecules> molecules;
  /// Edges of the box where the file has none, in internal units, and its tilt. A file that has
  /// another box is refused.
  std::optional<Vec3> box;
  Tilt tilt;
  /// What formats have keys for in [start], by type, and the folder that paths in it count from.
  ValuesByType of_formats;
  std::string folder;
  /// Ids are 1, 2, ... in the file's order, whatever they are in the file.
  bool renumber = false;
  /// For what a generator draws, where an "ls1" file names one.
  std::uint64_t seed = 1;
  /// About how large the pieces are at most that a file is cut into.
  std::uint64_t piece_bytes = std::uint64_t{4} << 20U;
  /// Where the input names the file and the box; message and severity do not matter.
  std::optional<Diagnostic> file_place, box_place, tilt_place;
};

/// What is known of a start file before its particles are read.
struct StartFileHeader {
  std::string format;  ///< the one that was used
  std::int64_t particle_count = 0;
  Box box;
  bool has_velocities = false;
  bool has_orientations = false, has_angular_momenta = false;
  bool has_ids = false;  ///< of its own; otherwise particles are numbered from 1
  std::vector<Diagnostic> warnings;
};

/// Reads a start file as a stream: memory does not grow with the file, except for a bit or so per
/// particle to find repeated ids, and 32 bytes per particle where a LAMMPS file lists velocities
/// in another order than atoms; of what a generator of ls1 makes, all is held.
///
/// Records come in the file's order, in internal units, with positions wrapped into the box whose
/// lower corner is the origin; the image counts what wrapping took off (and the file's own image
/// flags), so that unwrapped positions are those of the file. Without velocities or angular momenta
/// in the file they are 0, without orientations these are the laboratory's axes. Ids are the
/// file's, any different ones from 0 (of LAMMPS from 1) to 2^48 - 1, or 1, 2, ... where it has
/// none.
class StartFileReader {
 public:
  /// Throws StartFileError, as `read_chunk` does.
  static std::unique_ptr<StartFileReader> open(const std::string& path,
                                               const StartFileOptions& options);
  /// The file that [start] names, found from the input file's folder.
  static std::unique_ptr<StartFileReader> open(const Input& input);
  /// What that is opened with.
  static StartFileOptions options_of(const Input& input);
  /// Where the input has a key; nothing where it lacks it.
  static std::optional<Diagnostic> place_of(const Input& input, std::string_view key);

  virtual ~StartFileReader() = default;
  StartFileReader(const StartFileReader&) = delete;
  StartFileReader& operator=(const StartFileReader&) = delete;

  const StartFileHeader& header() const { return header_; }

  /// The next particles, at most `max_count` of them; empty after the last. Valid until the next
  /// call. The call that returns the last particle has checked that nothing follows it.
  std::span<const ParticleRecord> read_chunk(std::size_t max_count);

  /// Into how many pieces the file is cut, which several processes can read at once, each with a
  /// reader of its own; 0: it can only be read as a stream.
  virtual std::int64_t piece_count() const { return 0; }
  /// The particles of a piece, in the file's order. Where the file has no ids they are 1, 2, ... in
  /// each piece. Valid until the next call; not to be mixed with `read_chunk`.
  ///
  /// Where all pieces are read, there are as many particles as the header says and no id comes
  /// twice, they are the particles that the stream has. Otherwise, and where StartFileError is
  /// thrown, the stream finds what is wrong, and where.
  std::span<ParticleRecord> read_piece(std::int64_t piece);

 protected:
  StartFileReader() = default;
  /// The next particle of the file, called `header_.particle_count` times.
  virtual ParticleRecord next_particle() = 0;
  /// Called once after that.
  virtual void check_end() = 0;
  /// Appends the particles of a piece, where there are pieces.
  virtual void append_piece(std::int64_t piece, std::vector<ParticleRecord>& records);

  StartFileHeader header_;
  bool renumbers_ = false;  ///< particles get ids from 1, in the order of the file

 private:
  std::int64_t particles_read_ = 0;
  std::vector<ParticleRecord> chunk_;
};

}  // namespace sterna::md
