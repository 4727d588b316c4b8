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
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a trajectory holds besides the particles' ids, types and masses.
struct H5mdOptions {
  /// Any of "position" (wrapped into the box; of molecules the center of mass), "velocity",
  /// "force", "image", and where particles rotate "orientation" (unit quaternion w x y z, body
  /// frame to laboratory) and "angular_momentum" (laboratory frame); at least one.
  std::vector<std::string> fields{"position"};
  bool single_precision = false;  ///< all but images as float32 instead of float64
  /// Frames are compressed without loss (shuffled bytes, deflate), by rank 0.
  bool compressed = false;
  /// Positions are rounded to the nearest multiple of the largest power of two that is not above
  /// this, so that they compress; 0: all bits are kept.
  double rounding = 0.0;
  bool reduced_units = true;  ///< else nm, ps, u, kJ/mol are written as units
  bool triclinic = false;     ///< edges are written as vectors, rows of a 3 x 3 matrix
  std::vector<std::string> type_names;
  std::vector<double> type_masses;
  struct Observable {
    std::string name;
    std::string unit;  ///< empty: none is written
  };
  /// Of flexible molecules; null: there are none. Then each particle has the name of its atom and
  /// the number of its molecule, and the file the bonds. Lives as long as the writer.
  const Topology* topology = nullptr;
  /// Scalars of which `write_frame` gets the values.
  std::vector<Observable> observables;
  /// What the particles are, for programs that show their sites: the attribute `sterna_particles` of
  /// the group `parameters`; empty: none is written.
  std::string description;
  std::string author = "unknown";
  std::string creator_version = "unknown";
  /// A frame of a field that is larger is cut into several chunks; HDF5 takes less than 4 GiB.
  std::uint64_t maximum_chunk_bytes = std::uint64_t{2} << 30;
  BlockRedistribution::Options redistribution;
};

/// A trajectory in H5MD 1.1 (P. de Buyl, P. Colberg, F. Höfling, Comput. Phys. Commun. 185, 1546
/// (2014)), as MDAnalysis, h5py and others read it, written by all ranks at once without a parallel
/// HDF5: rank 0 has the library allocate space for a frame and say where in the file it lies, then
/// every rank writes its share there. Particles are in the order of their
/// ids, which may be any different numbers and are the same in all frames.
///
/// Everything is collective and fails on all ranks together with a FileError. The file is closed as
/// far as HDF5 is concerned between frames: whenever a run is interrupted, it can be read up to the
/// last complete frame. A frame that failed (a full disk) leaves the earlier ones as they were.
class H5mdWriter {
 public:
  /// An existing file is replaced. `particles`: N of the whole system.
  static H5mdWriter create(const comm::Context& context, const std::string& path,
                           std::int64_t particles, const H5mdOptions& options);
  /// Continues a file: frames later than `last_step` are dropped. Where there is no file, one is
  /// made. Fails where the file holds other fields, types of numbers, observables or particles.
  static H5mdWriter resume(const comm::Context& context, const std::string& path,
                           std::int64_t particles, const H5mdOptions& options,
                           std::int64_t last_step);
  ~H5mdWriter();
  H5mdWriter(H5mdWriter&&) noexcept;

  /// `time`, lengths and so on in internal units, which are those of the file; `force` of the local
  /// particles must be complete if it is a field. `observables`: in the order of the options; only
  /// rank 0's are used.
  void write_frame(std::int64_t step, double time, const Box& box, const ParticleStore& particles,
                   std::span<const double> observables = {});
  /// Returns when all frames are on the disk: before a checkpoint that follows them.
  void sync();
  std::int64_t frame_count() const;
  /// Of the frames of a file that is continued, on rank 0; nothing where the file is new.
  const std::optional<KeptSteps>& kept_steps() const;

 private:
  class Implementation;
  explicit H5mdWriter(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
