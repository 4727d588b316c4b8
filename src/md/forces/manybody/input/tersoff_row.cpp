// Tersoff's potential as a row of the table of many-body potentials.
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
#include "md/forces/manybody/tersoff_evaluator.hpp"
#include "md/input/sections/section.hpp"
#include "md/model/tersoff.hpp"

namespace sterna::md {
namespace {

using section::target_in;
using section::target_in_table;

constexpr ManyBodyKind tersoff_kind = ManyBodyKind::tersoff;
constexpr std::string_view tersoff_noun = "Tersoff's potential";

class Tersoff final : public ModelPotential<TersoffPotential> {
 public:
  explicit Tersoff(TersoffPotential model)
      : ModelPotential(std::move(model), 0.2) {}  // fastest for silicon at 500 K
  std::unique_ptr<ShortRangeForces> forces(std::vector<char> has_it, Precision precision,
                                           std::string_view kernels) const override {
    return std::make_unique<BondForces>(
        "tersoff", std::make_unique<TersoffEvaluator>(model_, precision, kernels), cutoff(),
        std::move(has_it));
  }
};

/// The parameters in the order of the file.
constexpr double TersoffParameters::*tersoff_columns[] = {
    &TersoffParameters::m,       &TersoffParameters::gamma, &TersoffParameters::lambda3,
    &TersoffParameters::c,       &TersoffParameters::d,     &TersoffParameters::cos_theta0,
    &TersoffParameters::n,       &TersoffParameters::beta,  &TersoffParameters::lambda2,
    &TersoffParameters::B,       &TersoffParameters::R,     &TersoffParameters::D,
    &TersoffParameters::lambda1, &TersoffParameters::A};
constexpr std::string_view tersoff_column_names[] = {
    "m",    "gamma",   "lambda3", "c", "d", "costheta0", "n",
    "beta", "lambda2", "B",       "R", "D", "lambda1",   "A"};
static_assert(std::size(tersoff_columns) == std::size(tersoff_column_names));

/// With the repulsion of nuclei: LAMMPS's tersoff/zbl.
constexpr double TersoffParameters::*nuclei_columns[] = {&TersoffParameters::m,
                                                         &TersoffParameters::gamma,
                                                         &TersoffParameters::lambda3,
                                                         &TersoffParameters::c,
                                                         &TersoffParameters::d,
                                                         &TersoffParameters::cos_theta0,
                                                         &TersoffParameters::n,
                                                         &TersoffParameters::beta,
                                                         &TersoffParameters::lambda2,
                                                         &TersoffParameters::B,
                                                         &TersoffParameters::R,
                                                         &TersoffParameters::D,
                                                         &TersoffParameters::lambda1,
                                                         &TersoffParameters::A,
                                                         &TersoffParameters::nucleus_i,
                                                         &TersoffParameters::nucleus_j,
                                                         &TersoffParameters::fermi_center,
                                                         &TersoffParameters::fermi_steepness};
constexpr std::string_view nuclei_column_names[] = {
    "m", "gamma", "lambda3", "c",       "d", "costheta0", "n",   "beta",   "lambda2",
    "B", "R",     "D",       "lambda1", "A", "Z_i",       "Z_j", "ZBLcut", "ZBLexpscale"};
static_assert(std::size(nuclei_columns) == std::size(nuclei_column_names));

/// The modified potential: LAMMPS's tersoff/mod, whose beta_ters is never read.
constexpr double TersoffParameters::*modified_columns[] = {
    &TersoffParameters::m,       &TersoffParameters::lambda3, &TersoffParameters::cos_theta0,
    &TersoffParameters::eta,     &TersoffParameters::beta,    &TersoffParameters::lambda2,
    &TersoffParameters::B,       &TersoffParameters::R,       &TersoffParameters::D,
    &TersoffParameters::lambda1, &TersoffParameters::A,       &TersoffParameters::n,
    &TersoffParameters::c1,      &TersoffParameters::c2,      &TersoffParameters::c3,
    &TersoffParameters::c4,      &TersoffParameters::c5};
constexpr std::string_view modified_column_names[] = {
    "beta",    "alpha", "h", "eta", "beta_ters", "lambda2", "B",  "R", "D",
    "lambda1", "A",     "n", "c1",  "c2",        "c3",      "c4", "c5"};
static_assert(std::size(modified_columns) == std::size(modified_column_names));

TersoffPotential tersoff_of_file(std::string_view text, const std::string& file_name,
                                 std::span<const std::string> elements, double angstrom,
                                 double eV) {
  // The number of values of an entry tells which form the file has.
  const std::size_t numbers = numbers_of_first_entry(text);
  TersoffForm form = TersoffForm::published;
  std::span<const std::string_view> names = tersoff_column_names;
  if (numbers == std::size(nuclei_column_names)) {
    form = TersoffForm::nuclei, names = nuclei_column_names;
  } else if (numbers == std::size(modified_column_names)) {
    form = TersoffForm::modified, names = modified_column_names;
  }
  const TripleFile file(text, file_name, names);
  std::vector<TersoffParameters> triples =
      form == TersoffForm::nuclei     ? parameters_of_triples(file, elements, nuclei_columns)
      : form == TersoffForm::modified ? parameters_of_triples(file, elements, modified_columns)
                                      : parameters_of_triples(file, elements, tersoff_columns);
  for (TersoffParameters& triple : triples) {
    // The repulsion of nuclei is in eV whatever units the file has.
    const double energy = eV * file.energy_in_eV();
    TersoffParameters complete = triple.completed(form);
    complete.nuclear_strength /= file.energy_in_eV();
    triple = complete.scaled(angstrom, energy);
  }
  try {
    return {std::move(triples), static_cast<int>(elements.size()), form};
  } catch (const std::invalid_argument& error) {
    throw TripleFileError(fmt::format("{}: {}", file_name, error.what()));
  }
}

std::unique_ptr<ManyBodyPotential> tersoff_potential(const Input& input,
                                                     std::string_view parameter_text) {
  const UnitSystem metal = *UnitSystem::by_name("metal");
  const double angstrom = metal.to_internal(1.0, Dimension::length);
  const double eV = metal.to_internal(1.0, Dimension::energy);
  const std::vector<std::string> names = parameters_of_types(input, tersoff_kind);
  if (!input.interaction.parameter_file.empty()) {
    try {
      return std::make_unique<Tersoff>(
          tersoff_of_file(parameter_text, input.interaction.parameter_file, names, angstrom, eV));
    } catch (const TripleFileError& error) {
      throw ManyBodyInputError("interaction.parameter_file", error.what());
    }
  }
  std::vector<const TersoffElement*> elements;
  for (std::size_t n = 0; n < names.size(); ++n) {
    elements.push_back(find_tersoff_element(names[n]));
    if (elements.back() == nullptr) {
      std::vector<std::string_view> known;
      for (const TersoffElement& element : tersoff_elements()) known.push_back(element.name);
      throw_no_published_parameters(input, n, tersoff_kind, tersoff_noun, known);
    }
    for (std::size_t other = 0; other < n; ++other) {
      if (tersoff_chi(*elements[n], *elements[other]) >= 0.0) continue;
      throw ManyBodyInputError(
          place_of_parameters(input, n, tersoff_kind),
          fmt::format(
              "{} cannot be mixed with {}: no strength of their bond (chi) is published. "
              "Si(D), which is \"Si\", mixes with C and with Ge; a parameter_file may say more",
              elements[n]->name, elements[other]->name));
    }
  }
  return std::make_unique<Tersoff>(TersoffPotential::of_elements(elements, angstrom, eV));
}

std::vector<std::string_view> tersoff_citations(const Input& input) {
  std::vector<std::string_view> citations;
  if (!input.interaction.parameter_file.empty()) return citations;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (many_body_kind(input, n) != tersoff_kind) continue;
    const TersoffElement* const element =
        find_tersoff_element(parameters_of(input, n, tersoff_kind));
    if (element != nullptr && std::ranges::find(citations, element->citation) == citations.end()) {
      citations.push_back(element->citation);
    }
  }
  return citations;
}

constexpr Citation tersoff_papers[] = {
    {.key = "Tersoff1988a",
     .authors = "J. Tersoff",
     .title = "New empirical approach for the structure and energy of covalent systems",
     .journal = "Phys. Rev. B",
     .volume = "37",
     .pages = "6991-7000",
     .year = 1988,
     .doi = "10.1103/PhysRevB.37.6991"},
    {.key = "Tersoff1988b",
     .authors = "J. Tersoff",
     .title = "Empirical interatomic potential for silicon with improved elastic properties",
     .journal = "Phys. Rev. B",
     .volume = "38",
     .pages = "9902-9905",
     .year = 1988,
     .doi = "10.1103/PhysRevB.38.9902"},
    {.key = "Tersoff1989",
     .authors = "J. Tersoff",
     .title = "Modeling solid-state chemistry: Interatomic potentials for multicomponent systems",
     .journal = "Phys. Rev. B",
     .volume = "39",
     .pages = "5566-5568",
     .year = 1989,
     .doi = "10.1103/PhysRevB.39.5566"}};

std::vector<AddedKey> tersoff_keys() {
  return {{"type",
           "sigma",
           {.name = "tersoff",
            .target = target_in_table<&Input::types, &TypeSection::tersoff>,
            .description = "Parameters of Tersoff's potential: \"Si(B)\", \"Si(C)\", \"Si(D)\", "
                           "\"C\" or \"Ge\"; or, with `parameter_file`, the name of an element "
                           "there. \"Si\" is Si(D), which can be mixed with C and with Ge. With "
                           "`potential = \"lennard_jones\"` the types that have this key interact "
                           "with each other by Tersoff's potential, and with all others in pairs.",
            .default_text = "with `potential = \"tersoff\"` the name of the type"}},
          {"interaction",
           "potential",
           {.name = "parameter_file",
            .target = target_in<&Input::interaction, &InteractionSection::parameter_file>,
            .description = "Parameters of Tersoff's potential in the format of LAMMPS (tersoff, "
                           "tersoff/zbl or tersoff/mod), in place of "
                           "the published ones by name; relative to the folder of the input file.",
            .names_file = true,
            .aliases = {"parameters", "pair_coeff"}}}};
}

std::string tersoff_text(const Input& input) {
  return many_body_text(input, tersoff_kind);
}

}  // namespace

ManyBodyRow tersoff_row() {
  return {.kind = tersoff_kind,
          .noun = tersoff_noun,
          .file = {"parameter_file", "the file of parameters", tersoff_text},
          .needs_file = false,
          .keys = tersoff_keys,
          .potential = tersoff_potential,
          .citations = tersoff_citations,
          .papers = tersoff_papers};
}

}  // namespace sterna::md
