#include "md/input/external_schema.hpp"

#include <utility>

#include "md/input/selection_keys.hpp"

namespace sterna::md {
namespace {

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};

using Names = std::vector<std::string_view>;

Condition potential_is(std::vector<std::string_view> potentials) {
  return {"wall", "potential", std::move(potentials), Severity::warning};
}
Condition shape_is(std::string_view shape) {
  return {"wall", "shape", {shape}, Severity::warning};
}
Condition lennard_jones() {
  return potential_is({"lj_9_3", "lj_10_4", "lj_10_4_3", "lj_12_6"});
}

void shape_of_wall(std::vector<KeySchema>& keys) {
  const auto section = "wall";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "potential",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].potential; },
        .description =
            "\"lj_9_3\": a half space of Lennard-Jones sites. \"lj_10_4\": a layer of them. "
            "\"lj_10_4_3\": layers (Steele, Surf. Sci. 36, 317 (1973)). \"lj_12_6\": as one site. "
            "\"harmonic\": a spring that pulls back what is behind the wall. \"reflecting\": a "
            "mirror of positions and velocities. Formulas: howto/external-forces.md.",
        .need = Need::required,
        .choices =
            [] {
              return Names{"lj_9_3", "lj_10_4", "lj_10_4_3", "lj_12_6", "harmonic", "reflecting"};
            },
        .aliases = {"kind", "style"}},
       {.section = section,
        .name = "shape",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].shape; },
        .description = "A plane across an axis, or a sphere.",
        .choices =
            [] {
              return Names{"plane", "sphere"};
            }},
       {.section = section,
        .name = "axis",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].axis; },
        .description = "The normal of a plane.",
        .choices =
            [] {
              return Names{"x", "y", "z"};
            },
        .condition = shape_is("plane"),
        .aliases = {"normal", "direction"}},
       {.section = section,
        .name = "position",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].position; },
        .description = "Where the plane crosses its axis, counted from the box's corner.",
        .dimension = Dimension::length,
        .range = {.minimum = 0.0},
        .condition = shape_is("plane"),
        .aliases = {"yPos", "yoff", "coord", "at"}},
       {.section = section,
        .name = "center",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].center; },
        .description = "Of the sphere, counted from the box's corner.",
        .default_text = "[0, 0, 0]",
        .dimension = Dimension::length,
        .condition = shape_is("sphere")},
       {.section = section,
        .name = "radius",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].radius; },
        .description = "Of the sphere.",
        .need = Need::required,
        .dimension = Dimension::length,
        .range = positive,
        .condition = shape_is("sphere")},
       {.section = section,
        .name = "side",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].side; },
        .description = "Where the molecules are: \"above\" a plane or \"below\" it along its axis, "
                       "or at \"both\" sides; \"inside\" a sphere or \"outside\".",
        .choices =
            [] {
              return Names{"above", "below", "both", "inside", "outside"};
            }}});
}

void forces_of_wall(std::vector<KeySchema>& keys) {
  const auto section = "wall";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "epsilon",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].epsilon; },
        .description = "How strong it is.",
        .need = Need::required,
        .dimension = Dimension::energy,
        .range = {.minimum = 0.0},
        .condition = lennard_jones()},
       {.section = section,
        .name = "sigma",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].sigma; },
        .description = "Size of a site as the wall sees it.",
        .need = Need::required,
        .dimension = Dimension::length,
        .range = positive,
        .condition = lennard_jones()},
       {.section = section,
        .name = "layer_spacing",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].layer_spacing; },
        .description = "Distance of the layers.",
        .default_text = "sigma / sqrt(2)",
        .dimension = Dimension::length,
        .range = positive,
        .condition = potential_is({"lj_10_4_3"}),
        .aliases = {"delta"}},
       {.section = section,
        .name = "cutoff",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].cutoff; },
        .description = "Distance from the wall at which its potential ends; it is shifted to be 0 "
                       "there.",
        .need = Need::required,
        .dimension = Dimension::length,
        .range = positive,
        .condition = lennard_jones(),
        .aliases = {"ycut", "rc"}},
       {.section = section,
        .name = "stiffness",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].stiffness; },
        .description = "Force per depth behind the wall.",
        .need = Need::required,
        .dimension = Dimension::stiffness,
        .range = positive,
        .condition = potential_is({"harmonic"}),
        .aliases = {"k", "force_constant", "forceConstant", "spring_constant"}},
       {.section = section,
        .name = "acts_on",
        .target = [](Input& i, std::size_t n) -> Target { return &i.walls[n].acts_on; },
        .description = "Lennard-Jones sites, each of them, or centers of mass. A reflecting wall "
                       "always acts on centers.",
        .default_text = "sites; centers where the wall is harmonic",
        .choices =
            [] {
              return Names{"sites", "centers"};
            },
        .condition = potential_is({"lj_9_3", "lj_10_4", "lj_10_4_3", "lj_12_6", "harmonic"})}});
  append(keys, selection_keys<&Input::walls>(section, {"type", "group"}));
}

