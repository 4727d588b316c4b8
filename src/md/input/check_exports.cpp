#include "md/input/check_exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_several_places(const Input::Component& component) {
  return std::ranges::any_of(component.sites, [&](const Input::Site& site) {
    const Vec3 d = site.position - component.sites.front().position;
    return dot(d, d) > 0.0;
  });
}

/// Whether a site is at a position without mass, such as the charge of TIP4P.
bool has_massless_place(const Input::Component& component) {
  return std::ranges::any_of(component.sites, [&](const Input::Site& site) {
    return std::ranges::none_of(component.sites, [&](const Input::Site& other) {
      const Vec3 d = site.position - other.position;
      return other.mass > 0.0 && !(dot(d, d) > 0.0);
    });
  });
}

}  // namespace

void check_exports(const Input& input, const IsGood& is_good, const Report& report) {
  constexpr const char* place = "output.export";
  const auto& exports = input.output.exports;
  if (!is_good(place) || exports.empty()) return;
  const auto error = [&](std::string message) {
    report(Severity::error, place, std::move(message));
  };
  if (std::set<std::string>(exports.begin(), exports.end()).size() < exports.size()) {
    error("\"export\" in [output] names a format more than once");
  }
  if (input.output.trajectory_interval == 0) {
    error(
        "\"export\" in [output] converts the trajectory, and the run writes none; expected "
        "\"trajectory_interval\" of at least 1");
  }
  const auto turns = std::ranges::find_if(input.components, has_several_places);
  if (turns != input.components.end() && !contains(input.output.trajectory_fields, "orientation")) {
    error(fmt::format(
        "\"export\" in [output] writes the sites of molecules, and without orientations nobody "
        "knows where those of {} are; expected trajectory_fields = [\"position\", "
        "\"orientation\"]",
        quote(turns->name)));
  }
  if (!contains(exports, "data")) return;
  const auto component = std::ranges::find_if(input.components, has_massless_place);
  const auto molecule = std::ranges::find_if(
      input.molecules, [](const auto& each) { return !each.virtual_sites.empty(); });
  const std::string name = component != input.components.end() ? component->name
                           : molecule != input.molecules.end() ? molecule->name
                                                               : std::string();
  if (!name.empty()) {
    error(
        fmt::format("\"export\" in [output] asks for \"data\", a file of LAMMPS, which has no "
                    "sites without mass, as {} has; `sterna export --no-massless` leaves them "
                    "out",
                    quote(name)));
  }
}

}  // namespace sterna::md
