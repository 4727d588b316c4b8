#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/system/virtual_site.hpp"

namespace sterna::md {

template <class Row>
class Registry;

/// The parameters of all kinds of virtual sites, in internal units; angles are in degrees.
struct VirtualSiteParameters {
  std::optional<double> a, b, c, distance, angle;
  std::vector<double> weights, origin_weights, x_weights, y_weights;  ///< one item for each atom
  std::optional<Vec3> position;                                       ///< length
};

/// A way to make a virtual site of atoms: what the input and the documentation know of it.
struct VirtualSiteRow {
  std::string_view name;
  std::size_t atoms;  ///< number of atoms; 0: as many as there are `weights`
  std::string_view sentence, formula;
  std::span<const std::string_view> parameters;  ///< their names; all are required
  VirtualSiteRule (*make)(const VirtualSiteParameters& parameters);
  /// The reason why the parameters are invalid; empty if they are valid.
  std::string (*contradiction)(const VirtualSiteParameters& parameters);
};

/// All kinds. Sources: GROMACS reference manual, "Virtual interaction sites", whose names these
/// are; OpenMM user guide, "Virtual Sites", for the local coordinates.
const Registry<VirtualSiteRow>& virtual_site_kinds();
/// Null for other names.
const VirtualSiteRow* find_virtual_site_kind(std::string_view name);

}  // namespace sterna::md
