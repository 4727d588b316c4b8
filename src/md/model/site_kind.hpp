#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

/// The interaction of a site of a rigid molecule.
enum class SiteKind { lennard_jones, charge, dipole, quadrupole };
template <>
inline constexpr auto choice_table<SiteKind> =
    std::to_array<Choice<SiteKind>>({{"lennard_jones", SiteKind::lennard_jones},
                                     {"charge", SiteKind::charge},
                                     {"dipole", SiteKind::dipole},
                                     {"quadrupole", SiteKind::quadrupole}});

}  // namespace sterna::md
