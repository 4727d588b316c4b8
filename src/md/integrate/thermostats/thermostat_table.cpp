#include "md/integrate/thermostats/thermostat_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace sterna::md {
namespace {

constexpr const ThermostatRow* rows[] = {
#define STERNA_THERMOSTAT(name) &thermostat::name,
#include "md/integrate/thermostats/thermostat_list.inc"
#undef STERNA_THERMOSTAT
};

}  // namespace

std::span<const ThermostatKind> thermostat_kinds() {
  static const std::vector<ThermostatKind> kinds = [] {
    std::vector<ThermostatKind> all;
    for (const ThermostatRow* row : rows) all.push_back(row->kind());
    return all;
  }();
  return kinds;
}

void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  for (std::size_t n = 0; n < input.thermostats.size(); ++n) {
    const std::string& name = input.thermostats[n].kind;
    if (name == "none") continue;
    const ThermostatKind* kind = kind_of(input.thermostats[n]);
    if (kind == nullptr) throw std::invalid_argument("there is no thermostat \"" + name + "\"");
    const ThermostatRow& row = *rows[kind - thermostat_kinds().data()];
    modifiers.push_back(row.make({context, input, n, molecules}));
  }
}

}  // namespace sterna::md
