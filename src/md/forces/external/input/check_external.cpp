#include "md/forces/external/input/check_external.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/external/input/field_section.hpp"
#include "md/forces/external/input/restraint_section.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/check_selection.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {
namespace {

using Potential = WallSection::Potential;
using Shape = WallSection::Shape;
using Side = WallSection::Side;

class ExternalChecker {
 public:
  ExternalChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    for (std::size_t n = 0; n < input_.tables<WallSection>().size(); ++n) wall(n);
    for (std::size_t n = 0; n < input_.tables<FieldSection>().size(); ++n) field(n);
    for (std::size_t n = 0; n < input_.tables<RestraintSection>().size(); ++n) restraint(n);
  }

 private:
  void error(const std::string& place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }
  bool gives(const std::string& place) const { return input_.places.contains(place); }
  void selection(const std::string& place, const std::string& component,
                 const std::optional<Vec3>& lower, const std::optional<Vec3>& upper) {
    check_selection(input_, good_, report_, place, component, lower, upper);
  }
  void fixed_box(const std::string& place) {
    if (!input_.barostat.is_used() || !good_("barostat.kind")) return;
    error(place, fmt::format("[[{}]] has fixed places, but a [barostat] changes the box",
                             place.substr(0, place.find('['))));
  }

  void wall(std::size_t n) {
    const WallSection& wall = input_.tables<WallSection>()[n];
    const std::string place = fmt::format("wall[{}]", n);
    selection(place, wall.component, wall.lower, wall.upper);
    fixed_box(place);
    const bool known_side = !gives(place + ".side") || good_(place + ".side");
    const bool known_shape = !gives(place + ".shape") || good_(place + ".shape");
    if (known_side && known_shape) side(place, wall);
    if (!good_(place + ".potential")) return;
    if (wall.potential == Potential::harmonic && wall.side == Side::both && known_side) {
      error(place + ".side",
            "a harmonic wall acts on what is behind it, and nothing is behind one that has "
            "molecules at \"both\" sides; expected \"above\" or \"below\"");
    }
    if (wall.potential == Potential::reflecting && input_.minimizes()) {
      report_(Severity::warning, place + ".potential",
              "a minimization has no velocities that a wall could reflect: it has no effect");
    }
  }

  void side(const std::string& place, const WallSection& wall) {
    const bool of_sphere = wall.side == Side::inside || wall.side == Side::outside;
    if (wall.shape == Shape::sphere && !of_sphere) {
      error(gives(place + ".side") ? place + ".side" : place + ".shape",
            "a sphere needs the \"side\" where the molecules are: \"inside\" or \"outside\"");
    } else if (wall.shape == Shape::plane && of_sphere) {
      error(place + ".side",
            fmt::format("\"side\" in [[wall]] is {}; expected \"above\", \"below\" or \"both\" of "
                        "a plane",
                        quote(choice_name(wall.side))));
    }
    if (wall.side == Side::inside && wall.cutoff > wall.radius && good_(place + ".cutoff") &&
        good_(place + ".radius")) {
      error(place + ".cutoff",
            fmt::format("\"cutoff\" in [[wall]] is {}; expected at most the radius, which is {}: "
                        "at the center the force would have no direction",
                        length(wall.cutoff), length(wall.radius)));
    }
  }

  void field(std::size_t n) {
    const FieldSection& field = input_.tables<FieldSection>()[n];
    const std::string place = fmt::format("field[{}]", n);
    selection(place, field.component, std::nullopt, std::nullopt);
    int given = 0;
    for (const char* key : {".force", ".acceleration", ".electric_field"}) {
      given += gives(place + key) ? 1 : 0;
    }
    if (given != 1) {
      error(place, fmt::format("[[field]] needs one of \"force\", \"acceleration\" and "
                               "\"electric_field\"; here {}",
                               given == 0 ? "there is none" : "are several"));
    }
    if (field.electric_field && good_(place + ".electric_field") && !anything_is_charged()) {
      report_(Severity::warning, place + ".electric_field",
              "nothing has a charge or a dipole: the electric field has no effect");
    }
  }

  bool anything_is_charged() const {
    if (std::ranges::any_of(input_.types, [](const auto& type) { return type.charge != 0.0; })) {
      return true;
    }
    if (std::ranges::any_of(input_.molecules, [](const Input::Molecule& molecule) {
          // Those of files are read later.
          return !molecule.file.empty() ||
                 std::ranges::any_of(molecule.atoms, [](const Input::MoleculeAtom& atom) {
                   return atom.charge.value_or(0.0) != 0.0;
                 });
        })) {
      return true;
    }
    return std::ranges::any_of(input_.components, [](const Input::Component& component) {
      // The sites of published models are not read yet, so they are assumed to be charged.
      return !component.model.empty() ||
             std::ranges::any_of(component.sites, [](const Input::Site& site) {
               return site.kind == SiteKind::charge || site.kind == SiteKind::dipole;
             });
    });
  }

