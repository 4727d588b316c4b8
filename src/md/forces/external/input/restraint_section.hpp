#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/core/vector.hpp"
#include "md/forces/external/reference_scaling.hpp"

namespace sterna::md {

enum class RestraintVirial { counted, ignored };
template <>
inline constexpr auto choice_table<RestraintVirial> = std::to_array<Choice<RestraintVirial>>(
    {{"counted", RestraintVirial::counted, "\"counted\": it is part of the pressure."},
     {"ignored", RestraintVirial::ignored, "\"ignored\": it is not."}});

struct RestraintSection {      ///< [[restraint]]
  double stiffness = 0.0;      ///< force per distance
  std::optional<Vec3> place;   ///< common position; nothing: each one's at the start
  std::string reference_file;  ///< file with the positions, relative to the input
  std::optional<ReferenceScaling> reference_scaling;
  std::optional<RestraintVirial> virial;
  std::vector<Axis> axes{Axis::x, Axis::y, Axis::z};
  std::vector<std::string> groups;   ///< names of [[group]]s; empty: all
  std::string component;             ///< name of a [[component]] or [[type]]; empty: all
  std::optional<Vec3> lower, upper;  ///< only molecules in this region at the start
};

}  // namespace sterna::md
