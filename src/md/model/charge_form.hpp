#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

/// What two charges of 1 have at the distance r, before it ends at a cutoff.
enum class ChargeForm { plain, damped, screened };
template <>
inline constexpr auto choice_table<ChargeForm> = std::to_array<Choice<ChargeForm>>(
    {{"plain", ChargeForm::plain, "\"plain\": 1/r."},
     {"damped", ChargeForm::damped,
      "\"damped\": erfc(damping r)/r, as in Wolf's sum (Wolf et al., J. Chem. Phys. 110, 8254 "
      "(1999)) and, with truncation = \"force_shifted\", in that of Fennell and Gezelter (J. Chem. "
      "Phys. 124, 234104 (2006))."},
     {"screened", ChargeForm::screened,
      "\"screened\": exp(-screening r)/r, by Debye and Hueckel, of ions that are not in the "
      "box."}});

}  // namespace sterna::md