  void restraint(std::size_t n) {
    const RestraintSection& restraint = input_.tables<RestraintSection>()[n];
    const std::string place = fmt::format("restraint[{}]", n);
    selection(place, restraint.component, restraint.lower, restraint.upper);
    check_group_names(input_, good_, report_, place + ".groups", restraint.groups, false);
    if (restraint.axes.empty() && good_(place + ".axes")) {
      error(place + ".axes", "\"axes\" in [[restraint]] is empty: it would hold nothing");
    }
    if (gives(place + ".place") && gives(place + ".reference_file")) {
      error(place + ".reference_file",
            "expected either \"place\", which is one for all, or \"reference_file\", which has one "
            "for each");
    }
    if (!input_.barostat.is_used() || !good_("barostat.kind")) return;
    if (!gives(place + ".reference_scaling")) {
      error(place,
            "a [barostat] changes the box: expected reference_scaling = \"all\", \"center\" or "
            "\"none\", which says what becomes of the places in [[restraint]]");
    }
  }

  std::string length(double value) const { return input_.units.text(value, Dimension::length); }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

void check_wall_in_box(const Input& input, std::size_t n, const Box& box, const Report& report) {
  const WallSection& wall = input.tables<WallSection>()[n];
  const std::string place = fmt::format("wall[{}]", n);
  const auto text = [&](double value) { return input.units.text(value, Dimension::length); };
  if (wall.shape == Shape::sphere) {
    const double farthest =
        wall.radius +
        (wall.side == Side::outside && wall.potential != Potential::reflecting ? wall.cutoff : 0.0);
    if (farthest > 0.5 * box.least_height()) {
      report(Severity::error, place + ".radius",
             fmt::format("this sphere reaches {} from its center and would meet its own images; "
                         "expected at most half the distance of the box's faces, {}",
                         text(farthest), text(0.5 * box.least_height())));
    }
    return;
  }
  const int axis = index_of(wall.axis);
  const Tilt& tilt = box.tilt;
  const bool repeats = axis == 0   ? tilt.xy == 0.0 && tilt.xz == 0.0
                       : axis == 1 ? tilt.yz == 0.0
                                   : true;
  if (!repeats) {
    report(Severity::error, place + ".axis",
           fmt::format("a wall across {0} needs a box in which no other edge leans along {0}; here "
                       "{1}. Across z it is possible in every box",
                       choice_name(wall.axis), axis == 0 ? "xy and xz must be 0" : "yz must be 0"));
    return;
  }
  const double edge = box.length[axis];
  const bool up = wall.side != Side::below, down = wall.side != Side::above;
  const bool is_inside = wall.position >= 0.0 && wall.position <= edge;
  const bool has_range =
      wall.potential != Potential::harmonic && wall.potential != Potential::reflecting;
  const bool reaches_in =
      has_range && ((up && wall.position < 0.0 && wall.position + wall.cutoff > 0.0) ||
                    (down && wall.position > edge && wall.position - wall.cutoff < edge));
  if (!is_inside && !reaches_in) {
    report(Severity::error, place + ".position",
           fmt::format("\"position\" in [[wall]] is {}; expected 0 to the edge of the box, which "
                       "is {}{}",
                       text(wall.position), text(edge),
                       has_range ? ", or a place outside from where the cutoff reaches in" : ""));
    return;
  }
  if (wall.potential == Potential::harmonic) {
    const double depth = wall.side == Side::above ? wall.position : edge - wall.position;
    if (!(depth > 0.0)) {
      report(Severity::error, place + ".position",
             "a harmonic wall acts on what is behind it, but this one has the box's face there");
    }
    return;
  }
  if (wall.potential == Potential::reflecting) return;
  if ((up && wall.position < edge && wall.position + wall.cutoff > edge) ||
      (down && wall.position > 0.0 && wall.position < wall.cutoff)) {
    report(Severity::warning, place + ".cutoff",
           "this wall reaches beyond the face of the box, where its force ends with a jump");
  }
}

}  // namespace

void check_external(Input& input, bool, const IsGood& is_good, const Report& report) {
  ExternalChecker(input, is_good, report).check();
}

void check_external_in_box(const Input& input, const Box& box, const Report& report) {
  for (std::size_t n = 0; n < input.tables<WallSection>().size(); ++n) {
    check_wall_in_box(input, n, box, report);
  }
  check_region_in_box<WallSection>(input, "wall", box, report);
  check_region_in_box<RestraintSection>(input, "restraint", box, report);
}

}  // namespace sterna::md
