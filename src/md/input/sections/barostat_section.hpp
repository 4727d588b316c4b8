#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/core/values_by_type.hpp"

namespace sterna::md {

/// The changes of the edges that are coupled to each other.
enum class BoxCoupling { isotropic, semi_isotropic, uniaxial, anisotropic, triclinic };
template <>
inline constexpr auto choice_table<BoxCoupling> = std::to_array<Choice<BoxCoupling>>(
    {{"isotropic", BoxCoupling::isotropic, "`\"isotropic\"`: all edges by one factor."},
     {"semi_isotropic", BoxCoupling::semi_isotropic,
      "`\"semi_isotropic\"`: the two edges across `axis` by one factor, that along it by another, "
      "as for membranes."},
     {"uniaxial", BoxCoupling::uniaxial, "`\"uniaxial\"`: only the edge along `axis`."},
     {"anisotropic", BoxCoupling::anisotropic,
      "`\"anisotropic\"`: each edge by a factor of its own."},
     {"triclinic", BoxCoupling::triclinic,
      "`\"triclinic\"`: the angles, too, as for crystals; a liquid does not hold them."}});

struct BarostatSection {               ///< [barostat]
  std::string kind = "none";           ///< or of barostat_rows()
  double pressure = 0.0;               ///< to keep
  std::optional<double> end_pressure;  ///< of a ramp from `pressure`
  double time_constant = 0.0;          ///< of the box
  BoxCoupling coupling = BoxCoupling::isotropic;
  Axis axis = Axis::z;         ///< semi_isotropic: the separate axis; uniaxial: the axis that
                               ///< changes
  std::int64_t interval = 10;  ///< steps between two changes of the box

  /// Options that only some kinds have, by their type.
  template <class Options>
  Options& options() {
    return options_of_kinds.of<Options>();
  }
  template <class Options>
  const Options& options() const {
    return options_of_kinds.of<Options>();
  }
  ValuesByType options_of_kinds;

  bool is_used() const { return kind != "none"; }
};

}  // namespace sterna::md
