#include "md/forces/manybody/input/tersoff_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/input/tersoff_file.hpp"
#include "md/model/library/published_model.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {
namespace {

std::string parameters_of(const Input::Type& type) {
  return type.tersoff.empty() ? type.name : type.tersoff;
}

/// The key that gives the parameters of a type.
std::string place_of(const Input& input, std::size_t type) {
  std::string place = fmt::format("type[{}].tersoff", type);
  return input.places.contains(place) ? place : fmt::format("type[{}].name", type);
}

bool is_tersoff(const Input& input, std::size_t type) {
  return many_body_kind(input, type) == ManyBodyKind::tersoff;
}

/// Which parameters each type has, or that of the first type that has some; rigid molecules, which
/// stand behind the types, likewise.
std::vector<std::string> parameters_of_types(const Input& input) {
  std::size_t first = 0;
  while (first + 1 < input.types.size() && !is_tersoff(input, first)) ++first;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    names.push_back(parameters_of(input.types[is_tersoff(input, n) ? n : first]));
  }
  names.insert(names.end(), input.components.size(), parameters_of(input.types[first]));
  return names;
}

}  // namespace

std::string tersoff_parameter_text(const Input& input) {
  return many_body_file(input, input.interaction.parameter_file, "interaction.parameter_file");
}

TersoffPotential tersoff_potential(const Input& input, std::string_view parameter_text) {
  const UnitSystem metal = *UnitSystem::by_name("metal");
  const double angstrom = metal.to_internal(1.0, Dimension::length);
  const double eV = metal.to_internal(1.0, Dimension::energy);
  const std::vector<std::string> names = parameters_of_types(input);
  if (!input.interaction.parameter_file.empty()) {
    try {
      return TersoffFile(parameter_text, input.interaction.parameter_file)
          .potential(names, angstrom, eV);
    } catch (const TersoffFileError& error) {
      throw ManyBodyInputError("interaction.parameter_file", error.what());
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
      throw ManyBodyInputError(place_of(input, n), message);
    }
    for (std::size_t other = 0; other < n; ++other) {
      if (tersoff_chi(*elements[n], *elements[other]) >= 0.0) continue;
      throw ManyBodyInputError(
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
  if (!input.interaction.parameter_file.empty()) return citations;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (!is_tersoff(input, n)) continue;
    const TersoffElement* const element = find_tersoff_element(parameters_of(input.types[n]));
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
