#include "md/input/tersoff_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/tersoff_file.hpp"
#include "md/model/library/published_model.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {
namespace {

std::string parameters_of(const Input::Type& type) {
  return type.tersoff.empty() ? type.name : type.tersoff;
}

/// The key that says which parameters a type has.
std::string place_of(const Input& input, std::size_t type) {
  std::string place = fmt::format("type[{}].tersoff", type);
  return input.places.contains(place) ? place : fmt::format("type[{}].name", type);
}

}  // namespace

std::string tersoff_parameter_text(const Input& input) {
  constexpr std::size_t largest_file = 1u << 20;  // bytes; a line of parameters has some hundred
  const std::string& name = input.interaction.parameter_file;
  const std::filesystem::path path = std::filesystem::path(input.path).parent_path() / name;
  try {
    return comm::read_regular_file(path.string(), largest_file);
  } catch (const comm::UnreadableFile& error) {
    throw TersoffInputError(
        "interaction.parameter_file",
        fmt::format("the parameter file {} {}", quote_path(name), error.what()));
  }
}

TersoffPotential tersoff_potential(const Input& input, std::string_view parameter_text) {
  const UnitSystem metal = *UnitSystem::by_name("metal");
  const double angstrom = metal.to_internal(1.0, Dimension::length);
  const double eV = metal.to_internal(1.0, Dimension::energy);
  std::vector<std::string> names;
  for (const auto& type : input.types) names.push_back(parameters_of(type));
  if (!input.interaction.parameter_file.empty()) {
    try {
      return TersoffFile(parameter_text, input.interaction.parameter_file)
          .potential(names, angstrom, eV);
    } catch (const TersoffFileError& error) {
      throw TersoffInputError("interaction.parameter_file", error.what());
    }
  }
  std::vector<const TersoffElement*> elements;
  for (std::size_t n = 0; n < names.size(); ++n) {
    elements.push_back(find_tersoff_element(names[n]));
    if (elements.back() == nullptr) {
      std::vector<std::string_view> known;
      std::string list;
      for (const TersoffElement& element : tersoff_elements()) {
        known.push_back(element.name);
        list += fmt::format("{}{}", list.empty() ? "" : ", ", element.name);
      }
      std::string message =
          fmt::format("there are no published parameters {} of Tersoff's potential; there are {}",
                      quote(names[n]), list);
      if (const auto near = comm::nearest_name(names[n], known)) {
        message += fmt::format("; did you mean {}?", quote(*near));
      }
      throw TersoffInputError(place_of(input, n), message);
    }
    for (std::size_t other = 0; other < n; ++other) {
      if (tersoff_chi(*elements[n], *elements[other]) >= 0.0) continue;
      throw TersoffInputError(
          place_of(input, n),
          fmt::format(
              "{} cannot be mixed with {}: no strength of their bond (chi) is published. "
              "Si(D), which is \"Si\", mixes with C and with Ge; a parameter_file may say more",
              elements[n]->name, elements[other]->name));
    }
  }
  return TersoffPotential::of_elements(elements, angstrom, eV);
}

std::vector<std::string_view> tersoff_citations(const Input& input) {
  std::vector<std::string_view> citations;
  const auto& interaction = input.interaction;
  if (interaction.potential != InteractionPotential::tersoff || !interaction.parameter_file.empty())
    return citations;
  for (const auto& type : input.types) {
    const TersoffElement* const element = find_tersoff_element(parameters_of(type));
    if (element != nullptr && std::ranges::find(citations, element->citation) == citations.end()) {
      citations.push_back(element->citation);
    }
  }
  return citations;
}

std::string tersoff_bibliography(const Input& input) {
  static const Citation papers[] = {
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
  std::string text;
  for (const std::string_view citation : tersoff_citations(input)) {
    const auto paper = std::ranges::find_if(
        papers, [&](const Citation& candidate) { return candidate.text().starts_with(citation); });
    if (paper == std::end(papers)) {
      throw std::logic_error(fmt::format("no BibTeX entry of {}", citation));
    }
    if (!text.empty()) text += '\n';
    text += paper->bibtex();
  }
  return text;
}

}  // namespace sterna::md
