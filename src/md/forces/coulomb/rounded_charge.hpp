#pragma once

namespace sterna::md {

/// How far from 0 the charge of a neutral system may be, in units of its largest charge, because
/// force fields give rounded charges.
inline constexpr double rounded_charge = 1e-4;

}  // namespace sterna::md
