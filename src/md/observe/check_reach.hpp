#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Reports a distance, given at this place of the input, up to which an observer does not see all
/// pairs: these are known up to the cutoff.
inline void check_reach(const Input& input, const IsGood& is_good, const Report& report,
                        std::string_view place, double distance) {
  const double cutoff = input.interaction.cutoff;
  if (!is_good(place) || !(cutoff > 0.0) || distance <= cutoff) return;
  report(Severity::error, place,
         fmt::format("pairs are known up to the cutoff only, which is {}",
                     input.units.text(cutoff, Dimension::length)));
}

}  // namespace sterna::md
