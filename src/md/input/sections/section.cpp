#include "md/input/sections/section.hpp"

#include <list>
#include <utility>

#include "md/input/integrator_row.hpp"

namespace sterna::md::section {

std::string_view kept(std::string text) {
  static std::list<std::string> texts;
  return texts.emplace_back(std::move(text));
}

Condition integrator_is(std::vector<std::string_view> names) {
  return {"run", "integrator", std::move(names), Severity::warning};
}

Condition minimizes(bool minimizes) {
  return integrator_is(integrator_rows().names_that(
      [=](const IntegratorRow& kind) { return kind.minimizes == minimizes; }));
}

Condition potential_is(InteractionPotential potential, Severity severity) {
  return choice_is("interaction", "potential", {potential}, severity);
}

}  // namespace sterna::md::section
