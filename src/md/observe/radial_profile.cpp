#include <fmt/format.h>

#include <vector>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/cell_profile.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/space_cells.hpp"

namespace sterna::md {

/// The shape of a radial profile's shells.
enum class ShellShape { sphere, cylinder };
template <>
inline constexpr auto choice_table<ShellShape> = std::to_array<Choice<ShellShape>>(
    {{"sphere", ShellShape::sphere, "`\"sphere\"`: about a point, as of a droplet."},
     {"cylinder", ShellShape::cylinder,
      "`\"cylinder\"`: about a line along `axis`, as of a thread or a pore."}});

namespace {

struct RadialProfileOptions {
  std::int64_t interval = 0;
  ShellShape shape = ShellShape::sphere;
  Axis axis = Axis::z;
  CellCenter center = CellCenter::mass;
  double maximum = 0.0;
  int bins = 100;
  std::vector<std::string> groups;

  bool is_cylinder() const { return shape == ShellShape::cylinder; }
  CellOptions cells() const {
    return {is_cylinder() ? CellShape::cylinder : CellShape::sphere, axis, center, maximum, bins};
  }
};

std::unique_ptr<Observer> make_radial_profile(const ObserverRequest& request) {
  const auto& options = request.input.section<RadialProfileOptions>();
  return std::make_unique<CellProfile>(
      "radial_profile", options.interval,
      fmt::format("profile about {}",
                  options.is_cylinder() ? std::string(1, name_of(options.axis)) : "a point"),
      options.cells(), options.groups, request);
}

void check_radial_profile(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "radial_profile.groups",
                    input.section<RadialProfileOptions>().groups, false);
}

void check_radial_profile_in_box(const Input& input, const Box& box, const Report& report) {
  check_cells_in_box(input.section<RadialProfileOptions>().cells(), input, box, "radial_profile",
                     report);
}

}  // namespace

ObserverRow observer::radial_profile() {
  return {
      .schema = {.name = "radial_profile",
                 .description = "Density of each type and temperature by the distance from a "
                                "point or a line: of a droplet, a bubble, a thread, a pore.",
                 .aliases = {"spherical_profile", "cylindrical_profile", "droplet"}},
      .keys = {interval_key<RadialProfileOptions>(),
               {.name = "shape",
                .target = option<&RadialProfileOptions::shape>,
                .description = "The shape of the shells.",
                .aliases = {"geometry"}},
               {.name = "axis",
                .target = option<&RadialProfileOptions::axis>,
                .description = "The axis of a cylinder.",
                .condition = Condition{"radial_profile", "shape", {"cylinder"}, Severity::warning},
                .aliases = {"direction"}},
               {.name = "center",
                .target = option<&RadialProfileOptions::center>,
                .description = "The middle of the shells.",
                .aliases = {"centered", "origin"}},
               {.name = "maximum",
                .target = option<&RadialProfileOptions::maximum>,
                .description = "The largest distance, at most half of the box.",
                .need = Need::required,
                .dimension = Dimension::length,
                .range = {.minimum = 0.0, .exclusive_minimum = true},
                .aliases = {"rmax", "radius"}},
               {.name = "bins",
                .target = option<&RadialProfileOptions::bins>,
                .description = "Number of shells of equal thickness.",
                .range = {.minimum = 1.0, .maximum = 1e6},
                .aliases = {"nbins", "shells"}},
               groups_key<RadialProfileOptions>(
                   "Names of `[[group]]`s whose densities are counted in place of those of the "
                   "types.",
                   "types")},
      .interval = interval_of<RadialProfileOptions>,
      .check = check_radial_profile,
      .check_in_box = check_radial_profile_in_box,
      .make = make_radial_profile,
      .has_changing_numbers = true};
}

}  // namespace sterna::md
