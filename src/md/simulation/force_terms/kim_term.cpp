// The term of a model of KIM, from an input.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/display_text.hpp"
#include "md/forces/kim/kim_forces.hpp"
#include "md/input/sections/kim_section.hpp"
#include "md/input/sections/section.hpp"
#include "md/simulation/force_term_table.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

InputSection kim_section() {
  InputSection section{
      .schema = {.name = "kim",
                 .description =
                     "An interatomic model of OpenKIM, through the library libkim-api where it is "
                     "installed. It acts besides the pairs of [interaction]; types that have the "
                     "model need no `epsilon`, which is 0 then.",
                 .aliases = {"openkim"}},
      .keys = {{.name = "model",
                .target = option<&KimSection::model>,
                .description = "Name of an installed portable model.",
                .need = Need::required,
                .aliases = {"name", "potential"}},
               {.name = "types",
                .target = option<&KimSection::types>,
                .description = "Names of the types that have the model.",
                .default_text = "all"},
               {.name = "species",
                .target = option<&KimSection::species>,
                .description = "Species of the model that each of these types is.",
                .default_text = "the names of the types",
                .aliases = {"elements"}}}};
  section.behind = "interaction";
  return section;
}

/// For each type of the input its species, or "" if it does not have the model.
std::vector<std::string> species_of_types(const Input& input) {
  const auto& section = input.section<KimSection>();
  std::vector<std::string> found;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    const std::string& name = input.types[n].name;
    std::size_t place = n;
    if (!section.types.empty()) {
      const auto type = std::ranges::find(section.types, name);
      place = static_cast<std::size_t>(type - section.types.begin());
    }
    const bool has_it = section.has(name);
    found.push_back(!has_it                   ? std::string()
                    : section.species.empty() ? name
                                              : section.species[place]);
  }
  return found;
}

void check_kim(Input& input, bool look_at_files, const IsGood& is_good, const Report& report) {
  if (!is_good("kim.model")) return;
  const auto& section = input.section<KimSection>();
  for (const char* const place : {"kim.types", "kim.species"}) {
    if (!has_value(input, is_good, place)) return;
  }
  const auto error = [&](std::string_view place, std::string message) {
    report(Severity::error, place, std::move(message));
  };
  if (input.units.is_reduced()) {
    return error("kim",
                 "models of KIM have lengths and energies of their own, which \"reduced\" units do "
                 "not know; expected units = \"nano\", \"metal\" or \"real\"");
  }
  if (!input.components.empty()) {
    return error("kim", "models of KIM are of atoms, and this input has rigid molecules");
  }
  std::vector<std::string_view> names;
  for (const Input::Type& type : input.types) names.push_back(type.name);
  for (const std::string& type : section.types) {
    if (std::ranges::find(names, type) != names.end()) continue;
    std::string message = fmt::format("there is no [[type]] {}", quote(type));
    if (const auto near = comm::nearest_name(type, names)) {
      message += fmt::format("; did you mean {}?", quote(*near));
    }
    return error("kim.types", message);
  }
  const std::size_t count = section.types.empty() ? names.size() : section.types.size();
  if (!section.species.empty() && section.species.size() != count) {
    return error("kim.species", fmt::format("{} species for {} types; expected one for each",
                                            section.species.size(), count));
  }
  // The model has the pairs of its types, unless the input gives them a depth.
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    const bool has_depth = input.places.contains(fmt::format("type[{}].epsilon", n));
    if (section.has(input.types[n].name) && !has_depth) input.types[n].epsilon = 0.0;
  }
  if (!look_at_files) return;
  try {
    const KimModel model(section.model);
    for (const std::string& species : species_of_types(input)) {
      if (species.empty()) continue;
      try {
        static_cast<void>(model.species_code(species));
      } catch (const std::runtime_error& problem) {
        error(section.species.empty() ? "kim.model" : "kim.species", problem.what());
      }
    }
  } catch (const std::runtime_error& problem) {
    error("kim.model", problem.what());
  }
}

std::vector<std::string_view> citations_of_kim(const Input& input) {
  if (input.section<KimSection>().model.empty()) return {};
  return {"Tadmor, Elliott, Sethna, Miller and Becker, JOM 63, 17 (2011)"};
}

std::string bibliography_of_kim(const Input& input) {
  if (input.section<KimSection>().model.empty()) return {};
  return "@article{tadmor2011,\n"
         "  author = {Tadmor, E. B. and Elliott, R. S. and Sethna, J. P. and Miller, R. E. and "
         "Becker, C. A.},\n"
         "  title = {The potential of atomistic simulations and the Knowledgebase of Interatomic "
         "Models},\n"
         "  journal = {JOM},\n"
         "  volume = {63},\n"
         "  pages = {17},\n"
         "  year = {2011},\n"
         "  doi = {10.1007/s11837-011-0102-6}\n"
         "}\n";
}

PhysicsRow kim_physics() {
  return {.name = "kim",
          .sentence = "an interatomic model of OpenKIM",
          .sections = {kim_section},
          .check = check_kim,
          .citations = citations_of_kim,
          .bibliography = bibliography_of_kim};
}

std::unique_ptr<ForceTerm> make_kim(const TermRequest& request) {
  const auto& section = request.input.section<KimSection>();
  if (section.model.empty()) return nullptr;
  // A node may lack the model.
  std::optional<KimModel> model;
  std::vector<int> codes;
  agree_after(request.context, [&] {
    model.emplace(section.model);
    for (const std::string& species : species_of_types(request.input)) {
      codes.push_back(species.empty() ? -1 : model->species_code(species));
    }
  });
  const UnitSystem metal = *UnitSystem::by_name("metal");
  return std::make_unique<KimForces>(
      request.context, request.decomposition, *std::move(model),
      KimForces::Options{.model = section.model,
                         .code_of_type = std::move(codes),
                         .length_unit = metal.to_internal(1.0, Dimension::length),
                         .energy_unit = metal.to_internal(1.0, Dimension::energy),
                         .skin = request.skin});
}

}  // namespace

ForceTermRow force_term::kim() {
  return {"kim", "an interatomic model of OpenKIM", make_kim, kim_physics};
}

}  // namespace sterna::md
