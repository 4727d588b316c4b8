#include "md/io/ls1/thermostats.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;
constexpr double exponent = 0.4;  // a constant of ls1's Domain.cpp

/// One thermostat for all molecules.
void scale_all(const XmlElement& place, const XmlElement& temperature_element, double temperature,
               const Decides& decides, Input& input) {
  input.thermostat.kind = "velocity_scaling";
  input.thermostat.temperature = temperature;
  input.thermostat.exponent = exponent;
  decides("thermostat", place);
  decides("thermostat.kind", place);
  decides("thermostat.temperature", temperature_element);
  decides("thermostat.exponent", place);
}

}  // namespace

void read_thermostats(const XmlElement& algorithm, const XmlElement& temperature_element,
                      double temperature, const MoleculeTypes& types, XmlValues& values,
                      const Decides& decides, Input& input) {
  const XmlElement* section = algorithm.find("thermostats");
  if (section == nullptr || section->all("thermostat").empty()) {
    scale_all(section != nullptr ? *section : algorithm, temperature_element, temperature, decides,
              input);
    return;
  }
  for (const XmlElement* element : section->all("thermostat")) {
    const auto kind = values.choice(*element, "type", {"VelocityScaling", "TemperatureControl"});
    if (!kind) continue;
    if (*kind == 0) {
      const std::string_view component = element->attribute("componentName");
      if (!component.empty() && component != "all" && types.components.size() > 1) {
        values.error(*element, fmt::format("VelocityScaling of the component {} alone: Sterna "
                                           "scales all molecules together",
                                           quote(component)));
        continue;
      }
      const XmlElement* own = element->find("temperature");
      const auto given = own != nullptr ? values.positive(*own) : std::nullopt;
      scale_all(*element, own != nullptr ? *own : temperature_element, given.value_or(temperature),
                decides, input);
      continue;
    }
    const auto step = [&](std::string_view path, std::int64_t otherwise) {
      const XmlElement* child = element->find(path);
      return child != nullptr ? values.integer(*child, 0, most_steps).value_or(otherwise)
                              : otherwise;
    };
    const std::int64_t start = step("control/start", 0);
    const std::int64_t stop = step("control/stop", most_steps);
    // The way to ask ls1 for constant energy.
    if (start > input.run.steps || stop <= start) continue;
    values.error(*element,
                 "TemperatureControl by regions: Sterna scales all molecules together; "
                 "without <thermostats> it does so as ls1's VelocityScaling");
  }
}

}  // namespace sterna::md::ls1
