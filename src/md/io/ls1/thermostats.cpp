#include "md/io/ls1/thermostats.hpp"

#include <fmt/format.h>

#include <optional>

namespace sterna::md::ls1 {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;
constexpr double exponent = 0.4;  // a constant of ls1's Domain.cpp

}  // namespace

void read_thermostats(const XmlElement& algorithm, const XmlElement& temperature_element,
                      double temperature, const MoleculeTypes& types, const Vec3& box,
                      XmlValues& values, const Decides& decides, Input& input) {
  (void)types;
  (void)box;
  Input::Thermostat& thermostat = input.thermostat;
  const auto scale_all = [&](const XmlElement& place) {
    thermostat.kind = "velocity_scaling";
    thermostat.temperature = temperature;
    thermostat.exponent = exponent;
    decides("thermostat", place);
    decides("thermostat.kind", place);
    decides("thermostat.temperature", temperature_element);
    decides("thermostat.exponent", place);
  };
  const XmlElement* section = algorithm.find("thermostats");
  if (section == nullptr || section->all("thermostat").empty()) {
    scale_all(section != nullptr ? *section : algorithm);
    return;
  }
  for (const XmlElement* element : section->all("thermostat")) {
    const auto kind = values.choice(*element, "type", {"VelocityScaling", "TemperatureControl"});
    if (!kind) continue;
    if (*kind == 0) {
      scale_all(*element);
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
    values.error(*element, "TemperatureControl by regions is not run yet");
  }
}

}  // namespace sterna::md::ls1
