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

/// What a dataset with a row per particle holds: a field of the particles, or what follows from a
/// particle's type or id.
enum class H5mdQuantity { field, mass, atom_name, molecule };

/// One dataset with a row per particle.
struct H5mdField {
  H5mdQuantity quantity;
  std::string_view field;  ///< its name in `particle_fields`
  std::string dataset;
  hdf5::Type type;
  std::size_t components;
  bool per_frame;
  std::size_t item_offset = 0;  ///< in the item of the redistribution
  hdf5::Size chunk_rows = 0;
  hdf5::Size chunks = 0;

  std::size_t row_bytes() const { return components * size_of(type); }
};

/// The dataset of a field of `particle_fields`; `real`: the type of numbers that are not whole.
H5mdField h5md_field(std::string_view field, std::string dataset, hdf5::Type real, bool per_frame);
/// In the notation of H5MD: "nm ps-1"; empty where there is none.
std::string_view h5md_unit(const H5mdField& field);

/// The values of particles as rows of datasets.
class H5mdValues {
 public:
  /// `topology` may be null. `rounding`: see `H5mdOptions`.
  H5mdValues(std::vector<double> type_masses, const Topology* topology, double rounding);

  /// The names of all atoms of molecules, each once: `atom_name` is a number among them.
  const std::vector<std::string>& atom_names() const { return atom_names_; }
  /// Writes the rows of these local particles, `stride` bytes apart from `place` on.
  void put(const H5mdField& field, const Box& box, const ParticleStore& store,
           std::span<const std::uint32_t> particles, std::byte* place, std::size_t stride) const;

 private:
  std::vector<double> type_masses_;
  const Topology* topology_;
  double grid_ = 0.0;  ///< positions are multiples of it; 0: any
  std::vector<std::string> atom_names_;
  std::vector<std::vector<std::int32_t>> name_of_atom_;  ///< of each kind of molecule
};

}  // namespace sterna::md
