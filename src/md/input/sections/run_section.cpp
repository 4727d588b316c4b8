#include "md/input/sections/run_section.hpp"

#include <fmt/format.h>

#include "md/input/integrator_row.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

/// The descriptions of all integrators.
std::string_view integrator_description() {
  std::string all;
  for (const IntegratorRow& kind : integrator_rows()) {
    all += fmt::format("{}{}", all.empty() ? "" : " ", kind.sentence);
  }
  return kept(all);
}

}  // namespace

InputSection run() {
  return {
      .schema = {.name = "run", .required = true, .description = "What is done, and for how long."},
      .keys = {{.name = "name",
                .target = target_in<&Input::run, &RunSection::name>,
                .description = "What the names of all output files begin with.",
                .default_text = "the name of the input file without \".toml\""},
               {.name = "steps",
                .target = target_in<&Input::run, &RunSection::steps>,
                .description = "Number of time steps, or the most steps that a minimization may "
                               "take. 0 computes the start only.",
                .need = Need::required,
                .range = {.minimum = 0.0, .maximum = most_steps},
                .aliases = {"nsteps", "n_steps", "num_steps", "iterations"}},
               {.name = "timestep",
                .target = target_in<&Input::run, &RunSection::timestep>,
                .description = "Length of a time step.",
                .need = Need::required,
                .dimension = Dimension::time,
                .range = positive,
                .condition = minimizes(false),
                .aliases = {"dt", "delta_t", "step", "step_size"}},
               {.name = "seed",
                .target = target_in<&Input::run, &RunSection::seed>,
                .description = "Begins all random numbers. The same seed gives the same run, on "
                               "any number of ranks at the start.",
                .range = {.minimum = 0.0},
                .aliases = {"random_seed"}},
               {.name = "precision", .target = target_in<&Input::run, &RunSection::precision>},
               {.name = "integrator",
                .target = target_in<&Input::run, &RunSection::integrator>,
                .description = integrator_description(),
                .choices = [] { return integrator_rows().names(); }},
               {.name = "rotation",
                .target = target_in<&Input::run, &RunSection::rotation>,
                .description = "How molecules turn:",
                .condition = minimizes(false),
                .aliases = {"rotor", "rotation_method"}},
               {.name = "constraint_tolerance",
                .target = target_in<&Input::run, &RunSection::constraint_tolerance>,
                .description = "How far the distance of two atoms may be from that of their "
                               "constraint, as a part of it.",
                .range = {.minimum = 1e-13, .maximum = 1e-3},
                .aliases = {"shake_tolerance", "shake_tol"}},
               {.name = "constraint_algorithm",
                .target = target_in<&Input::run, &RunSection::constraint_algorithm>,
                .aliases = {"constraint_method", "lincs", "settle"}}}};
}

}  // namespace sterna::md::section
