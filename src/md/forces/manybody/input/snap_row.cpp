// Spectral neighbor analysis potentials (SNAP) as a row of the table of many-body potentials.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/bond_forces.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/forces/manybody/input/snap_file.hpp"
#include "md/forces/manybody/snap_evaluator.hpp"
#include "md/input/sections/section.hpp"
#include "md/model/snap.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

using section::target_in;
using section::target_in_table;

constexpr ManyBodyKind snap_kind = ManyBodyKind::snap;

class Snap final : public ModelPotential<SnapPotential> {
 public:
  explicit Snap(SnapPotential model) : ModelPotential(std::move(model), 0.15) {}
  std::unique_ptr<ShortRangeForces> forces(std::vector<char> has_it, Precision,
                                           std::string_view kernels) const override {
    auto evaluator = std::make_unique<SnapEvaluator>(model_, has_it, kernels);
    return std::make_unique<BondForces>("snap", std::move(evaluator), cutoff(), std::move(has_it));
  }
};

/// The name of the file of parameters: the key, or the coefficients' name with its usual ending.
std::string snap_parameter_file_name(const Input& input) {
  const std::string& own = input.interaction.snap_parameter_file;
  if (!own.empty()) return own;
  const std::string& file = input.interaction.snap_file;
  constexpr std::string_view ending = ".snapcoeff";
  if (!file.ends_with(ending)) return {};
  return file.substr(0, file.size() - ending.size()) + ".snapparam";
}

/// Both files, with a character between them that neither has.
std::string snap_text(const Input& input) {
  if (input.interaction.snap_file.empty()) return {};
  const std::string parameters = snap_parameter_file_name(input);
  if (parameters.empty()) {
    throw ManyBodyInputError(
        "interaction.snap_file",
        fmt::format("[interaction] lacks the key \"snap_parameter_file\", and {} does not end in "
                    ".snapcoeff, which would tell the name of that file",
                    quote_path(input.interaction.snap_file)));
  }
  const std::string place = input.interaction.snap_parameter_file.empty()
                                ? "interaction.snap_file"
                                : "interaction.snap_parameter_file";
  return many_body_text(input, snap_kind) + '\0' + many_body_file(input, parameters, place);
}

std::size_t element_of_type(const Input& input, std::size_t n, const SnapTables& tables) {
  const std::string& element = parameters_of(input, n, snap_kind);
  const auto found = std::ranges::find(tables.elements, element, &SnapElement::name);
  if (found != tables.elements.end()) {
    return static_cast<std::size_t>(found - tables.elements.begin());
  }
  std::vector<std::string_view> names;
  for (const SnapElement& one : tables.elements) names.push_back(one.name);
  std::string message = fmt::format("the file {} has no element {}",
                                    quote_path(input.interaction.snap_file), quote(element));
  if (const auto near = comm::nearest_name(element, names)) {
    message += fmt::format("; did you mean {}?", quote(*near));
  } else {
    message += fmt::format("; there is {}", comm::joined(names, ", "));
  }
  throw ManyBodyInputError(place_of_parameters(input, n, snap_kind), message);
}

std::unique_ptr<ManyBodyPotential> snap_potential(const Input& input, std::string_view text) {
  if (input.interaction.snap_file.empty()) {
    throw ManyBodyInputError(
        input.places.contains("interaction") ? "interaction" : "interaction.potential",
        "[interaction] lacks the key \"snap_file\", required by SNAP: a file of coefficients in "
        "the format of LAMMPS (.snapcoeff)");
  }
  const std::size_t end = std::min(text.find('\0'), text.size());
  SnapTables tables;
  try {
    tables = read_snap_files(text.substr(0, end), input.interaction.snap_file,
                             text.substr(std::min(end + 1, text.size())),
                             snap_parameter_file_name(input));
  } catch (const SnapFileError& error) {
    throw ManyBodyInputError("interaction.snap_file", error.what());
  }
  std::vector<std::size_t> elements;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    const bool has_it = many_body_kind(input, n) == snap_kind;
    elements.push_back(has_it ? element_of_type(input, n, tables) : 0);
  }
  elements.resize(input.types.size() + input.components.size(), 0);  // rigid molecules have none
  const UnitSystem metal = *UnitSystem::by_name("metal");
  try {
    return std::make_unique<Snap>(SnapPotential(
        tables.form, std::move(tables.elements), std::move(elements),
        metal.to_internal(1.0, Dimension::length), metal.to_internal(1.0, Dimension::energy)));
  } catch (const std::invalid_argument& error) {
    throw ManyBodyInputError("interaction.snap_file",
                             fmt::format("{} and {}: {}", input.interaction.snap_file,
                                         snap_parameter_file_name(input), error.what()));
  }
}

std::vector<AddedKey> snap_keys() {
  return {
      {"type",
       "embedded_atom",
       {.name = "snap",
        .target = target_in_table<&Input::types, &TypeSection::snap>,
        .description = "Element of `snap_file` whose coefficients the type has. With `potential "
                       "= \"lennard_jones\"` as of `tersoff`.",
        .default_text = "with `potential = \"snap\"` the name of the type"}},
      {"interaction",
       "embedded_atom_file",
       {.name = "snap_file",
        .target = target_in<&Input::interaction, &InteractionSection::snap_file>,
        .description = "Coefficients of a spectral neighbor analysis potential in the format of "
                       "LAMMPS (.snapcoeff); relative to the folder of the input file.",
        .names_file = true}},
      {"interaction",
       "snap_file",
       {.name = "snap_parameter_file",
        .target = target_in<&Input::interaction, &InteractionSection::snap_parameter_file>,
        .description = "Parameters that belong to `snap_file`.",
        .default_text = "`snap_file` with the ending .snapparam",
        .names_file = true}}};
}

}  // namespace

ManyBodyRow snap_row() {
  return {.kind = snap_kind,
          .noun = "SNAP",
          .file = {"snap_file", "the files of the spectral neighbor analysis potential", snap_text},
          .needs_file = true,
          .second_file_key = "snap_parameter_file",
          .keys = snap_keys,
          .potential = snap_potential};
}

}  // namespace sterna::md
