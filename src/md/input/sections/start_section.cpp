#include "md/input/sections/start_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "md/input/sections/section.hpp"
#include "md/input/start_reader_row.hpp"

namespace sterna::md {

std::vector<std::string_view> start_format_choices() {
  std::vector<std::string_view> names = start_reader_rows().names();
  names.insert(names.begin(), "auto");
  return names;
}

}  // namespace sterna::md

namespace sterna::md::section {
namespace {

Condition start_is(std::initializer_list<StartKind> kinds) {
  return choice_is("start", "kind", kinds);
}

std::string_view formats_description() {
  std::string all = "Format of the start file.";
  for (const StartReaderRow& format : start_reader_rows()) {
    all += fmt::format(" \"{}\": {}.", format.name, format.sentence);
  }
  return kept(all + " \"auto\" looks at the content.");
}

/// Adds the keys that single formats have, behind the key "format".
void add_keys_of_formats(std::vector<KeySchema>& keys) {
  auto place = std::ranges::find(keys, "format", &KeySchema::name);
  for (const StartReaderRow& format : start_reader_rows()) {
    for (KeySchema key : format.keys) {
      key.condition = Condition{"start", "format", {format.name}, Severity::error};
      place = keys.insert(std::next(place), std::move(key));
    }
  }
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection start() {
  InputSection section{
      .schema = {.name = "start",
                 .required = true,
                 .description = "Where the particles are at the beginning.",
                 .aliases = {"system", "initial", "configuration", "lattice", "box"},
                 .keeps_state = true},
      .keys = {
          {.name = "kind",
           .target = target_in<&Input::start, &StartSection::kind>,
           .need = Need::required,
           .aliases = {"type", "from", "mode"}},
          {.name = "lattice",
           .target = target_in<&Input::start, &StartSection::lattice>,
           .description = "Simple (1 particle per cell), body-centered (2) or face-centered cubic "
                          "(4); diamond (8), and zincblende (8), whose two sublattices are of the "
                          "first and the second type.",
           .condition = start_is({StartKind::lattice})},
          {.name = "cells",
           .target = target_in<&Input::start, &StartSection::cells>,
           .description = "Unit cells along x, y and z. Give either this or `particles`.",
           .default_text = "from `particles`",
           .range = {.minimum = 1.0, .maximum = 1e6},
           .condition = start_is({StartKind::lattice}),
           .aliases = {"unit_cells", "replicate"}},
          {.name = "particles",
           .target = target_in<&Input::start, &StartSection::particles>,
           .description = "Number of particles. A lattice takes the smallest cube of unit cells "
                          "that holds them; surplus sites stay empty.",
           .default_text = "from `cells`",
           .range = {.minimum = 1.0, .maximum = 1e12},
           .condition = start_is({StartKind::lattice, StartKind::random}),
           .aliases = {"n", "atoms", "count", "number", "molecules"}},
          {.name = "density",
           .target = target_in<&Input::start, &StartSection::density>,
           .description = "Particles per volume; with units also moles or mass per volume, such as "
                          "\"1.4 g/cm^3\".",
           .need = Need::required,
           .dimension = Dimension::number_density,
           .range = positive,
           .condition = start_is({StartKind::lattice, StartKind::random}),
           .aliases = {"rho", "number_density"}},
          {.name = "minimum_distance",
           .target = target_in<&Input::start, &StartSection::minimum_distance>,
           .description = "No two particles start closer than this.",
           .default_text = "chosen from sigma and the density",
           .dimension = Dimension::length,
           .range = not_negative,
           .condition = start_is({StartKind::random})},
          {.name = "file",
           .target = target_in<&Input::start, &StartSection::file>,
           .description = "Path of the start file, relative to the folder of the input file.",
           .need = Need::required,
           .names_file = true,
           .condition = start_is({StartKind::file}),
           .aliases = {"filename", "path", "input"}},
          {.name = "format",
           .target = target_in<&Input::start, &StartSection::format>,
           .description = formats_description(),
           .choices = start_format_choices,
           .condition = start_is({StartKind::file})},
          {.name = "renumber",
           .target = target_in<&Input::start, &StartSection::renumber>,
           .description =
               "Gives particles the ids 1, 2, ... in the order of the start file. Otherwise they "
               "keep those of the file, which may be any different numbers.",
           .condition = start_is({StartKind::file}),
           .aliases = {"renumber_ids", "refresh_ids"}},
          {.name = "box",
           .target = target_in<&Input::start, &StartSection::box>,
           .description = "Edge lengths of the periodic box along x, y and z.",
           .default_text = "that of the start file",
           .dimension = Dimension::length,
           .range = positive,
           .condition = start_is({StartKind::file, StartKind::program})},
          {.name = "tilt",
           .target = target_in<&Input::start, &StartSection::tilt>,
           .description = "Makes `box` a triclinic one: [xy, xz, yz] give it the edges (x, 0, 0), "
                          "(xy, y, 0) and (xz, yz, z), as in LAMMPS. Of equal lattices the one "
                          "with the least tilts is the fastest.",
           .default_text = "orthorhombic",
           .dimension = Dimension::length,
           .condition = start_is({StartKind::file, StartKind::program}),
           .aliases = {"tilts", "triclinic"}},
          {.name = "temperature",
           .target = target_in<&Input::start, &StartSection::temperature>,
           .description = "Draws velocities of this temperature.",
           .default_text = "the velocities of the start file, or none",
           .dimension = Dimension::temperature,
           .range = not_negative,
           .aliases = {"temp", "t"}},
          {.name = "constraints",
           .target = target_in<&Input::start, &StartSection::constraints>,
           .description =
               "What happens to atoms of [[molecule]]s whose distances violate constraints."}}};
  add_keys_of_formats(section.keys);
  return section;
}

}  // namespace sterna::md::section
