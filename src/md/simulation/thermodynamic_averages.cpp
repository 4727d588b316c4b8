#include "md/simulation/thermodynamic_averages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "md/ensemble/grand_canonical_section.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/simulation/particle_reservoirs.hpp"

namespace sterna::md {
namespace {

/// The target temperature of the thermostats; nothing if they do not keep all molecules at a single
/// temperature from the start to the end.
std::optional<double> kept_temperature(const Input& input) {
  std::optional<double> kept;
  for (const auto& thermostat : input.thermostats) {
    if (!thermostat.is_used()) continue;
    if (acts_on_a_part(thermostat) || thermostat.start_step > 0 || thermostat.stop_step > 0 ||
        thermostat.end_temperature || (kept && *kept != thermostat.temperature)) {
      return std::nullopt;
    }
    kept = thermostat.temperature;
  }
  return kept;
}

/// Sets how a quantity is used and printed, by its name.
void set_meaning(Averages::Quantity& quantity, double particles) {
  const std::string& name = quantity.name;
  quantity.decides = name == "temperature" || name == "potential_energy" || name == "volume" ||
                     name.starts_with("molecules_");
  quantity.tells = quantity.decides || name == "pressure";
  if (name == "density") quantity.as = "volume";
  if (name == "kinetic_energy") quantity.as = "temperature";
  if (name.ends_with("_energy")) quantity.per = particles;
  if (name.ends_with("_energy") && !quantity.tells && quantity.as.empty()) {
    quantity.as = "potential_energy";
  }
}

std::vector<Averages::Quantity> quantities_of(const Input& input, std::int64_t particles) {
  const UnitSystem& units = input.units;
  std::vector<Averages::Quantity> all;
  const auto add = [&](const char* name, Dimension dimension) -> Averages::Quantity& {
    auto& quantity =
        all.emplace_back(Averages::Quantity{.name = name,
                                            .unit = std::string(units.label(dimension)),
                                            .factor = units.from_internal(1.0, dimension),
                                            .target = std::nullopt});
    set_meaning(quantity, static_cast<double>(particles));
    return quantity;
  };
  Averages::Quantity& temperature = add("temperature", Dimension::temperature);
  temperature.target = kept_temperature(input);
  temperature.kept_by = "the thermostat";
  // A usual time step shifts the temperature by some parts in a thousand, which is no error.
  temperature.tolerance = 0.01 * temperature.target.value_or(0.0);
  Averages::Quantity& pressure = add("pressure", Dimension::pressure);
  if (input.barostat.is_used() && input.barostat.coupling == BoxCoupling::isotropic &&
      !input.barostat.end_pressure) {
    pressure.target = input.barostat.pressure;
    pressure.kept_by = "the barostat";
  }
  add("potential_energy", Dimension::energy);
  add("total_energy", Dimension::energy);
  for (const std::string& name : ParticleReservoirs::names(input)) {
    const std::string of_component = "molecules_" + name;
    add(of_component.c_str(), Dimension::none);
  }
  if (!input.barostat.is_used()) return all;
  const double length = units.from_internal(1.0, Dimension::length);
  const std::string_view unit = units.label(Dimension::length);
  Averages::Quantity& volume = add("volume", Dimension::none);
  volume.unit = unit.empty() ? "" : fmt::format("{}^3", unit);
  volume.factor = length * length * length;
  // In reduced units the density is a number of particles per volume.
  add("density", units.is_reduced() ? Dimension::number_density : Dimension::mass_density);
  return all;
}

std::optional<std::int64_t> given_equilibration(const Input& input) {
  if (input.output.equilibration < 0) return std::nullopt;
  return input.output.equilibration;
}

}  // namespace

ThermodynamicAverages::ThermodynamicAverages(const Input& input, std::int64_t particles,
                                             double mass)
    : changes_volume_(input.barostat.is_used()),
      amount_(input.units.is_reduced() ? static_cast<double>(particles) : mass),
      averages_(quantities_of(input, changes_numbers(input) ? 1 : particles),
                given_equilibration(input)) {}

void ThermodynamicAverages::add(std::int64_t step, const ThermodynamicState& state,
                                std::span<const double> molecules) {
  std::vector<double> values{state.temperature, state.pressure, state.potential_energy,
                             state.total_energy};
  if (changes_volume_) values.insert(values.end(), {state.volume, amount_ / state.volume});
  values.insert(values.end(), molecules.begin(), molecules.end());
  averages_.add(step, values);
}

std::string averages_of_columns(const std::string& text) {
  const Json given = parse_json(text);
  double particles = std::max(1.0, given.value("particles", 1.0));
  std::vector<Averages::Quantity> quantities;
  std::vector<Json> columns;
  // Where their number changes, energies are those of all particles.
  for (const auto& [name, values] : given.at("columns").items()) {
    if (name.starts_with("molecules_")) particles = 1.0;
  }
  for (const auto& [name, values] : given.at("columns").items()) {
    auto& quantity =
        quantities.emplace_back(Averages::Quantity{.name = name, .target = std::nullopt});
    set_meaning(quantity, particles);
    columns.push_back(values);
  }
  std::optional<std::int64_t> equilibration;
  const auto found = given.find("equilibration");
  if (found != given.end() && !found->is_null()) equilibration = found->get<std::int64_t>();
  Averages averages(quantities, equilibration);
  const Json& steps = given.at("steps");
  for (std::size_t row = 0; row < steps.size(); ++row) {
    std::vector<double> values;
    for (const Json& column : columns) {
      if (column.at(row).is_number()) values.push_back(column.at(row).get<double>());
    }
    if (values.size() == columns.size()) averages.add(steps.at(row).get<std::int64_t>(), values);
  }
  const Averages::Report report = averages.report();
  Json result = Json::object();
  result["averages"] = report.averages;
  result["averages_over"] = report.rows;
  result["lines"] = report.lines;
  return json_text(result);
}

}  // namespace sterna::md
