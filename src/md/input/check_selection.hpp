#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>

#include "md/core/box.hpp"
#include "md/core/vector.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of the keys "component", "lower" and "upper" of a section at `place`, which select
/// molecules: the name must be known, the region not empty, and the box fixed.
void check_selection(const Input& input, const IsGood& is_good, const Report& report,
                     const std::string& place, const std::string& component,
                     const std::optional<Vec3>& lower, const std::optional<Vec3>& upper);

/// Refuses regions, the keys "lower", "upper" and "slabs", of table `n` of a section in a box that
/// leans.
void refuse_region(const Input& input, const char* section, std::size_t n, const Report& report);
template <class Section>
void check_region_in_box(const Input& input, const char* section, const Box& box,
                         const Report& report) {
  if (box.tilt.none()) return;
  for (std::size_t n = 0; n < input.tables<Section>().size(); ++n) {
    refuse_region(input, section, n, report);
  }
}

}  // namespace sterna::md
