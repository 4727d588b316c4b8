#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/ensemble/grand_canonical_section.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/forces/external/input/field_section.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/input/check_ensemble.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/observe/check_inserted.hpp"

namespace sterna::md {
namespace {

/// Sections that do not go with a number of particles that changes.
struct Refused {
  std::string_view section, why;
};
constexpr auto refused_sections = std::to_array<Refused>(
    {{"restraint", "holds particles at places that new ones do not have"},
     {"bias", "acts on variables whose energy of one more molecule is not computed"},
     {"plumed", "acts on variables whose energy of one more molecule is not computed"},
     {"alchemy", "has molecules whose interactions are switched off in part"},
     {"kim", "has a model whose energy of one more atom is not computed"},
     {"field", "gives an energy that depends on the path of a molecule"},
     {"drift_control", "holds a momentum that each new molecule changes"}});

/// The lists of which a reservoir has one.
struct GivenList {
  std::string_view key;
  std::vector<double> GrandCanonicalSection::*values;
};
constexpr auto given_lists = std::to_array<GivenList>(
    {{"chemical_potential", &GrandCanonicalSection::chemical_potential},
     {"reduced_chemical_potential", &GrandCanonicalSection::reduced_chemical_potential},
     {"activity", &GrandCanonicalSection::activity},
     {"fugacity", &GrandCanonicalSection::fugacity}});

class ReservoirChecker {
 public:
  ReservoirChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    if (reservoirs().empty()) return;
    ensemble();
    thermostats_beside_frozen();
    system();
    outputs();
    for (std::size_t n = 0; n < reservoirs().size(); ++n) reservoir(n);
  }

 private:
  const std::vector<GrandCanonicalSection>& reservoirs() const {
    return input_.tables<GrandCanonicalSection>();
  }
  static std::string place(std::size_t n) { return fmt::format("grand_canonical[{}]", n); }
  bool gives(std::string_view place) const { return input_.places.contains(place); }
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  void ensemble() {
    const std::string why = why_no_ensemble(input_);
    if (!why.empty()) {
      error(place(0), "[[grand_canonical]] needs an ensemble, but " + why);
    } else if (!input_.has_thermostat()) {
      error(place(0),
            "[[grand_canonical]] has the temperature of the [thermostat], which is "
            "missing");
    } else if (has_several_temperatures(input_)) {
      error(place(0),
            "[[grand_canonical]] needs one temperature, but the thermostats keep several");
    } else if (input_.barostat.is_used()) {
      error(place(0),
            "chemical potential, temperature and pressure depend on each other: "
            "[[grand_canonical]] does not go with a [barostat]");
    } else if (input_.time_steps.are_used()) {
      error(place(0), "[[grand_canonical]] does not go with [multiple_time_steps]");
    } else if (gives("replicas")) {
      error(place(0), "[[grand_canonical]] does not go with [replicas]");
    }
  }

  /// A thermostat of a fixed number of molecules is told how many degrees of freedom there are only
  /// where it acts on everything, which it does not beside what is frozen.
  void thermostats_beside_frozen() {
    if (input_.freezes.empty()) return;
    for (std::size_t n = 0; n < input_.thermostats.size(); ++n) {
      const ThermostatRow* const kind = row_of(input_.thermostats[n]);
      if (kind == nullptr || !kind->is_canonical || kind->not_in_a_region.empty()) continue;
      const auto kinds = thermostat_rows().names_that(
          [](const ThermostatRow& of) { return of.is_canonical && of.not_in_a_region.empty(); });
      error(place(0),
            fmt::format("{}: beside [[freeze]], [[grand_canonical]] needs another kind of "
                        "[thermostat] than {}; expected {}",
                        kind->not_in_a_region, quote(kind->name), choice_list(kinds)));
    }
  }

