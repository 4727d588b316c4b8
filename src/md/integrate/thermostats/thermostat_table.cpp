#include "md/integrate/thermostats/thermostat_table.hpp"

namespace sterna::md {

const Registry<ThermostatRow>& thermostat_table() {
  static const Registry<ThermostatRow> table("thermostat", {
#define STERNA_THERMOSTAT(name) thermostat::name(),
#include "md/integrate/thermostats/thermostat_list.inc"
#undef STERNA_THERMOSTAT
                                                           });
  return table;
}

void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  for (std::size_t n = 0; n < input.thermostats.size(); ++n) {
    const std::string& name = input.thermostats[n].kind;
    if (name == "none") continue;
    modifiers.push_back(thermostat_table().get(name).make({context, input, n, molecules}));
  }
}

}  // namespace sterna::md
