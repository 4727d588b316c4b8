#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
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

  void system() {
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
      far_charges(at, name);
    }
  }

  /// The energy of charges at any distance is known for the particles of a step only.
  void far_charges(const std::string& at, const std::string& name) {
    if (!input_.electrostatics.is_used() || input_.electrostatics.ends_at_cutoff()) return;
    for (const Input::Component& component : input_.components) {
      if (component.name != name) continue;
      const bool acts = std::ranges::any_of(component.sites, [](const Input::Site& site) {
        return (site.kind == SiteKind::charge && site.charge != 0.0) ||
               site.kind == SiteKind::dipole;
      });
      if (!acts) return;
      error(at, fmt::format("{} has charges or dipoles that act at any distance, whose energy "
                            "changes with each accepted move; [[grand_canonical]] takes these "
                            "without [electrostatics]: with the reaction field of [interaction]",
                            quote(name)));
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
    if (given.size() == 1) return;
    error(given.empty() ? at : given[1],
          fmt::format("a reservoir has one of \"chemical_potential\", "
                      "\"reduced_chemical_potential\", \"activity\" and \"fugacity\"; here {}",
                      given.empty() ? "is none" : fmt::format("are {}", given.size())));
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

}  // namespace

void check_grand_canonical(const Input& input, const IsGood& is_good, const Report& report) {
  ReservoirChecker(input, is_good, report).check();
}

void check_reservoirs_in_box(const Input& input, const Box& box, const Report& report) {
  for (std::size_t n = 0; n < input.tables<GrandCanonicalSection>().size(); ++n) {
    const GrandCanonicalSection& one = input.tables<GrandCanonicalSection>()[n];
    const auto region = region_of(one, box);
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
