#include "md/observe/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "md/input/atom_groups.hpp"
#include "md/input/check_box.hpp"
#include "md/observe/observer_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

Profile::Profile(const comm::Context& context, std::int64_t interval, int axis, int bins,
                 bool centered, std::vector<std::string> type_names, const UnitSystem& units,
                 std::vector<AtomGroup> groups)
    : Observer("profile", interval),
      context_(context),
      axis_(axis),
      bins_(bins),
      centered_(centered),
      names_(std::move(type_names)),
      groups_(std::move(groups)),
      units_(units) {
  if (!groups_.empty()) {
    names_.clear();
    for (const AtomGroup& group : groups_) names_.push_back(group.name());
  }
  sums_.assign(stride() * static_cast<std::size_t>(bins), 0.0);
}

double Profile::center(const Frame& frame) const {
  const double length = frame.box.length[axis_];
  const double wave = 2.0 * std::numbers::pi / length;
  double cosine = 0.0, sine = 0.0;
  for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
    const Position& position = frame.particles.position[i];
    const double mass = frame.masses[static_cast<std::size_t>(position.type)];
    const double angle = wave * position.vector()[axis_];
    cosine += mass * std::cos(angle);
    sine += mass * std::sin(angle);
  }
  comm::ReductionBatch batch(context_, "profile center");
  batch.sum(cosine).sum(sine).run();
  return std::atan2(sine, cosine) / wave;
}

void Profile::sample(const Frame& frame) {
  const double length = frame.box.length[axis_];
  const double shift = centered_ ? 0.5 * length - center(frame) : 0.0;
  for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
    const Position& position = frame.particles.position[i];
    const double fraction = (position.vector()[axis_] + shift) / length;
    const double in_box = fraction - std::floor(fraction);
    const int bin = std::min(bins_ - 1, static_cast<int>(in_box * bins_));
    double* slice = sums_.data() + static_cast<std::size_t>(bin) * stride();
    const auto type = static_cast<std::size_t>(position.type);
    const Vec3& velocity = frame.particles.velocity[i];
    if (groups_.empty()) slice[type] += 1.0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].contains(frame.particles.id[i], position, frame.box)) slice[g] += 1.0;
    }
    // Virtual sites have no mass, and so no temperature.
    const double mass = frame.masses[type];
    if (mass > 0.0) slice[names_.size()] += 1.0;
    slice[names_.size() + 1] += mass * dot(velocity, velocity);
  }
  frames_ += 1.0;
  lengths_ += length;
  areas_ += frame.box.volume() / length;
}

void Profile::set_common(std::span<const double> values) {
  if (values.size() != 3) return;
  frames_ = values[0];
  lengths_ = values[1];
  areas_ = values[2];
}

double Profile::density(std::span<const double> all_sums, std::size_t column, int bin) const {
  if (frames_ == 0.0) return 0.0;
  const double slice = lengths_ / frames_ / bins_ * (areas_ / frames_);
  return all_sums[static_cast<std::size_t>(bin) * stride() + column] / (frames_ * slice);
}

ObserverReport Profile::report(std::span<const double> all_sums) const {
  const auto unit = [&](Dimension dimension) {
    const std::string label(units_.label(dimension));
    return label.empty() ? "" : "/" + label;
  };
  std::string text = fmt::format("# profile along {}, {:.0f} frames\n# {}{}", "xyz"[axis_], frames_,
                                 "xyz"[axis_], unit(Dimension::length));
  for (const std::string& name : names_) {
    text += fmt::format(" density_{}{}", name, unit(Dimension::number_density));
  }
  text += fmt::format(" temperature{}\n", unit(Dimension::temperature));
  const std::size_t columns = names_.size();
  for (int bin = 0; bin < bins_; ++bin) {
    const double place = frames_ > 0.0 ? (bin + 0.5) / bins_ * lengths_ / frames_ : 0.0;
    text += fmt::format("{:.8g}", units_.from_internal(place, Dimension::length));
    const double* slice = all_sums.data() + static_cast<std::size_t>(bin) * stride();
    for (std::size_t column = 0; column < columns; ++column) {
      text += fmt::format(" {:.8g}", units_.from_internal(density(all_sums, column, bin),
                                                          Dimension::number_density));
    }
    const double particles = slice[columns];
    const double temperature =
        particles > 0.0 ? slice[columns + 1] / (3.0 * particles * units_.boltzmann()) : 0.0;
    text += fmt::format(" {:.8g}\n", units_.from_internal(temperature, Dimension::temperature));
  }
  return {.text = text};
}

namespace {

std::unique_ptr<Observer> make_profile(const ObserverRequest& request) {
  const auto& options = request.input.section<ProfileOptions>();
  return std::make_unique<Profile>(
      request.context, options.interval, index_of(options.axis), options.bins, options.centered,
      request.names, request.input.units,
      groups_from_input(request.input, request.topology, options.groups));
}

void check_profile(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "profile.groups",
                    input.section<ProfileOptions>().groups, false);
}

void check_profile_in_box(const Input& input, const Box& box, const Report& report) {
  check_planes(box, input.section<ProfileOptions>().axis, "profile.axis", "a profile", report);
}

}  // namespace

ObserverRow observer::profile() {
  return {.schema = {.name = "profile",
                     .description =
                         "Density of each type and temperature across the box, averaged over the "
                         "run: of a slab, a film, an interface.",
                     .aliases = {"density_profile", "slab"}},
          .keys = {interval_key<ProfileOptions>(),
                   {.name = "axis",
                    .target = option<&ProfileOptions::axis>,
                    .description = "The slices lie across this axis.",
                    .aliases = {"direction", "normal"}},
                   {.name = "bins",
                    .target = option<&ProfileOptions::bins>,
                    .description = "Number of slices of equal thickness.",
                    .range = {.minimum = 1.0, .maximum = 1e6},
                    .aliases = {"nbins", "slices"}},
                   {.name = "centered",
                    .target = option<&ProfileOptions::centered>,
                    .description =
                        "Slices are counted from the center of mass along the axis, which is put "
                        "in the middle: a slab that drifts keeps its profile.",
                    .aliases = {"center"}},
                   groups_key<ProfileOptions>("Names of `[[group]]`s whose densities are counted "
                                              "in place of those of the types.",
                                              "types")},
          .interval = interval_of<ProfileOptions>,
          .check = check_profile,
          .check_in_box = check_profile_in_box,
          .make = make_profile,
          .has_changing_numbers = true};
}

}  // namespace sterna::md
