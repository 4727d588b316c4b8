// The embedded-atom method as a row of the table of many-body potentials.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/angular_atom_evaluator.hpp"
#include "md/forces/manybody/bond_forces.hpp"
#include "md/forces/manybody/embedded_atom_forces.hpp"
#include "md/forces/manybody/input/embedded_atom_file.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/input/sections/section.hpp"
#include "md/model/embedded_atom.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

using section::target_in;
using section::target_in_table;

constexpr ManyBodyKind embedded_atom_kind = ManyBodyKind::embedded_atom;

class EmbeddedAtom final : public ModelPotential<EmbeddedAtomPotential> {
 public:
  explicit EmbeddedAtom(EmbeddedAtomPotential model) : ModelPotential(std::move(model), 0.15) {}
  std::unique_ptr<ShortRangeForces> forces(std::vector<char> has_it, Precision precision,
                                           std::string_view kernels) const override {
    if (model_.is_angular()) {
      auto evaluator = std::make_unique<AngularAtomEvaluator>(model_, has_it, kernels);
      return std::make_unique<BondForces>("embedded_atom", std::move(evaluator), cutoff(),
                                          std::move(has_it));
    }
    return std::make_unique<EmbeddedAtomForces>(model_, std::move(has_it), precision, kernels);
  }
};

constexpr const char* place_of_file = "interaction.embedded_atom_file";

/// The index of a type's element in the tables.
std::size_t element_of_type(const Input& input, std::size_t n, const EmbeddedAtomTables& tables) {
  if (tables.elements[0] == any_element) return 0;
  const std::string& element = parameters_of(input, n, embedded_atom_kind);
  const auto found = std::ranges::find(tables.elements, element);
  if (found != tables.elements.end()) {
    return static_cast<std::size_t>(found - tables.elements.begin());
  }
  const std::vector<std::string_view> names(tables.elements.begin(), tables.elements.end());
  std::string message =
      fmt::format("the embedded-atom file {} has no element {}",
                  quote_path(input.interaction.embedded_atom_file), quote(element));
  if (const auto near = comm::nearest_name(element, names)) {
    message += fmt::format("; did you mean {}?", quote(*near));
  } else {
    message += fmt::format("; there is {}", comm::joined(names, ", "));
  }
  throw ManyBodyInputError(place_of_parameters(input, n, embedded_atom_kind), message);
}

std::unique_ptr<ManyBodyPotential> embedded_atom_potential(const Input& input,
                                                           std::string_view text) {
  if (input.interaction.embedded_atom_file.empty()) {
    throw ManyBodyInputError(
        input.places.contains("interaction") ? "interaction" : "interaction.potential",
        "[interaction] lacks the key \"embedded_atom_file\", required by the embedded-atom method: "
        "a file of the kind funcfl, setfl (eam/alloy), Finnis-Sinclair (eam/fs) or "
        "angular-dependent (adp)");
  }
  EmbeddedAtomTables tables;
  try {
    tables = read_embedded_atom_file(text, input.interaction.embedded_atom_file);
  } catch (const EmbeddedAtomFileError& error) {
    throw ManyBodyInputError(place_of_file, error.what());
  }
  std::vector<std::size_t> elements;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    const bool has_it = many_body_kind(input, n) == embedded_atom_kind;
    elements.push_back(has_it ? element_of_type(input, n, tables) : 0);
  }
  elements.resize(input.types.size() + input.components.size(), 0);  // rigid molecules have none
  const UnitSystem metal = *UnitSystem::by_name("metal");
  return std::make_unique<EmbeddedAtom>(
      EmbeddedAtomPotential{tables, elements, metal.to_internal(1.0, Dimension::length),
                            metal.to_internal(1.0, Dimension::energy)});
}

std::vector<AddedKey> embedded_atom_keys() {
  return {{"type",
           "stillinger_weber",
           {.name = "embedded_atom",
            .target = target_in_table<&Input::types, &TypeSection::embedded_atom>,
            .description = "Element of `embedded_atom_file` whose functions the type has. With "
                           "`potential = \"lennard_jones\"` as of `tersoff`.",
            .default_text = "with `potential = \"embedded_atom\"` the name of the type",
            .aliases = {"eam"}}},
          {"interaction",
           "stillinger_weber_file",
           {.name = "embedded_atom_file",
            .target = target_in<&Input::interaction, &InteractionSection::embedded_atom_file>,
            .description = "Functions of the embedded-atom method: funcfl, setfl (eam/alloy), "
                           "Finnis-Sinclair (eam/fs) or angular-dependent (adp); relative to the "
                           "folder of the input file.",
            .names_file = true,
            .aliases = {"eam_file"}}}};
}

std::string embedded_atom_text(const Input& input) {
  return many_body_text(input, embedded_atom_kind);
}

}  // namespace

ManyBodyRow embedded_atom_row() {
  return {
      .kind = embedded_atom_kind,
      .noun = "the embedded-atom method",
      .file = {"embedded_atom_file", "the file of the embedded-atom method", embedded_atom_text},
      .needs_file = true,
      .keys = embedded_atom_keys,
      .potential = embedded_atom_potential};
}

}  // namespace sterna::md
