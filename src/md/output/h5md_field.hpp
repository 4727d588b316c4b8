#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// The content of a dataset with a row per particle: a field of the particles, or a property that
/// follows from a particle's type or id.
enum class H5mdQuantity { field, mass, atom_name, molecule };

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

  std::size_t row_bytes() const { return components * size_of(type); }
};

/// The dataset of a field of `particle_fields`; `real` is the type of its floating-point numbers.
H5mdField h5md_field(std::string_view field, std::string dataset, hdf5::Type real, bool per_frame);
/// The unit in H5MD's notation, such as "nm ps-1"; empty without a unit.
std::string_view h5md_unit(const H5mdField& field);

/// Computes the values of particles as rows of datasets.
class H5mdValues {
 public:
  /// `topology` may be null. `rounding`: see `H5mdOptions`.
  H5mdValues(std::vector<double> type_masses, const Topology* topology, double rounding);

  /// The distinct names of all atoms of molecules; `atom_name` is an index into them.
  const std::vector<std::string>& atom_names() const { return atom_names_; }
  /// Writes the rows of these local particles to `place`, `stride` bytes apart.
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
