#pragma once

#include <array>

#include "md/core/choice.hpp"

namespace sterna::md {

/// How reference positions change with the box: GROMACS's `refcoord_scaling`.
enum class ReferenceScaling { none, all, center };
template <>
inline constexpr auto choice_table<ReferenceScaling> = std::to_array<Choice<ReferenceScaling>>(
    {{"none", ReferenceScaling::none, "\"none\": they keep their distances from the box's middle."},
     {"all", ReferenceScaling::all, "\"all\": each moves with the box."},
     {"center", ReferenceScaling::center,
      "\"center\": their center of mass moves with the box, and they keep their distances from "
      "it."}});

}  // namespace sterna::md
