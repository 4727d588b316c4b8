#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/choice.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/cell_averages.hpp"
#include "md/observe/observer_table.hpp"

namespace sterna::md {

/// The shape of a radial profile's shells.
enum class ShellShape { sphere, cylinder };
template <>
inline constexpr auto choice_table<ShellShape> = std::to_array<Choice<ShellShape>>(
    {{"sphere", ShellShape::sphere, "`\"sphere\"`: about a point, as of a droplet."},
     {"cylinder", ShellShape::cylinder,
      "`\"cylinder\"`: about a line along `axis`, as of a thread or a pore."}});

/// The middle of the shells.
enum class ShellCenter { mass, box };
template <>
inline constexpr auto choice_table<ShellCenter> = std::to_array<Choice<ShellCenter>>(
    {{"mass", ShellCenter::mass, "`\"mass\"`: the center of mass of all particles."},
     {"box", ShellCenter::box, "`\"box\"`: the middle of the box."}});

namespace {

struct RadialProfileOptions {
  std::int64_t interval = 0;
  ShellShape shape = ShellShape::sphere;
  Axis axis = Axis::z;
  ShellCenter center = ShellCenter::mass;
  double maximum = 0.0;
  int bins = 100;
  std::vector<std::string> groups;
};

/// Densities and temperature by the distance from a point or a line.
class RadialProfile final : public Observer {
 public:
  RadialProfile(const RadialProfileOptions& options, const ObserverRequest& request)
      : Observer("radial_profile", options.interval),
        context_(request.context),
        options_(options),
        units_(request.input.units),
        bins_(static_cast<std::size_t>(options.bins)),
        cells_(request.names, groups_from_input(request.input, request.topology, options.groups),
               units_, bins_) {}

  void sample(const Frame& frame) override {
    const Vec3 center = options_.center == ShellCenter::mass
                            ? center_of_mass_in_box(context_, frame)
                            : 0.5 * frame.box.length;
    const double width = options_.maximum / static_cast<double>(bins_);
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      Vec3 from = frame.box.nearest_image(frame.particles.position[i].vector() - center);
      if (is_cylinder()) from[index_of(options_.axis)] = 0.0;
      const double place = std::sqrt(dot(from, from)) / width;
      if (place < static_cast<double>(bins_)) cells_.add(frame, i, static_cast<std::size_t>(place));
    }
    frames_ += 1.0;
    lengths_ += frame.box.length[index_of(options_.axis)];
  }

  std::span<double> sums() override { return cells_.sums(); }
  std::vector<double> common() const override { return {frames_, lengths_}; }
  void set_common(std::span<const double> values) override {
    if (values.size() != 2) return;
    frames_ = values[0];
    lengths_ = values[1];
  }

  ObserverReport report(std::span<const double> all_sums) const override {
    const std::string label(units_.label(Dimension::length));
    std::string text =
        is_cylinder()
            ? fmt::format("# profile about {}, {:.0f} frames\n", name_of(options_.axis), frames_)
            : fmt::format("# profile about a point, {:.0f} frames\n", frames_);
    text += fmt::format("# r{}{}\n", label.empty() ? "" : "/" + label, cells_.header());
    const double width = options_.maximum / static_cast<double>(bins_);
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const auto inner = static_cast<double>(bin) * width, outer = inner + width;
      const double volume = is_cylinder()
                                ? std::numbers::pi * (outer * outer - inner * inner) * lengths_
                                : 4.0 / 3.0 * std::numbers::pi *
                                      (outer * outer * outer - inner * inner * inner) * frames_;
      text +=
          fmt::format("{:.8g}{}\n", units_.from_internal(inner + 0.5 * width, Dimension::length),
                      cells_.row(all_sums, bin, volume));
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  bool is_cylinder() const { return options_.shape == ShellShape::cylinder; }

  comm::Context context_;
  RadialProfileOptions options_;
  UnitSystem units_;
  std::size_t bins_;
  CellAverages cells_;
  double frames_ = 0.0, lengths_ = 0.0;  ///< of the box along the axis, summed over the frames
};

std::unique_ptr<Observer> make_radial_profile(const ObserverRequest& request) {
  return std::make_unique<RadialProfile>(request.input.section<RadialProfileOptions>(), request);
}

void check_radial_profile(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "radial_profile.groups",
                    input.section<RadialProfileOptions>().groups, false);
}

void check_radial_profile_in_box(const Input& input, const Box& box, const Report& report) {
  const auto& options = input.section<RadialProfileOptions>();
  check_right_angles(box, "radial_profile.interval", "a radial profile", report);
  double half = 0.5 * std::max({box.length.x, box.length.y, box.length.z});
  for (int axis = 0; axis < 3; ++axis) {
    if (options.shape == ShellShape::cylinder && axis == index_of(options.axis)) continue;
    half = std::min(half, 0.5 * box.length[axis]);
  }
  if (options.maximum <= half * (1.0 + 1e-9)) return;
  report(Severity::error, "radial_profile.maximum",
         fmt::format("shells reach beyond half of the box; expected at most {}",
                     input.units.text(half, Dimension::length)));
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
      .make = make_radial_profile};
}

}  // namespace sterna::md
