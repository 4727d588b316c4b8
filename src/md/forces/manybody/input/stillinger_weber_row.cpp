// The potential of Stillinger and Weber as a row of the table of many-body potentials.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/bond_forces.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/forces/manybody/input/triple_file.hpp"
#include "md/forces/manybody/stillinger_weber_evaluator.hpp"
#include "md/input/sections/section.hpp"
#include "md/model/stillinger_weber.hpp"

namespace sterna::md {
namespace {

using section::target_in;
using section::target_in_table;

constexpr ManyBodyKind stillinger_weber_kind = ManyBodyKind::stillinger_weber;
constexpr std::string_view stillinger_weber_noun = "the potential of Stillinger and Weber";

class StillingerWeber final : public ModelPotential<StillingerWeberPotential> {
 public:
  explicit StillingerWeber(StillingerWeberPotential model)
      : ModelPotential(std::move(model), 0.2) {}
  std::unique_ptr<ShortRangeForces> forces(std::vector<char> has_it, Precision precision,
                                           std::string_view kernels) const override {
    return std::make_unique<BondForces>(
        "stillinger_weber", std::make_unique<StillingerWeberEvaluator>(model_, precision, kernels),
        cutoff(), std::move(has_it));
  }
};

/// The parameters in the order of the file.
constexpr double StillingerWeberParameters::*stillinger_weber_columns[] = {
    &StillingerWeberParameters::epsilon,  &StillingerWeberParameters::sigma,
    &StillingerWeberParameters::a,        &StillingerWeberParameters::lambda,
    &StillingerWeberParameters::gamma,    &StillingerWeberParameters::cos_theta0,
    &StillingerWeberParameters::A,        &StillingerWeberParameters::B,
    &StillingerWeberParameters::p,        &StillingerWeberParameters::q,
    &StillingerWeberParameters::tolerance};
constexpr std::string_view stillinger_weber_column_names[] = {
    "epsilon", "sigma", "a", "lambda", "gamma", "costheta0", "A", "B", "p", "q", "tol"};
static_assert(std::size(stillinger_weber_columns) == std::size(stillinger_weber_column_names));

StillingerWeberPotential stillinger_weber_of_file(std::string_view text,
                                                  const std::string& file_name,
                                                  std::span<const std::string> elements,
                                                  double angstrom, double eV) {
  const TripleFile file(text, file_name, stillinger_weber_column_names);
  std::vector<StillingerWeberParameters> triples =
      parameters_of_triples(file, elements, stillinger_weber_columns);
  for (StillingerWeberParameters& triple : triples)
    triple = triple.scaled(angstrom, eV * file.energy_in_eV());
  try {
    return {std::move(triples), static_cast<int>(elements.size())};
  } catch (const std::invalid_argument& error) {
    throw TripleFileError(fmt::format("{}: {}", file_name, error.what()));
  }
}

/// Types with published parameters, which are of one kind of atom and have no mixtures.
StillingerWeberPotential stillinger_weber_of_names(const Input& input,
                                                   std::span<const std::string> names,
                                                   double angstrom, double eV) {
  std::vector<std::string_view> known;
  for (const auto& element : stillinger_weber_elements()) known.push_back(element.name);
  const StillingerWeberElement* element = nullptr;
  for (std::size_t n = 0; n < names.size(); ++n) {
    const StillingerWeberElement* const own = find_stillinger_weber_element(names[n]);
    if (own == nullptr)
      throw_no_published_parameters(input, n, stillinger_weber_kind, stillinger_weber_noun, known);
    if (element != nullptr && own != element) {
      throw ManyBodyInputError(
          place_of_parameters(input, n, stillinger_weber_kind),
          fmt::format("{} cannot be mixed with {}: no parameters of both are published; a "
                      "stillinger_weber_file may have them",
                      own->name, element->name));
    }
    element = own;
  }
  const std::size_t count = names.size();
  return {std::vector<StillingerWeberParameters>(count * count * count,
                                                 element->parameters.scaled(angstrom, eV)),
          static_cast<int>(count)};
}

std::unique_ptr<ManyBodyPotential> stillinger_weber_potential(const Input& input,
                                                              std::string_view text) {
  const UnitSystem metal = *UnitSystem::by_name("metal");
  const double angstrom = metal.to_internal(1.0, Dimension::length);
  const double eV = metal.to_internal(1.0, Dimension::energy);
  const std::vector<std::string> names = parameters_of_types(input, stillinger_weber_kind);
  const std::string& file = input.interaction.stillinger_weber_file;
  if (file.empty())
    return std::make_unique<StillingerWeber>(stillinger_weber_of_names(input, names, angstrom, eV));
  try {
    return std::make_unique<StillingerWeber>(
        stillinger_weber_of_file(text, file, names, angstrom, eV));
  } catch (const TripleFileError& error) {
    throw ManyBodyInputError("interaction.stillinger_weber_file", error.what());
  }
}

constexpr Citation stillinger_weber_papers[] = {
    {.key = "StillingerWeber1985",
     .authors = "F. H. Stillinger and T. A. Weber",
     .title = "Computer simulation of local order in condensed phases of silicon",
     .journal = "Phys. Rev. B",
     .volume = "31",
     .pages = "5262-5271",
     .year = 1985,
     .doi = "10.1103/PhysRevB.31.5262"},
    {.key = "Molinero2009",
     .authors = "V. Molinero and E. B. Moore",
     .title = "Water Modeled As an Intermediate Element between Carbon and Silicon",
     .journal = "J. Phys. Chem. B",
     .volume = "113",
     .pages = "4008-4016",
     .year = 2009,
     .doi = "10.1021/jp805227c"}};

std::vector<std::string_view> stillinger_weber_citations(const Input& input) {
  std::vector<std::string_view> citations;
  if (!input.interaction.stillinger_weber_file.empty()) return citations;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (many_body_kind(input, n) != stillinger_weber_kind) continue;
    const auto* const element =
        find_stillinger_weber_element(parameters_of(input, n, stillinger_weber_kind));
    if (element != nullptr && std::ranges::find(citations, element->citation) == citations.end()) {
      citations.push_back(element->citation);
    }
  }
  return citations;
}

std::vector<AddedKey> stillinger_weber_keys() {
  return {
      {"type",
       "tersoff",
       {.name = "stillinger_weber",
        .target = target_in_table<&Input::types, &TypeSection::stillinger_weber>,
        .description = "Parameters of the potential of Stillinger and Weber: "
                       "\"Si\", or \"mW\", "
                       "water of one particle a molecule; or, with `stillinger_weber_file`, the "
                       "name of an element there. With `potential = \"lennard_jones\"` as of "
                       "`tersoff`.",
        .default_text = "with `potential = \"stillinger_weber\"` the name of the type",
        .aliases = {"sw"}}},
      {"interaction",
       "parameter_file",
       {.name = "stillinger_weber_file",
        .target = target_in<&Input::interaction, &InteractionSection::stillinger_weber_file>,
        .description = "Parameters of the potential of Stillinger and Weber in the format of "
                       "LAMMPS, in place of the published ones by name; relative to the folder "
                       "of the input file.",
        .names_file = true,
        .aliases = {"sw_file"}}}};
}

std::string stillinger_weber_text(const Input& input) {
  return many_body_text(input, stillinger_weber_kind);
}

}  // namespace

ManyBodyRow stillinger_weber_row() {
  return {.kind = stillinger_weber_kind,
          .noun = stillinger_weber_noun,
          .file = {"stillinger_weber_file", "the file of Stillinger and Weber's parameters",
                   stillinger_weber_text},
          .needs_file = false,
          .keys = stillinger_weber_keys,
          .potential = stillinger_weber_potential,
          .citations = stillinger_weber_citations,
          .papers = stillinger_weber_papers};
}

}  // namespace sterna::md
