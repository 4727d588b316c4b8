#include "md/input/check_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "md/input/particle_names.hpp"

namespace sterna::md {

void check_selection(const Input& input, const IsGood& is_good, const Report& report,
                     const std::string& place, const std::string& component,
                     const std::optional<Vec3>& lower, const std::optional<Vec3>& upper) {
  const std::vector<std::string_view> names = particle_names(input);
  const bool all_named = !names.empty() && std::ranges::find(names, "") == names.end();
  if (!component.empty() && is_good(place + ".component") && all_named &&
      std::ranges::find(names, component) == names.end()) {
    report(Severity::error, place + ".component", unknown_particle(input, component));
  }
  for (const char* key : {".lower", ".upper"}) {
    if (!input.barostat.is_used() || !is_good(place + key)) continue;
    report(Severity::error, place + key,
           "a region has fixed corners, but a [barostat] changes the box");
  }
  if (!lower || !upper || !is_good(place + ".lower") || !is_good(place + ".upper")) return;
  for (int axis = 0; axis < 3; ++axis) {
    if ((*lower)[axis] < (*upper)[axis]) continue;
    report(Severity::error, place + ".upper",
           fmt::format("the region is empty: its upper corner has {} = {}, its lower corner {}",
                       "xyz"[axis], input.units.text((*upper)[axis], Dimension::length),
                       input.units.text((*lower)[axis], Dimension::length)));
    return;
  }
}

void refuse_region(const Input& input, const char* section, std::size_t n, const Report& report) {
  const std::string place = fmt::format("{}[{}]", section, n);
  for (const char* key : {".lower", ".upper", ".slabs"}) {
    if (!input.places.contains(place + key)) continue;
    report(Severity::error, place + key,
           fmt::format("the region of a [[{}]] needs an orthorhombic box; that of this run is "
                       "triclinic",
                       section));
  }
}

}  // namespace sterna::md
