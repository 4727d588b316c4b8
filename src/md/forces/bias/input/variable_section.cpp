#include <fmt/format.h>

#include <algorithm>

#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

/// The members are those of `VariableOptions`, but the tables are of sections.
template <auto member>
Target target_in_variable(Input& input, std::size_t n) {
  return target_of(input.tables<VariableSection>()[n].*member);
}

std::string_view variable_kinds_description() {
  std::string all;
  for (const VariableRow& row : variable_table()) {
    all += fmt::format("{}\"{}\": {}", all.empty() ? "" : " ", row.name, row.sentence);
  }
  return kept(all);
}

Condition of_variables_with(std::string_view key) {
  return {"variable", "kind", variable_table().names_that([&](const VariableRow& row) {
            return std::ranges::find(row.keys, key) != row.keys.end();
          }),
          Severity::warning};
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection variable() {
  InputSection section{
      .schema = {.name = "variable",
                 .is_array = true,
                 .tables = tables_of<VariableSection>(),
                 .description =
                     "A collective variable: a number that follows from the positions of "
                     "groups of atoms. Its values are written, and biases act on it: "
                     "[how](howto/biases.md).",
                 .aliases = {"collective_variable", "colvar", "cv", "variables"}},
      .keys = {
          {.name = "name",
           .target = target_in_variable<&VariableSection::name>,
           .description = "What `[[bias]]` and the columns of files call it.",
           .need = Need::required,
           .longest_text = 64,
           .aliases = {"id", "label"}},
          {.name = "kind",
           .target = target_in_variable<&VariableSection::kind>,
           .description = variable_kinds_description(),
           .need = Need::required,
           .choices = [] { return variable_table().names(); },
           .aliases = {"type"}},
          {.name = "groups",
           .target = target_in_variable<&VariableSection::groups>,
           .description = "Names of `[[group]]`s, in order. Of each the center of mass counts, "
                          "except where the kind is of atoms.",
           .need = Need::required,
           .aliases = {"group", "atoms", "selections"}},
          {.name = "axis",
           .target = target_in_variable<&VariableSection::axis>,
           .description = "Of a position.",
           .condition = of_variables_with("axis"),
           .aliases = {"direction"}},
          {.name = "radius",
           .target = target_in_variable<&VariableSection::radius>,
           .description = "Distance at which a pair counts power / lower_power, which is 1/2 "
                          "by default.",
           .need = Need::required,
           .dimension = Dimension::length,
           .range = positive,
           .condition = of_variables_with("radius"),
           .aliases = {"r_0", "r0"}},
          {.name = "power",
           .target = target_in_variable<&VariableSection::power>,
           .description = "Power of the numerator.",
           .range = {.minimum = 1.0, .maximum = 100.0},
           .condition = of_variables_with("power"),
           .aliases = {"nn"}},
          {.name = "lower_power",
           .target = target_in_variable<&VariableSection::lower_power>,
           .description = "Power of the denominator.",
           .range = {.minimum = 2.0, .maximum = 200.0},
           .condition = of_variables_with("lower_power"),
           .aliases = {"mm"}},
          {.name = "cutoff",
           .target = target_in_variable<&VariableSection::cutoff>,
           .description = "Distance from which on a pair counts nothing; the function is "
                          "shifted and stretched so that it ends there without a jump.",
           .default_text = "none",
           .dimension = Dimension::length,
           .range = positive,
           .condition = of_variables_with("cutoff"),
           .aliases = {"d_max"}},
          {.name = "mass_weighted",
           .target = target_in_variable<&VariableSection::mass_weighted>,
           .description = "Whether fit and deviation weigh atoms by their masses.",
           .condition = of_variables_with("mass_weighted"),
           .aliases = {"weights", "mass"}},
          {.name = "reference_file",
           .target = target_in_variable<&VariableSection::reference_file>,
           .description = "Path of a file with the reference positions, relative to the folder "
                          "of the input file, in a format of start files. Atoms are told by "
                          "their ids.",
           .default_text = "the positions of the start",
           .names_file = true,
           .condition = of_variables_with("reference_file"),
           .aliases = {"reference"}}}};
  section.behind = "restraint";
  return section;
}

}  // namespace sterna::md::section