  void system() {
    if (input_.electrostatics.is_used() && !input_.electrostatics.ends_at_cutoff()) {
      error(
          gives("electrostatics") ? std::string_view("electrostatics") : place(0),
          "[[grand_canonical]] does not go with charges or dipoles that act at any distance, of "
          "whatever molecules: lists of these are made for numbers that stay; expected those that "
          "end at the cutoff, with the reaction field of [interaction], or no [electrostatics]");
    }
    if (!input_.molecules.empty()) {
      error(place(0),
            "[[grand_canonical]] does not go with [[molecule]]s, whose atoms are known by "
            "ids without gaps; expected atoms and rigid molecules");
    }
    if (input_.interaction.tail_correction == TailCorrection::planar) {
      error("interaction.tail_correction",
            "tail_correction = \"planar\" depends on the place, which [[grand_canonical]] does not "
            "compute; expected \"homogeneous\" or none");
    }
    for (const Refused& refused : refused_sections) {
      const std::string first = fmt::format("{}[0]", refused.section);
      const bool is_one_of_many = gives(first);
      if (!is_one_of_many && !gives(refused.section)) continue;
      error(is_one_of_many ? std::string_view(first) : refused.section,
            fmt::format("{0}{1}{2} {3}, so that it does not go with [[grand_canonical]]",
                        is_one_of_many ? "[[" : "[", refused.section, is_one_of_many ? "]]" : "]",
                        refused.why));
    }
    for (std::size_t n = 0; n < input_.tables<WallSection>().size(); ++n) {
      if (input_.tables<WallSection>()[n].potential != WallSection::Potential::reflecting) continue;
      error(fmt::format("wall[{}].potential", n),
            "a reflecting wall has no energy that keeps new molecules from the space behind it; "
            "expected another potential with [[grand_canonical]]");
    }
  }

  void outputs() {
    const auto fixed = [&](std::string_view at, std::string_view what) {
      error(at, fmt::format("{} has the same particles in all frames, but [[grand_canonical]] "
                            "changes their number",
                            what));
    };
    if (input_.output.trajectory_interval > 0) fixed("output.trajectory_interval", "a trajectory");
    if (input_.output.xtc_interval > 0) fixed("output.xtc_interval", "an XTC file");
    for (const TrajectoryRow& row : trajectory_rows()) {
      if (row.interval(input_) > 0 && !row.has_changing_numbers) {
        fixed(row.schema.name, fmt::format("the file of [{}]", row.schema.name));
      }
    }
    for (const ObserverRow& row : observer_rows()) {
      const std::string first = fmt::format("{}[0]", row.schema.name);
      const std::string_view at = gives(first) ? std::string_view(first) : row.schema.name;
      if (!gives(at) || row.interval == nullptr || row.interval(input_) == 0) continue;
      if (row.has_changing_numbers) continue;
      error(at,
            fmt::format("[{}] is for particles that stay, but [[grand_canonical]] changes their "
                        "number",
                        row.schema.name));
    }
  }

  void reservoir(std::size_t n) {
    const std::string at = place(n);
    const GrandCanonicalSection& one = reservoirs()[n];
    if (good_(at + ".components")) names(at + ".components", one.components);
    lists(at, one);
    region(at, one);
    if (one.moves == 0 && one.exchanges == 0) {
      error(at, "[[grand_canonical]] does nothing without \"moves\" and \"exchanges\"");
    }
    if (one.exchanges > 0 && one.components.size() < 2 && good_(at + ".components")) {
      error(at + ".exchanges", "an exchange of identity needs two \"components\"");
    }
    for (std::size_t before = 0; before < n; ++before) disjoint(before, n);
  }

  void names(const std::string& at, const std::vector<std::string>& components) {
    for (std::size_t k = 0; k < components.size(); ++k) {
      const std::string& name = components[k];
      if (std::ranges::count(components, name) > 1) {
        error(at, fmt::format("{} is in \"components\" twice", quote(name)));
        return;
      }
      if (const std::string why = why_name_is_not_inserted(input_, name); !why.empty()) {
        error(at, why);
        continue;
      }
      if (std::ranges::find(input_.freezes, name, &Input::Freeze::component) !=
          input_.freezes.end()) {
        error(at, fmt::format("{} is frozen, so that it does not come and go", quote(name)));
      }
    }
  }

