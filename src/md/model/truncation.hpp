#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

/// How a pair potential ends at the cutoff rc. Switched forms change from rs on.
enum class Truncation {
  truncated,      ///< u(r) up to the cutoff: a step in u and f
  shifted,        ///< u(r) - u(rc): a step in f only
  force_shifted,  ///< u(r) - u(rc) - (r - rc) u'(rc): continuous u and f
  /// u(r) S(r) with S = (rc^2 - r^2)^2 (rc^2 + 2 r^2 - 3 rs^2) / (rc^2 - rs^2)^3: CHARMM (Brooks et
  /// al., J. Comput. Chem. 4, 187 (1983)).
  switched,
  /// u(r) S(x) with S = 1 - 10 x^3 + 15 x^4 - 6 x^5, x = (r - rs) / (rc - rs): OpenMM's switching
  /// function and GROMACS's potential-switch.
  quintic_switched,
  /// The force of each power r^-n times (rc^m - r^m) / (rc^m - rs^m), m = n / 2: CHARMM (Steinbach
  /// and Brooks, J. Comput. Chem. 15, 667 (1994), eq. 10 to 13). Only for powers 12 and 6.
  force_switched,
  /// The force plus A (r - rs)^2 + B (r - rs)^3, with A and B such that force and slope vanish at
  /// rc: GROMACS's force-switch (reference manual, "Modified non-bonded interactions").
  cubic_force_switched,
};

template <>
inline constexpr auto choice_table<Truncation> = std::to_array<Choice<Truncation>>(
    {{"truncated", Truncation::truncated, "\"truncated\": cut off."},
     {"shifted", Truncation::shifted, "\"shifted\": moved to be zero at the cutoff."},
     {"force_shifted", Truncation::force_shifted,
      "\"force_shifted\": the force too goes to zero. The others go smoothly to zero between "
      "`switch_start` and the cutoff:"},
     {"switched", Truncation::switched, "\"switched\" by the switching function of CHARMM,"},
     {"quintic_switched", Truncation::quintic_switched,
      "\"quintic_switched\" by that of OpenMM and GROMACS (potential-switch),"},
     {"force_switched", Truncation::force_switched,
      "\"force_switched\" by the force switch of CHARMM (Steinbach and Brooks 1994; LAMMPS: "
      "charmmfsw),"},
     {"cubic_force_switched", Truncation::cubic_force_switched,
      "\"cubic_force_switched\" by that of GROMACS (force-switch)."}});

/// Whether the potential changes from a distance rs on.
constexpr bool is_switched(Truncation truncation) {
  return truncation >= Truncation::switched;
}
/// Whether the potential is unchanged up to rs, so that a tail correction is meaningful.
constexpr bool has_tail(Truncation truncation) {
  return truncation == Truncation::truncated || is_switched(truncation);
}

}  // namespace sterna::md
