#include "md/input/reference_pages.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "md/input/barostat_row.hpp"
#include "md/input/integrator_row.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/schema_export.hpp"
#include "md/input/thermostat_row.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

std::string other_names(std::span<const std::string_view> aliases) {
  if (aliases.empty()) return {};
  return fmt::format("\nOther programs and papers call it {}.\n", comm::joined(aliases, ", "));
}

std::string integrator_page(const IntegratorRow& kind) {
  return fmt::format(
             "# `{0}`\n\n<!-- Written from the row of the integrator by ./dev docs. -->\n\n"
             "{1}\n\n```text\n{2}\n```\n\n{3}\n\nSource: {4}.\n\n```toml\n[run]\nintegrator = "
             "\"{0}\"\n```\n",
             kind.name, kind.sentence, kind.equations, kind.remarks, kind.source) +
         other_names(kind.aliases);
}

/// The parts that the pages of thermostats and barostats share.
template <class Kind>
std::string ensemble_page(const Kind& kind, std::string_view section) {
  std::string page = fmt::format(
      "# `{0}`\n\n<!-- Written from the row of src/md/integrate/{1}s/{0}.cpp by ./dev docs. -->\n\n"
      "{2}\n\n```text\n{3}\n```\n\n{4}\n\nSource: {5}.\n\n```toml\n[{1}]\nkind = \"{0}\"\n```\n\n",
      kind.name, section, kind.sentence, kind.equations, kind.remarks, kind.source);
  page += keys_of_kind_markdown(section, kind.name);
  return page + other_names(kind.aliases);
}

std::string_view said(ThermostatRow::Constraints constraints) {
  switch (constraints) {
    case ThermostatRow::Constraints::violated:
      return "It does not go with constraints.";
    case ThermostatRow::Constraints::kept:
      return "It keeps constraints where it acts on all atoms.";
    case ThermostatRow::Constraints::projected:
      return "What it gives along a constraint is taken off again.";
    case ThermostatRow::Constraints::projected_as_a_whole:
      return "What it gives along a constraint is taken off again, where it acts on all atoms.";
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> reference_pages() {
  std::map<std::string, std::string> pages;
  for (const PhysicsRow& physics : physics_rows()) {
    if (physics.pages != nullptr) pages.merge(physics.pages());
  }
  for (const IntegratorRow& kind : integrator_rows()) {
    pages[fmt::format("integrators/{}.md", kind.name)] = integrator_page(kind);
  }
  for (const ThermostatRow& kind : thermostat_rows()) {
    pages[fmt::format("thermostats/{}.md", kind.name)] =
        ensemble_page(kind, "thermostat") +
        fmt::format(
            "\n{} {}\n\nAll kinds, and what the letters mean: [thermostats](../thermostats.md).\n",
            kind.is_canonical ? "It samples the canonical ensemble." : "It samples no ensemble.",
            said(kind.constraints));
  }
  for (const BarostatRow& kind : barostat_rows()) {
    pages[fmt::format("barostats/{}.md", kind.name)] =
        ensemble_page(kind, "barostat") +
        fmt::format("\n{}\n\nAll kinds: [keep the pressure](../howto/constant-pressure.md).\n",
                    kind.needs_thermostat
                        ? "It needs a thermostat that samples the canonical ensemble."
                    : kind.keeps_pressure ? "Without a thermostat it keeps the enthalpy."
                                          : "Examples: [strain the box](../howto/deform.md).");
  }
  return pages;
}

}  // namespace sterna::md
