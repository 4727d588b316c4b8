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

/// Options with which a start file is read.
struct StartFileOptions {
  /// A name in `start_reader_rows()`, or "auto", which decides by the file's first lines.
  std::string format = "auto";
  /// The units of the file's numbers.
  UnitSystem units = *UnitSystem::by_name("reduced");
  /// Names of the input's [[type]] or [[component]] sections. A particle's type is the index of its
  /// name.
  std::vector<std::string> type_names;
  std::string type_section = "[[type]]";  ///< for messages
  /// Masses of the types in internal units, to warn if a file has others; may be empty.
  std::vector<double> type_masses;
  bool has_molecules_that_turn = false;  ///< of several sites, which have orientations
  /// Consecutive molecules with the same atoms, for files whose atoms have no names.
  struct Molecules {
    std::int64_t count = 0;
    std::vector<std::int64_t> types;  ///< of the atoms of a molecule
  };
  std::vector<Molecules> molecules;
  /// Edges (internal units) and tilt of the box, for files without a box. A file with another box
  /// is refused.
  std::optional<Vec3> box;
  Tilt tilt;
  /// Values of the formats' own keys in [start], by type, and the folder to which paths in them are
  /// relative.
  ValuesByType of_formats;
  std::string folder;
  /// Whether ids of the file are replaced by 1, 2, ... in the file's order.
  bool renumber = false;
  /// The seed for a generator that an "ls1" file names.
  std::uint64_t seed = 1;
  /// Approximate largest size of the pieces into which a file is divided.
  std::uint64_t piece_bytes = std::uint64_t{4} << 20U;
  /// Places where the input names file and box; their messages and severities are ignored.
  std::optional<Diagnostic> file_place, box_place, tilt_place;
};

/// The properties of a start file that are known before its particles are read.
struct StartFileHeader {
  std::string format;  ///< the format that was used
  std::int64_t particle_count = 0;
  Box box;
  bool has_velocities = false;
  bool has_orientations = false, has_angular_momenta = false;
  bool has_ids = false;  ///< the file has ids; otherwise they count from 1
  std::vector<Diagnostic> warnings;
};

/// Reads a start file as a stream. Memory does not grow with the file, with two exceptions: about a
/// bit per particle to find repeated ids, and 32 bytes per particle if a LAMMPS file lists
/// velocities in another order than atoms. The molecules of a generator of ls1 are all held in memory.
///
/// Records come in the file's order, in internal units, with positions wrapped into the box, whose
/// lower corner is the origin. The image counts the wrapping (and the file's own image flags), so
/// that unwrapped positions are those of the file. Velocities and angular momenta that the file
/// lacks are 0, and missing orientations are the laboratory's axes. Ids are the file's, any
/// distinct ones from 0 (for LAMMPS from 1) to 2^48 - 1, or 1, 2, ... if it has none.
class StartFileReader {
 public:
  /// Throws StartFileError, as `read_chunk` does.
  static std::unique_ptr<StartFileReader> open(const std::string& path,
                                               const StartFileOptions& options);
  /// Opens the file that [start] names, relative to the input file's folder.
  static std::unique_ptr<StartFileReader> open(const Input& input);
  /// The options with which `open` reads that file.
  static StartFileOptions options_of(const Input& input);
  /// The place of a key in the input; nothing if the input lacks it.
  static std::optional<Diagnostic> place_of(const Input& input, std::string_view key);

  virtual ~StartFileReader() = default;
  StartFileReader(const StartFileReader&) = delete;
  StartFileReader& operator=(const StartFileReader&) = delete;

  const StartFileHeader& header() const { return header_; }

  /// The next particles, at most `max_count` of them; empty after the last. Valid until the next
  /// call. The call that returns the last particle has checked that nothing follows it.
  std::span<const ParticleRecord> read_chunk(std::size_t max_count);

  /// The number of pieces into which the file is divided. Several processes can read them at once,
  /// each with a reader of its own; 0: the file can only be read as a stream.
  virtual std::int64_t piece_count() const { return 0; }
  /// The particles of a piece, in the file's order. If the file has no ids, they are 1, 2, ... in
  /// each piece. Valid until the next call; must not be mixed with `read_chunk`.
  ///
  /// If all pieces together have as many particles as the header says, and no id twice, they are
  /// the particles of the stream. Otherwise, or if StartFileError is thrown, reading the stream
  /// finds the mistake and its place.
  std::span<ParticleRecord> read_piece(std::int64_t piece);

 protected:
  StartFileReader() = default;
  /// Reads the next particle of the file; called `header_.particle_count` times.
  virtual ParticleRecord next_particle() = 0;
  /// Checks that no data follow; called once after the last particle.
  virtual void check_end() = 0;
  /// Appends the particles of a piece, if there are pieces.
  virtual void append_piece(std::int64_t piece, std::vector<ParticleRecord>& records);

  StartFileHeader header_;
  bool renumbers_ = false;  ///< ids count from 1 in the order of the file

 private:
  std::int64_t particles_read_ = 0;
  std::vector<ParticleRecord> chunk_;
};

}  // namespace sterna::md
