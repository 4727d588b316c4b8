#include <fmt/format.h>

#include <vector>

#include "md/core/axis.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/cell_profile.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/space_cells.hpp"

namespace sterna::md {
namespace {

struct Profile2dOptions {
  std::int64_t interval = 0;
  Axis along = Axis::z;
  int bins = 50;
  bool centered = false;
  std::vector<std::string> groups;
};

std::unique_ptr<Observer> make_profile_2d(const ObserverRequest& request) {
  const auto& options = request.input.section<Profile2dOptions>();
  return std::make_unique<CellProfile>(
      "profile_2d", options.interval,
      fmt::format("map of the plane across {}", name_of(options.along)),
      CellOptions{.shape = CellShape::map,
                  .axis = options.along,
                  .center = options.centered ? CellCenter::mass : CellCenter::box,
                  .bins = options.bins},
      options.groups, request);
}

void check_profile_2d(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "profile_2d.groups",
                    input.section<Profile2dOptions>().groups, false);
}

void check_profile_2d_in_box(const Input&, const Box& box, const Report& report) {
  check_right_angles(box, "profile_2d.interval", "a profile in two dimensions", report);
}

}  // namespace

ObserverRow observer::profile_2d() {
  return {.schema = {.name = "profile_2d",
                     .description = "Density of each type and temperature in two dimensions, "
                                    "averaged over the run and along one axis.",
                     .aliases = {"density_map", "profile2d", "map"}},
          .keys = {interval_key<Profile2dOptions>(),
                   {.name = "along",
                    .target = option<&Profile2dOptions::along>,
                    .description = "The axis that is averaged over.",
                    .aliases = {"axis", "normal"}},
                   {.name = "bins",
                    .target = option<&Profile2dOptions::bins>,
                    .description = "Number of cells in each of the two directions.",
                    .range = {.minimum = 1.0, .maximum = 1000.0},
                    .aliases = {"nbins", "cells"}},
                   {.name = "centered",
                    .target = option<&Profile2dOptions::centered>,
                    .description = "The center of mass is put in the middle of the map.",
                    .aliases = {"center"}},
                   groups_key<Profile2dOptions>("Names of `[[group]]`s whose densities are counted "
                                                "in place of those of the types.",
                                                "types")},
          .interval = interval_of<Profile2dOptions>,
          .check = check_profile_2d,
          .check_in_box = check_profile_2d_in_box,
          .make = make_profile_2d,
          .has_changing_numbers = true};
}

}  // namespace sterna::md
