#include <fmt/format.h>

#include <vector>

#include "md/core/axis.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/cell_averages.hpp"
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

/// Densities and temperature in columns along an axis: a map of the plane across it.
class Profile2d final : public Observer {
 public:
  Profile2d(const Profile2dOptions& options, const ObserverRequest& request)
      : Observer("profile_2d", options.interval),
        context_(request.context),
        units_(request.input.units),
        along_(options.along),
        cells_({.shape = CellShape::map,
                .axis = options.along,
                .center = options.centered ? CellCenter::mass : CellCenter::box,
                .bins = options.bins}),
        averages_(request.names, groups_from_input(request.input, request.topology, options.groups),
                  units_, cells_.count()) {}

  void sample(const Frame& frame) override {
    cells_.place(context_, frame);
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      averages_.add(frame, i, cells_.place_of(frame.particles.position[i].vector()).cell);
    }
  }

  std::span<double> sums() override { return averages_.sums(); }
  std::vector<double> common() const override { return cells_.state(); }
  void set_common(std::span<const double> values) override { cells_.set_state(values); }

  ObserverReport report(std::span<const double> all_sums) const override {
    std::string text =
        fmt::format("# map of the plane across {}, {:.0f} frames\n# {}{}\n", name_of(along_),
                    cells_.samples(), cells_.header(units_), averages_.header());
    for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
      text += cells_.row(cell, units_) + averages_.row(all_sums, cell, cells_.volume(cell)) + "\n";
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  comm::Context context_;
  UnitSystem units_;
  Axis along_;
  SpaceCells cells_;
  CellAverages averages_;
};

std::unique_ptr<Observer> make_profile_2d(const ObserverRequest& request) {
  return std::make_unique<Profile2d>(request.input.section<Profile2dOptions>(), request);
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
          .make = make_profile_2d};
}

}  // namespace sterna::md