  void lists(const std::string& at, const GrandCanonicalSection& one) {
    std::vector<std::string> given;
    for (const GivenList& list : given_lists) {
      const std::string of_key = fmt::format("{}.{}", at, list.key);
      if (!gives(of_key)) continue;
      given.push_back(of_key);
      const std::size_t count = (one.*list.values).size();
      if (!good_(of_key) || !good_(at + ".components") || count == one.components.size()) continue;
      error(of_key,
            fmt::format("{} has {} number{}; expected one for each of {} components",
                        quote(list.key), count, count == 1 ? "" : "s", one.components.size()));
    }
    if (given.size() == 1) return activities(given[0], at, one);
    error(given.empty() ? at : given[1],
          fmt::format("a reservoir has one of \"chemical_potential\", "
                      "\"reduced_chemical_potential\", \"activity\" and \"fugacity\"; here {}",
                      given.empty() ? "is none" : fmt::format("are {}", given.size())));
  }

  /// A chemical potential far from 0 has an activity that no number holds.
  void activities(const std::string& of_key, const std::string& at,
                  const GrandCanonicalSection& one) {
    if (!good_(of_key) || !good_(at + ".components") || !input_.has_thermostat()) return;
    const std::size_t count = std::size(one.components);
    for (const GivenList& list : given_lists) {
      if (!(one.*list.values).empty() && (one.*list.values).size() != count) return;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const double mass = mass_of(one.components[k]);
      if (!(mass > 0.0) || !(insertion_temperature(input_) > 0.0)) continue;
      const double activity = activity_of(input_, one, k, mass);
      if (std::isfinite(activity) && activity >= std::numeric_limits<double>::min()) continue;
      error(of_key, fmt::format("the activity of {} at this temperature is {}; expected a finite "
                                "number above 0: is the unit right?",
                                quote(one.components[k]),
                                activity > 1.0 ? "too large for a number" : "rounded to 0"));
    }
  }

  /// 0: not known.
  double mass_of(const std::string& name) const {
    for (const Input::Type& type : input_.types) {
      if (type.name == name) return type.mass;
    }
    double mass = 0.0;
    for (const Input::Component& component : input_.components) {
      if (component.name != name) continue;
      for (const Input::Site& site : component.sites) mass += site.mass;
    }
    return mass;
  }

  void region(const std::string& at, const GrandCanonicalSection& one) {
    if (!one.lower || !one.upper || !good_(at + ".lower") || !good_(at + ".upper")) return;
    for (int axis = 0; axis < 3; ++axis) {
      if ((*one.lower)[axis] < (*one.upper)[axis]) continue;
      error(at + ".upper",
            fmt::format("the region is empty: its upper corner has {} = {}, its lower corner {}",
                        "xyz"[axis], input_.units.text((*one.upper)[axis], Dimension::length),
                        input_.units.text((*one.lower)[axis], Dimension::length)));
      return;
    }
  }

