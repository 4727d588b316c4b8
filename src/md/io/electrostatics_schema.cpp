#include "md/io/electrostatics_schema.hpp"

namespace sterna::md {
namespace {

using Names = std::vector<std::string_view>;

Condition solver_is_on() {
  return {"electrostatics", "kind", {"fmm"}, Severity::warning};
}

}  // namespace

std::vector<KeySchema> electrostatics_keys() {
  return {
      {.section = "electrostatics",
       .name = "kind",
       .target = [](Input& i, std::size_t) -> Target { return &i.electrostatics.kind; },
       .description =
           "\"fmm\": charges act on each other and on all periodic images, by the fast multipole "
           "method; charges of one molecule do not act on each other. \"none\": not beyond the "
           "cutoff; then types have no charges.",
       .need = Need::required,
       .choices =
           [] {
             return Names{"none", "fmm"};
           },
       .aliases = {"method", "type", "solver", "kspace_style"}},
      {.section = "electrostatics",
       .name = "accuracy",
       .target = [](Input& i, std::size_t) -> Target { return &i.electrostatics.accuracy; },
       .description =
           "Error of the Coulomb forces, root of the mean square, relative to that of the forces. "
           "The order of the expansions follows from it; the error is measured at the start, and "
           "the order raised where it is too large.",
       .range = {.minimum = 1e-7, .maximum = 1e-1},
       .condition = solver_is_on(),
       .aliases = {"tolerance", "error", "ewald_rtol", "precision_goal"}},
      {.section = "electrostatics",
       .name = "order",
       .target = [](Input& i, std::size_t) -> Target { return &i.electrostatics.order; },
       .description = "Highest degree of the expansions, 2 to 20, in place of the one that the "
                      "accuracy wants.",
       .default_text = "as the accuracy wants it",
       .range = {.minimum = 2, .maximum = 20},
       .condition = solver_is_on(),
       .aliases = {"nmax", "p", "degree", "multipole_order"}},
      {.section = "electrostatics",
       .name = "precision",
       .target = [](Input& i, std::size_t) -> Target { return &i.electrostatics.precision; },
       .description = "\"mixed\": the charges nearby in single precision, expansions in double. "
                      "\"auto\": as the accuracy wants it.",
       .choices =
           [] {
             return Names{"auto", "single", "mixed", "double"};
           },
       .condition = solver_is_on()},
      {.section = "electrostatics",
       .name = "surroundings",
       .target = [](Input& i, std::size_t) -> Target { return &i.electrostatics.surroundings; },
       .description = "What lies around the periodic images at infinity: a \"conductor\" (tin "
                      "foil) or \"vacuum\", where the dipole of the box costs energy.",
       .choices =
           [] {
             return Names{"conductor", "vacuum"};
           },
       .condition = solver_is_on(),
       .aliases = {"boundary", "surface", "epsilon_surface"}},
  };
}

}  // namespace sterna::md
