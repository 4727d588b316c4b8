#include "md/forces/external/input/wall_section.hpp"

#include "md/forces/external/input/external_sections.hpp"
#include "md/input/sections/section.hpp"
#include "md/input/sections/selection_keys.hpp"

namespace sterna::md::section {
namespace {

using Potential = WallSection::Potential;

Condition wall_potential_is(std::initializer_list<Potential> potentials) {
  return choice_is("wall", "potential", potentials, Severity::warning);
}
Condition shape_is(WallSection::Shape shape) {
  return choice_is("wall", "shape", {shape}, Severity::warning);
}
Condition wall_is_lennard_jones() {
  return wall_potential_is(
      {Potential::lj_9_3, Potential::lj_10_4, Potential::lj_10_4_3, Potential::lj_12_6});
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection wall() {
  InputSection section{
      .schema =
          {.name = "wall",
           .is_array = true,
           .tables = tables_of<WallSection>(),
           .description =
               "A flat or spherical wall that repels molecules, attracts them or reflects them.",
           .aliases = {"walls", "WallPotential", "Mirror", "boundary"}},
      .keys = {
          {.name = "potential",
           .target = target_in_table_of<&WallSection::potential>,
           .remark = "Formulas: howto/external-forces.md.",
           .need = Need::required,
           .aliases = {"kind", "style"}},
          {.name = "shape",
           .target = target_in_table_of<&WallSection::shape>,
           .description = "A plane across an axis, or a sphere."},
          {.name = "axis",
           .target = target_in_table_of<&WallSection::axis>,
           .description = "The normal of a plane.",
           .condition = shape_is(WallSection::Shape::plane),
           .aliases = {"normal", "direction"}},
          {.name = "position",
           .target = target_in_table_of<&WallSection::position>,
           .description = "Where the plane crosses its axis, counted from the box's corner.",
           .remark = "A Lennard-Jones wall may lie outside of the box and reach into it.",
           .dimension = Dimension::length,
           .condition = shape_is(WallSection::Shape::plane),
           .aliases = {"yPos", "yoff", "coord", "at"}},
          {.name = "center",
           .target = target_in_table_of<&WallSection::center>,
           .description = "Of the sphere, counted from the box's corner.",
           .default_text = "[0, 0, 0]",
           .dimension = Dimension::length,
           .condition = shape_is(WallSection::Shape::sphere)},
          {.name = "radius",
           .target = target_in_table_of<&WallSection::radius>,
           .description = "Of the sphere.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = shape_is(WallSection::Shape::sphere)},
          {.name = "side",
           .target = target_in_table_of<&WallSection::side>,
           .description = "Where the molecules are: \"above\" a plane or \"below\" it along its "
                          "axis, or at \"both\" sides; \"inside\" a sphere or \"outside\"."},
          {.name = "epsilon",
           .target = target_in_table_of<&WallSection::epsilon>,
           .description = "How strong it is.",
           .need = Need::required,
           .dimension = Dimension::energy,
           .range = {.minimum = 0.0},
           .condition = wall_is_lennard_jones()},
          {.name = "sigma",
           .target = target_in_table_of<&WallSection::sigma>,
           .description = "Size of a site as the wall sees it.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = wall_is_lennard_jones()},
          {.name = "layer_spacing",
           .target = target_in_table_of<&WallSection::layer_spacing>,
           .description = "Distance of the layers.",
           .default_text = "sigma / sqrt(2)",
           .dimension = Dimension::length,
           .range = positive,
           .condition = wall_potential_is({Potential::lj_10_4_3}),
           .aliases = {"delta"}},
          {.name = "cutoff",
           .target = target_in_table_of<&WallSection::cutoff>,
           .description =
               "Distance from the wall at which its potential ends; it is shifted to be 0 there.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = wall_is_lennard_jones(),
           .aliases = {"ycut", "rc"}},
          {.name = "stiffness",
           .target = target_in_table_of<&WallSection::stiffness>,
           .description = "Force per depth behind the wall.",
           .need = Need::required,
           .dimension = Dimension::stiffness,
           .range = positive,
           .condition = wall_potential_is({Potential::harmonic}),
           .aliases = {"k", "force_constant", "forceConstant", "spring_constant"}},
          {.name = "acts_on",
           .target = target_in_table_of<&WallSection::acts_on>,
           .description = "Lennard-Jones sites, each of them, or centers of mass. A reflecting "
                          "wall always acts on centers.",
           .default_text = "sites; centers where the wall is harmonic",
           .condition =
               wall_potential_is({Potential::lj_9_3, Potential::lj_10_4, Potential::lj_10_4_3,
                                  Potential::lj_12_6, Potential::harmonic})}}};
  append(section.keys, selection_keys<WallSection>({"type", "group"}));
  section.behind = "barostat";
  return section;
}

}  // namespace sterna::md::section