  /// A molecule belongs to one reservoir at most.
  void disjoint(std::size_t a, std::size_t b) {
    const GrandCanonicalSection &first = reservoirs()[a], &second = reservoirs()[b];
    for (int axis = 0; axis < 3; ++axis) {
      const auto ends_before = [&](const GrandCanonicalSection& one,
                                   const GrandCanonicalSection& other) {
        return one.upper && other.lower && (*one.upper)[axis] <= (*other.lower)[axis];
      };
      if (ends_before(first, second) || ends_before(second, first)) return;
    }
    error(place(b), fmt::format("the region of this reservoir overlaps with that of "
                                "[[grand_canonical]] number {}; expected regions apart, and the "
                                "components of one region in one [[grand_canonical]]",
                                a + 1));
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

/// Whether some point of a region is behind a wall. Walls of any periodic image count.
bool has_points_behind(const WallSection& wall, ReservoirRegion region, const Box& box) {
  for (int axis = 0; axis < 3; ++axis) {
    if (wall.lower) region.lower[axis] = std::max(region.lower[axis], (*wall.lower)[axis]);
    if (wall.upper) region.upper[axis] = std::min(region.upper[axis], (*wall.upper)[axis]);
    if (!(region.lower[axis] < region.upper[axis])) return false;  // the wall does not act there
  }
  if (wall.side == WallSection::Side::both) return false;
  if (wall.shape == WallSection::Shape::plane) {
    const int axis = static_cast<int>(wall.axis);
    const double rounding = 1e-12 * box.length[axis];
    return wall.side == WallSection::Side::above ? region.lower[axis] < wall.position - rounding
                                                 : region.upper[axis] > wall.position + rounding;
  }
  const bool is_inside = wall.side == WallSection::Side::inside;
  double square = 0.0;  // of the distance of the farthest point, or of the nearest one
  for (int axis = 0; axis < 3; ++axis) {
    double best = std::numeric_limits<double>::infinity();
    for (const int image : {-1, 0, 1}) {
      const double center = wall.center[axis] + image * box.length[axis];
      const double below = center - region.lower[axis], above = region.upper[axis] - center;
      best = std::min(best, is_inside ? std::max(below, above) : std::max({0.0, -below, -above}));
    }
    square += best * best;
  }
  const double distance = std::sqrt(square);
  return is_inside ? distance > wall.radius * (1.0 + 1e-12)
                   : distance < wall.radius * (1.0 - 1e-12);
}

/// A wall of Lennard-Jones sites has no energy behind it, where molecules would stay.
void check_behind_walls(const Input& input, const GrandCanonicalSection& reservoir, std::size_t n,
                        const Box& box, const Report& report) {
  using Potential = WallSection::Potential;
  const auto& walls = input.tables<WallSection>();
  for (std::size_t k = 0; k < walls.size(); ++k) {
    const WallSection& wall = walls[k];
    if (!wall.potential || *wall.potential == Potential::harmonic ||
        *wall.potential == Potential::reflecting) {
      continue;
    }
    if (!wall.component.empty() &&
        std::ranges::find(reservoir.components, wall.component) == reservoir.components.end()) {
      continue;
    }
    if (!has_points_behind(wall, region_of(reservoir, box), box)) continue;
    report(Severity::error, fmt::format("grand_canonical[{}]", n),
           fmt::format("molecules would be inserted behind [[wall]] number {}, which has no energy "
                       "there; expected \"lower\" and \"upper\" of a region in front of it",
                       k + 1));
  }
}

}  // namespace

void check_grand_canonical(const Input& input, const IsGood& is_good, const Report& report) {
  ReservoirChecker(input, is_good, report).check();
}

void check_reservoirs_in_box(const Input& input, const Box& box, const Report& report) {
  for (std::size_t n = 0; n < input.tables<GrandCanonicalSection>().size(); ++n) {
    const GrandCanonicalSection& one = input.tables<GrandCanonicalSection>()[n];
    const auto region = region_of(one, box);
    if (box.tilt.none()) check_behind_walls(input, one, n, box, report);
    for (const bool is_lower : {true, false}) {
      if (!(is_lower ? one.lower : one.upper)) continue;
      const std::string at = fmt::format("grand_canonical[{}].{}", n, is_lower ? "lower" : "upper");
      if (!box.tilt.none()) {
        report(Severity::error, at,
               "the region of a [[grand_canonical]] needs an orthorhombic box; that of this run is "
               "triclinic");
        continue;
      }
      const Vec3& corner = is_lower ? region.lower : region.upper;
      for (int axis = 0; axis < 3; ++axis) {
        const double length = box.length[axis];
        if (corner[axis] >= 0.0 && corner[axis] <= length * (1.0 + 1e-12) &&
            region.lower[axis] < region.upper[axis]) {
          continue;
        }
        report(Severity::error, at,
               fmt::format("the region must lie in the box, and not be empty: along {} it is {} to "
                           "{}, and the box is {} wide",
                           "xyz"[axis], input.units.text(region.lower[axis], Dimension::length),
                           input.units.text(region.upper[axis], Dimension::length),
                           input.units.text(length, Dimension::length)));
        break;
      }
    }
  }
}

}  // namespace sterna::md
