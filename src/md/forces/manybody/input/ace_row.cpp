// Potentials of the atomic cluster expansion (ACE) as a row of the table of many-body potentials.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/ace_evaluator.hpp"
#include "md/forces/manybody/bond_forces.hpp"
#include "md/forces/manybody/input/ace_file.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/input/sections/section.hpp"
#include "md/model/ace.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

using section::target_in;
using section::target_in_table;

constexpr ManyBodyKind ace_kind = ManyBodyKind::ace;

class Ace final : public ModelPotential<AcePotential> {
 public:
  explicit Ace(AcePotential model) : ModelPotential(std::move(model), 0.15) {}
  std::unique_ptr<ShortRangeForces> forces(std::vector<char> has_it, Precision,
                                           std::string_view kernels) const override {
    auto evaluator = std::make_unique<AceEvaluator>(model_, has_it, kernels);
    return std::make_unique<BondForces>("ace", std::move(evaluator), cutoff(), std::move(has_it));
  }
  std::vector<std::string> warnings() const override {
    const AceTables& tables = model_.tables();
    for (std::size_t n = 0; n < tables.bonds.size(); ++n) {
      if (tables.bonds[n].basis != AceRadialBasis::chebyshev_linear) continue;
      const std::size_t count = tables.elements.size();
      return {
          fmt::format("the radial functions of {}-{} do not end at the cutoff (radbasename: "
                      "ChebLinear), as in pacemaker: energies have steps there, and the total "
                      "energy is not conserved",
                      tables.elements[n / count].name, tables.elements[n % count].name)};
    }
    return {};
  }
};

std::string ace_text(const Input& input) {
  return many_body_text(input, ace_kind);
}

std::size_t element_of_type(const Input& input, std::size_t n, const AceTables& tables) {
  const std::string& element = parameters_of(input, n, ace_kind);
  const auto found = std::ranges::find(tables.elements, element, &AceElement::name);
  if (found != tables.elements.end()) {
    return static_cast<std::size_t>(found - tables.elements.begin());
  }
  std::vector<std::string_view> names;
  for (const AceElement& one : tables.elements) names.push_back(one.name);
  std::string message = fmt::format("the file {} has no element {}",
                                    quote_path(input.interaction.ace_file), quote(element));
  if (const auto near = comm::nearest_name(element, names)) {
    message += fmt::format("; did you mean {}?", quote(*near));
  } else {
    message += fmt::format("; there is {}", comm::joined(names, ", "));
  }
  throw ManyBodyInputError(place_of_parameters(input, n, ace_kind), message);
}

std::unique_ptr<ManyBodyPotential> ace_potential(const Input& input, std::string_view text) {
  const std::string& file = input.interaction.ace_file;
  if (file.empty()) {
    throw ManyBodyInputError(
        input.places.contains("interaction") ? "interaction" : "interaction.potential",
        "[interaction] lacks the key \"ace_file\", required by ACE: a file in the format of "
        "pacemaker and LAMMPS (.yace)");
  }
  AceTables tables;
  try {
    tables = read_ace_file(text, file);
  } catch (const AceFileError& error) {
    throw ManyBodyInputError("interaction.ace_file", error.what());
  }
  // Types without this potential, and rigid molecules, get the element of one that has it.
  std::vector<std::size_t> elements(input.types.size() + input.components.size(),
                                    tables.elements.size());
  std::size_t any = 0;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (many_body_kind(input, n) == ace_kind) any = elements[n] = element_of_type(input, n, tables);
  }
  std::ranges::replace(elements, tables.elements.size(), any);
  const UnitSystem metal = *UnitSystem::by_name("metal");
  try {
    return std::make_unique<Ace>(AcePotential(std::move(tables), std::move(elements),
                                              metal.to_internal(1.0, Dimension::length),
                                              metal.to_internal(1.0, Dimension::energy)));
  } catch (const std::invalid_argument& error) {
    throw ManyBodyInputError("interaction.ace_file", fmt::format("{}: {}", file, error.what()));
  }
}

std::vector<AddedKey> ace_keys() {
  return {{"type",
           "snap",
           {.name = "ace",
            .target = target_in_table<&Input::types, &TypeSection::ace>,
            .description = "Element of `ace_file` whose atoms have the type. With `potential = "
                           "\"lennard_jones\"` as of `tersoff`.",
            .default_text = "with `potential = \"ace\"` the name of the type"}},
          {"interaction",
           "snap_parameter_file",
           {.name = "ace_file",
            .target = target_in<&Input::interaction, &InteractionSection::ace_file>,
            .description = "Coefficients of an atomic cluster expansion in the format of pacemaker "
                           "and LAMMPS (.yace); relative to the folder of the input file.",
            .names_file = true}}};
}

}  // namespace

ManyBodyRow ace_row() {
  return {.kind = ace_kind,
          .noun = "ACE",
          .file = {"ace_file", "the file of the atomic cluster expansion", ace_text},
          .needs_file = true,
          .keys = ace_keys,
          .potential = ace_potential};
}

}  // namespace sterna::md
