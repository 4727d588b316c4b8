#include "md/input/motion_schema.hpp"

#include "md/input/selection_keys.hpp"

namespace sterna::md {
namespace {

constexpr Range not_negative{.minimum = 0.0};

using Names = std::vector<std::string_view>;

void drift_control(std::vector<KeySchema>& keys) {
  const auto section = "drift_control";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "velocity",
        .target = [](Input& i, std::size_t n) -> Target { return &i.drift_controls[n].velocity; },
        .description = "The common velocity to keep: that of the center of mass.",
        .default_text = "[0, 0, 0]",
        .dimension = Dimension::velocity,
        .aliases = {"drift", "target"}}});
  append(keys, selection_keys<&Input::drift_controls>(section, {"type", "group", "cid"}));
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "slabs",
        .target = [](Input& i, std::size_t n) -> Target { return &i.drift_controls[n].slabs; },
        .description = "Divides the region into slabs across y, each of which is kept at the "
                       "velocity for itself.",
        .range = {.minimum = 1.0, .maximum = 1e4},
        .aliases = {"bins"}},
       {.section = section,
        .name = "interval",
        .target = [](Input& i, std::size_t n) -> Target { return &i.drift_controls[n].interval; },
        .description = "Steps from one correction of the velocities to the next.",
        .range = {.minimum = 1.0, .maximum = 1e9},
        .aliases = {"every", "control"}},
       {.section = section,
        .name = "sample_interval",
        .target = [](Input& i, std::size_t n) -> Target {
          return &i.drift_controls[n].sample_interval;
        },
        .description = "Steps from one measurement of the common velocity to the next; a "
                       "correction goes by the mean of those since the last one.",
        .range = {.minimum = 1.0, .maximum = 1e9},
        .aliases = {"sample"}}});
  append(keys, step_range_keys<&Input::drift_controls>(section));
}

void limit(std::vector<KeySchema>& keys) {
  const auto section = "limit";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "force",
        .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].force; },
        .description = "The longest force on a molecule. It keeps its direction.",
        .default_text = "no limit",
        .dimension = Dimension::force,
        .range = not_negative,
        .aliases = {"Fmax", "maximum_force", "fmax"}},
       {.section = section,
        .name = "velocity",
        .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].velocity; },
        .description = "The longest velocity of a molecule.",
        .default_text = "no limit",
        .dimension = Dimension::velocity,
        .range = not_negative,
        .aliases = {"vmax", "speed", "maximum_velocity"}},
       {.section = section,
        .name = "torque",
        .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].torque; },
        .description = "The longest torque on a molecule.",
        .default_text = "no limit",
        .dimension = Dimension::energy,
        .range = not_negative,
        .aliases = {"Mmax"}},
       {.section = section,
        .name = "angular_momentum",
        .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].angular_momentum; },
        .description = "The longest angular momentum of a molecule.",
        .default_text = "no limit",
        .dimension = Dimension::angular_momentum,
        .range = not_negative,
        .aliases = {"Lmax"}},
       {.section = section,
        .name = "overlaps_only",
        .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].overlaps_only; },
        .description = "Whether velocities are shortened only where the force is beyond its limit, "
                       "and angular momenta only where the torque is."}});
  append(keys, selection_keys<&Input::limits>(section, {"type", "group", "cid"}));
  keys.insert(keys.end(),
              {{.section = section,
                .name = "outside",
                .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].outside; },
                .description = "Whether it acts outside of the region, not inside."},
               {.section = section,
                .name = "interval",
                .target = [](Input& i, std::size_t n) -> Target { return &i.limits[n].interval; },
                .description = "Steps from one look at forces and velocities to the next.",
                .range = {.minimum = 1.0, .maximum = 1e9},
                .aliases = {"every", "frequency"}}});
  append(keys, step_range_keys<&Input::limits>(section));
}

void alignment(std::vector<KeySchema>& keys) {
  const auto section = "alignment";
  keys.insert(keys.end(),
              {{.section = section,
                .name = "interval",
                .target = [](Input& i, std::size_t) -> Target { return &i.alignment.interval; },
                .description = "Steps from one alignment to the next, each of which makes the "
                               "lists anew.",
                .need = Need::required,
                .range = {.minimum = 0.0, .maximum = 1e9},
                .aliases = {"every"}},
               {.section = section,
                .name = "axes",
                .target = [](Input& i, std::size_t) -> Target { return &i.alignment.axes; },
                .description = "Along which molecules are moved.",
                .choices =
                    [] {
                      return Names{"x", "y", "z"};
                    },
                .aliases = {"axis", "directions"}},
               {.section = section,
                .name = "part",
                .target = [](Input& i, std::size_t) -> Target { return &i.alignment.part; },
                .description = "How much of the way to the middle of the box is gone at a time; at "
                               "most the cutoff.",
                .range = {.minimum = 0.0, .maximum = 1.0, .exclusive_minimum = true},
                .aliases = {"correctionFactor", "factor"}}});
}

}  // namespace

std::vector<KeySchema> motion_keys() {
  std::vector<KeySchema> keys;
  drift_control(keys);
  limit(keys);
  alignment(keys);
  return keys;
}

}  // namespace sterna::md
