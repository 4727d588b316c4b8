#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

enum class Precision {
  double_precision,
  mixed,  ///< differences of positions exact, pair arithmetic in single, sums in double
};
template <>
inline constexpr auto choice_table<Precision> = std::to_array<Choice<Precision>>(
    {{"double", Precision::double_precision},
     {"mixed", Precision::mixed,
      "\"mixed\" computes pairs in single and sums in double precision: faster, forces to about "
      "1e-6."}});

}  // namespace sterna::md
