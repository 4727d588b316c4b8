#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/output/block_redistribution.hpp"
#include "md/output/kept_steps.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The content of a trajectory besides the particles' ids, types and masses.
struct H5mdOptions {
  /// Any of "position" (wrapped into the box; of the center of mass for molecules), "velocity",
  /// "force", "image", and if particles rotate "orientation" (unit quaternion w x y z, body to
  /// laboratory) and "angular_momentum" (laboratory frame); at least one.
  std::vector<std::string> fields{"position"};
  bool single_precision = false;  ///< everything but images as float32 instead of float64
  /// Whether rank 0 compresses frames without loss (shuffled bytes, deflate).
  bool compressed = false;
  /// Positions are rounded to multiples of the largest power of two that is not above this, so that
  /// they compress better; 0: all bits are kept.
  double rounding = 0.0;
  bool reduced_units = true;  ///< otherwise the file says the units nm, ps, u, kJ/mol
  bool triclinic = false;     ///< edges are vectors, the rows of a 3 x 3 matrix
  std::vector<std::string> type_names;
  std::vector<double> type_masses;
  struct Observable {
    std::string name;
    std::string unit;  ///< not written if empty
  };
  /// The flexible molecules, or null. With a topology, each particle has the name of its atom and
  /// the number of its molecule, and the file contains the bonds. It must outlive the writer.
  const Topology* topology = nullptr;
  /// Names of the scalars whose values `write_frame` gets.
  std::vector<Observable> observables;
  /// A description of the particles for programs that show their sites. It is the attribute
  /// `sterna_particles` of the group `parameters`; not written if empty.
  std::string description;
  std::string author = "unknown";
  std::string creator_version = "unknown";
  /// A larger frame of a field is divided into several chunks, because HDF5 limits chunks to 4 GiB.
  std::uint64_t maximum_chunk_bytes = std::uint64_t{2} << 30;
  BlockRedistribution::Options redistribution;
};

/// A trajectory in H5MD 1.1 (P. de Buyl, P. Colberg, F. Höfling, Comput. Phys. Commun. 185, 1546
/// (2014)), which MDAnalysis, h5py and others read. All ranks write it at once without a parallel
/// HDF5: on rank 0 the library allocates space for a frame and tells its place in the file, then
/// every rank writes its share there. Particles are in the order of their ids, which may be any
/// distinct numbers and are the same in all frames.
///
/// All functions are collective and throw a FileError on all ranks if one fails. Between frames,
/// the file is closed for HDF5, so after an interruption it can be read up to the last complete
/// frame. A failed frame (on a full disk) leaves earlier frames as they were.
class H5mdWriter {
 public:
  /// Replaces an existing file. `particles`: the number in the whole system.
  static H5mdWriter create(const comm::Context& context, const std::string& path,
                           std::int64_t particles, const H5mdOptions& options);
  /// Continues a file: drops frames later than `last_step`. Creates the file if there is none.
  /// Throws if the file has other fields, types of numbers, observables or particles.
  static H5mdWriter resume(const comm::Context& context, const std::string& path,
                           std::int64_t particles, const H5mdOptions& options,
                           std::int64_t last_step);
  ~H5mdWriter();
  H5mdWriter(H5mdWriter&&) noexcept;

  /// All values are in internal units, which are those of the file. If "force" is a field, forces
  /// on local particles must be complete. `observables` are in the order of the options; only rank
  /// 0's are used. `added`: the added fields of the particles, the same on all ranks. Each is an
  /// element of its name with steps and times of its own, since it may be added at any frame.
  void write_frame(std::int64_t step, double time, const Box& box, const ParticleStore& particles,
                   std::span<const double> observables = {}, const AddedFields* added = nullptr);
  /// Waits until all frames are on the disk; to be called before a checkpoint that relies on them.
  void sync();
  std::int64_t frame_count() const;
  /// The kept frames of a file that is continued, on rank 0; nothing for a new file.
  const std::optional<KeptSteps>& kept_steps() const;

 private:
  class Implementation;
  explicit H5mdWriter(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
