#include "md/input/sections/section.hpp"

#include <list>

namespace sterna::md::section {

std::string_view kept(std::string text) {
  static std::list<std::string> texts;
  return texts.emplace_back(std::move(text));
}

Condition integrator_is(Integrator integrator) {
  return choice_is("run", "integrator", {integrator}, Severity::warning);
}

Condition potential_is(InteractionPotential potential, Severity severity) {
  return choice_is("interaction", "potential", {potential}, severity);
}

}  // namespace sterna::md::section
