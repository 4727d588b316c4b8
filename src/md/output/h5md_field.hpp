#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The content of a dataset with a row per particle: a field of the particles, a field that a program
/// or a force term added, or a property that follows from a particle's type or id.
enum class H5mdQuantity { field, added, mass, atom_name, molecule };

/// One dataset with a row per particle.
struct H5mdField {
  H5mdQuantity quantity;
  std::string_view field;  ///< name in `particle_fields`
  std::string dataset;
  hdf5::Type type;
  std::size_t components;
  bool per_frame;
  std::size_t item_offset = 0;  ///< offset in the item of the redistribution
  hdf5::Size chunk_rows = 0;
  hdf5::Size chunks = 0;
  /// Frames of an added field on rank 0. It may have been added behind the first frame.
  hdf5::Size frames = 0;

  std::size_t row_bytes() const { return components * size_of(type); }
};

/// The dataset of a field of `particle_fields`; `real` is the type of its floating-point numbers.
H5mdField h5md_field(std::string_view field, std::string dataset, hdf5::Type real, bool per_frame);
/// The dataset of an added field.
H5mdField h5md_field(const AddedFieldLayout& added, std::string dataset, hdf5::Type real);
/// The unit in H5MD's notation, such as "nm ps-1"; empty without a unit.
std::string_view h5md_unit(const H5mdField& field);

/// Writes the rows of an added field as `H5mdValues::put` does those of others.
void put_added(const AddedField& added, hdf5::Type type, std::span<const std::uint32_t> particles,
               std::byte* place, std::size_t stride);

/// Computes the values of particles as rows of datasets.
class H5mdValues {
 public:
  /// `topology` may be null. `rounding`: see `H5mdOptions`.
  H5mdValues(std::vector<double> type_masses, const Topology* topology, double rounding);

  /// The distinct names of all atoms of molecules; `atom_name` is an index into them.
  const std::vector<std::string>& atom_names() const { return atom_names_; }
  /// Writes the rows of these local particles to `place`, `stride` bytes apart. Not for added
  /// fields.
  void put(const H5mdField& field, const Box& box, const ParticleStore& store,
           std::span<const std::uint32_t> particles, std::byte* place, std::size_t stride) const;

 private:
  std::vector<double> type_masses_;
  const Topology* topology_;
  double grid_ = 0.0;  ///< positions are rounded to multiples of it; 0: not rounded
  std::vector<std::string> atom_names_;
  std::vector<std::vector<std::int32_t>> name_of_atom_;  ///< for each kind of molecule
};

}  // namespace sterna::md
