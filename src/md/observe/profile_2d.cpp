#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "md/core/axis.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/cell_averages.hpp"
#include "md/observe/observer_table.hpp"

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
        centered_(options.centered),
        along_(index_of(options.along)),
        first_(along_ == 0 ? 1 : 0),
        second_(along_ == 2 ? 1 : 2),
        bins_(static_cast<std::size_t>(options.bins)),
        cells_(request.names, groups_from_input(request.input, request.topology, options.groups),
               units_, bins_ * bins_) {}

  void sample(const Frame& frame) override {
    const Vec3 length = frame.box.length;
    Vec3 shift{};
    if (centered_) shift = 0.5 * length - center_of_mass_in_box(context_, frame);
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      const Vec3 place = frame.particles.position[i].vector() + shift;
      const auto bin = [&](int axis) {
        const double part = place[axis] / length[axis];
        const double in_box = (part - std::floor(part)) * static_cast<double>(bins_);
        return std::min(bins_ - 1, static_cast<std::size_t>(in_box));
      };
      cells_.add(frame, i, bin(first_) * bins_ + bin(second_));
    }
    frames_ += 1.0;
    first_lengths_ += length[first_];
    second_lengths_ += length[second_];
    volumes_ += frame.box.volume();
  }

  std::span<double> sums() override { return cells_.sums(); }
  std::vector<double> common() const override {
    return {frames_, first_lengths_, second_lengths_, volumes_};
  }
  void set_common(std::span<const double> values) override {
    if (values.size() != 4) return;
    frames_ = values[0];
    first_lengths_ = values[1];
    second_lengths_ = values[2];
    volumes_ = values[3];
  }

  ObserverReport report(std::span<const double> all_sums) const override {
    const std::string label(units_.label(Dimension::length));
    const std::string unit = label.empty() ? "" : "/" + label;
    std::string text =
        fmt::format("# map of the plane across {}, {:.0f} frames\n# {}{} {}{}{}\n", "xyz"[along_],
                    frames_, "xyz"[first_], unit, "xyz"[second_], unit, cells_.header());
    const auto bins = static_cast<double>(bins_), frames = std::max(frames_, 1.0);
    const auto place = [&](std::size_t bin, double lengths) {
      const double middle = (static_cast<double>(bin) + 0.5) / bins * lengths / frames;
      return units_.from_internal(middle, Dimension::length);
    };
    for (std::size_t a = 0; a < bins_; ++a) {
      for (std::size_t b = 0; b < bins_; ++b) {
        text +=
            fmt::format("{:.8g} {:.8g}{}\n", place(a, first_lengths_), place(b, second_lengths_),
                        cells_.row(all_sums, a * bins_ + b, volumes_ / (bins * bins)));
      }
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  comm::Context context_;
  UnitSystem units_;
  bool centered_;
  int along_, first_, second_;
  std::size_t bins_;
  CellAverages cells_;
  double frames_ = 0.0;
  double first_lengths_ = 0.0, second_lengths_ = 0.0, volumes_ = 0.0;  ///< summed over the frames
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