void field(std::vector<KeySchema>& keys) {
  const auto section = "field";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "force",
        .target = [](Input& i, std::size_t n) -> Target { return &i.fields[n].force; },
        .description = "On each molecule, at its center of mass.",
        .default_text = "none",
        .dimension = Dimension::force},
       {.section = section,
        .name = "acceleration",
        .target = [](Input& i, std::size_t n) -> Target { return &i.fields[n].acceleration; },
        .description = "Of each molecule: gravity.",
        .default_text = "none",
        .dimension = Dimension::acceleration,
        .aliases = {"gravity", "g"}},
       {.section = section,
        .name = "electric_field",
        .target = [](Input& i, std::size_t n) -> Target { return &i.fields[n].electric_field; },
        .description = "Acts on charges and turns dipoles.",
        .default_text = "none",
        .dimension = Dimension::electric_field,
        .aliases = {"electric", "efield"}},
       {.section = section,
        .name = "component",
        .target = [](Input& i, std::size_t n) -> Target { return &i.fields[n].component; },
        .description = "Name of the `[[component]]` or `[[type]]` whose molecules it acts on.",
        .default_text = "all",
        .aliases = {"type", "group"}}});
}

void restraint(std::vector<KeySchema>& keys) {
  const auto section = "restraint";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "stiffness",
        .target = [](Input& i, std::size_t n) -> Target { return &i.restraints[n].stiffness; },
        .description = "Force per distance from the place.",
        .need = Need::required,
        .dimension = Dimension::stiffness,
        .range = positive,
        .aliases = {"k", "force_constant", "spring_constant"}},
       {.section = section,
        .name = "place",
        .target = [](Input& i, std::size_t n) -> Target { return &i.restraints[n].place; },
        .description = "One place for all of them, counted from the box's corner; its nearest "
                       "image counts.",
        .default_text = "where each molecule is at the start",
        .dimension = Dimension::length,
        .aliases = {"position", "center"}},
       {.section = section,
        .name = "axes",
        .target = [](Input& i, std::size_t n) -> Target { return &i.restraints[n].axes; },
        .description = "Along which they are held: one axis holds molecules in a plane, two at a "
                       "line.",
        .choices =
            [] {
              return Names{"x", "y", "z"};
            },
        .aliases = {"axis", "directions"}},
       {.section = section,
        .name = "component",
        .target = [](Input& i, std::size_t n) -> Target { return &i.restraints[n].component; },
        .description = "Name of the `[[component]]` or `[[type]]` whose molecules are held.",
        .default_text = "all",
        .aliases = {"type", "group"}},
       {.section = section,
        .name = "lower",
        .target = [](Input& i, std::size_t n) -> Target { return &i.restraints[n].lower; },
        .description = "Lower corner of the region in which they are at the start, counted from "
                       "the box's corner.",
        .default_text = "no bound",
        .dimension = Dimension::length,
        .aliases = {"from"}},
       {.section = section,
        .name = "upper",
        .target = [](Input& i, std::size_t n) -> Target { return &i.restraints[n].upper; },
        .description = "Upper corner of that region.",
        .default_text = "no bound",
        .dimension = Dimension::length,
        .aliases = {"to"}}});
}

void freeze(std::vector<KeySchema>& keys) {
  const auto section = "freeze";
  keys.insert(
      keys.end(),
      {{.section = section,
        .name = "component",
        .target = [](Input& i, std::size_t n) -> Target { return &i.freezes[n].component; },
        .description = "Name of the `[[component]]` or `[[type]]` whose molecules do not feel "
                       "forces.",
        .need = Need::required,
        .aliases = {"type", "group"}},
       {.section = section,
        .name = "velocity",
        .target = [](Input& i, std::size_t n) -> Target { return &i.freezes[n].velocity; },
        .description = "At which they move.",
        .default_text = "[0, 0, 0]: they rest",
        .dimension = Dimension::velocity}});
}

}  // namespace

std::vector<KeySchema> external_keys() {
  std::vector<KeySchema> keys;
  shape_of_wall(keys);
  forces_of_wall(keys);
  field(keys);
  restraint(keys);
  freeze(keys);
  return keys;
}

}  // namespace sterna::md
