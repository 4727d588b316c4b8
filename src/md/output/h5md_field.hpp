#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// What a dataset with a row per particle holds. Those before `species` are fields that a frame may
/// have, the others are constants of the trajectory.
enum class H5mdQuantity {
  position,
  velocity,
  force,
  image,
  orientation,
  angular_momentum,
  species,
  id,
  mass,
  atom_name,
  molecule
};

/// Names of the fields that a frame may have, in the order of `H5mdQuantity`.
std::span<const std::string_view> h5md_field_names();
/// The field of this name.
std::optional<H5mdQuantity> h5md_quantity_of(std::string_view field);
/// Whether only particles that rotate have it.
bool needs_rotation(H5mdQuantity quantity);
/// In the notation of H5MD: "nm ps-1"; empty where there is none.
std::string_view h5md_unit(H5mdQuantity quantity);

/// One dataset with a row per particle.
struct H5mdField {
  H5mdQuantity quantity;
  std::string dataset;
  hdf5::Type type;
  std::size_t components;
  bool per_frame;
  std::size_t item_offset = 0;  ///< in the item of the redistribution
  hdf5::Size chunk_rows = 0;
  hdf5::Size chunks = 0;

  std::size_t row_bytes() const { return components * size_of(type); }
};

/// The values of particles as rows of datasets.
class H5mdValues {
 public:
  /// `topology` may be null. `rounding`: see `H5mdOptions`.
  H5mdValues(std::vector<double> type_masses, const Topology* topology, double rounding);

  /// The names of all atoms of molecules, each once: `atom_name` is a number among them.
  const std::vector<std::string>& atom_names() const { return atom_names_; }
  /// Writes the row of local particle `i` to `place`.
  void put(const H5mdField& field, const Box& box, const ParticleStore& store, std::uint32_t i,
           std::byte* place) const;

 private:
  std::vector<double> type_masses_;
  const Topology* topology_;
  double grid_ = 0.0;  ///< positions are multiples of it; 0: any
  std::vector<std::string> atom_names_;
  std::vector<std::vector<std::int32_t>> name_of_atom_;  ///< of each kind of molecule
};

}  // namespace sterna::md
