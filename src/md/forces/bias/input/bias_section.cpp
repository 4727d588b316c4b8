#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/forces/bias/bias.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md {
namespace section {
namespace {

std::string_view bias_kinds_description() {
  std::string all;
  for (const BiasRow& row : bias_table()) {
    all += fmt::format("{}{}", all.empty() ? "" : " ", row.sentence);
  }
  return kept(all);
}

/// Makes a key one of those kinds only that name it, and required where they say so.
KeySchema of_biases_with(KeySchema key) {
  const auto names_it = [&](const std::vector<std::string_view>& keys) {
    return std::ranges::find(keys, key.name) != keys.end();
  };
  key.condition = {"bias", "kind",
                   bias_table().names_that([&](const BiasRow& row) { return names_it(row.keys); }),
                   Severity::warning};
  const bool is_required = std::ranges::any_of(
      bias_table(), [&](const BiasRow& row) { return names_it(row.required_keys); });
  key.need = is_required ? Need::required : Need::optional;
  return key;
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection bias() {
  InputSection section{
      .schema = {.name = "bias",
                 .is_array = true,
                 .tables = tables_of<BiasSection>(),
                 .description =
                     "A potential of collective variables: an umbrella, a force, a wall, "
                     "metadynamics: [how](howto/biases.md).",
                 .aliases = {"biases", "umbrella", "metad", "metadynamics", "pull"}},
      .keys = {{.name = "name",
                .target = target_in_table_of<&BiasSection::name>,
                .description = "What the log and the columns of files call it.",
                .need = Need::required,
                .longest_text = 64,
                .aliases = {"id", "label"}},
               {.name = "kind",
                .target = target_in_table_of<&BiasSection::kind>,
                .description = bias_kinds_description(),
                .need = Need::required,
                .choices = [] { return bias_table().names(); },
                .aliases = {"type"}},
               {.name = "variable",
                .target = target_in_table_of<&BiasSection::variable>,
                .description = "Name of the `[[variable]]` on which it acts.",
                .default_text = "those of `variables`",
                .aliases = {"arg", "cv", "colvar"}},
               of_biases_with({.name = "variables",
                               .target = target_in_table_of<&BiasSection::variables>,
                               .description = "Names of several of them, in place of `variable`.",
                               .default_text = "that of `variable`",
                               .aliases = {"args", "colvars"}}),
               of_biases_with({.name = "center",
                               .target = target_in_table_of<&BiasSection::center>,
                               .description =
                                   "Value of the variable: a plain number, in degrees for angles, "
                                   "and for lengths in the input's unit of length.",
                               .aliases = {"at", "x0", "position"}}),
               of_biases_with({.name = "end_center",
                               .target = target_in_table_of<&BiasSection::end_center>,
                               .description =
                                   "The center from `stop_step` on. A torsion may turn several "
                                   "times.",
                               .aliases = {"to", "end"}}),
               of_biases_with({.name = "stiffness",
                               .target = target_in_table_of<&BiasSection::stiffness>,
                               .description =
                                   "Energy per square of the variable: of the input's unit of "
                                   "length, or of a radian.",
                               .dimension = Dimension::energy,
                               .range = positive,
                               .aliases = {"k", "kappa", "force_constant", "spring_constant"}}),
               of_biases_with({.name = "force",
                               .target = target_in_table_of<&BiasSection::force>,
                               .description = "Energy per unit of length, or per radian.",
                               .dimension = Dimension::energy,
                               .aliases = {"f", "slope"}}),
               of_biases_with({.name = "side",
                               .target = target_in_table_of<&BiasSection::side>,
                               .description = "Where the wall acts."}),
               of_biases_with({.name = "start_step",
                               .target = target_in_table_of<&BiasSection::start_step>,
                               .description = "The step from which on the center moves.",
                               .range = {.minimum = 0.0, .maximum = most_steps}}),
               of_biases_with({.name = "stop_step",
                               .target = target_in_table_of<&BiasSection::stop_step>,
                               .description = "The step in which it arrives.",
                               .range = {.minimum = 1.0, .maximum = most_steps}}),
               of_biases_with({.name = "height",
                               .target = target_in_table_of<&BiasSection::height>,
                               .description = "Height of a hill, or of the first one.",
                               .dimension = Dimension::energy,
                               .range = positive}),
               of_biases_with(
                   {.name = "widths",
                    .target = target_in_table_of<&BiasSection::widths>,
                    .description = "Standard deviation of a hill along each variable, as plain "
                                   "numbers in the units of `center`.",
                    .range = positive,
                    .aliases = {"width", "sigma", "sigmas"}}),
               of_biases_with({.name = "interval",
                               .target = target_in_table_of<&BiasSection::interval>,
                               .description = "Steps between two hills.",
                               .range = {.minimum = 1.0, .maximum = most_steps},
                               .aliases = {"pace", "every"}}),
               of_biases_with(
                   {.name = "bias_factor",
                    .target = target_in_table_of<&BiasSection::bias_factor>,
                    .description = "Well-tempered: hills become lower where the bias is high. The "
                                   "variable is then as if it were this many times as hot.",
                    .default_text = "none: all hills have one height",
                    .range = {.minimum = 1.0, .exclusive_minimum = true},
                    .aliases = {"biasfactor", "gamma"}}),
               of_biases_with({.name = "temperature",
                               .target = target_in_table_of<&BiasSection::temperature>,
                               .description = "Of well-tempered hills.",
                               .default_text = "that of the thermostat",
                               .dimension = Dimension::temperature,
                               .range = positive,
                               .aliases = {"temp"}})}};
  section.behind = "variable";
  return section;
}

}  // namespace section

KeySchema variables_interval_key() {
  return {.name = "variables_interval",
          .target = option<&VariableOutput::interval>,
          .description =
              "Steps between two rows of `NAME.colvar`, which has the values of each "
              "`[[variable]]` and the energy of each `[[bias]]` in PLUMED's form. 0: no "
              "such file.",
          .range = {.minimum = 0.0, .maximum = most_steps},
          .aliases = {"colvar_interval", "stride"}};
}

}  // namespace sterna::md
