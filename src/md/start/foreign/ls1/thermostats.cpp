#include "md/start/foreign/ls1/thermostats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "md/core/display_text.hpp"
#include "md/integrate/thermostats/velocity_scaling.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr double scaling_exponent = 0.4;  // a constant of ls1's Domain.cpp

class ThermostatReader {
 public:
  ThermostatReader(const MoleculeTypes& types, XmlValues& values, const Decides& decides,
                   Input& input)
      : types_(types), values_(values), decides_(decides), input_(input) {}

  /// Reads ls1's VelocityScaling, of all molecules or of one component.
  void velocity_scaling(const XmlElement& element, std::string_view component,
                        const XmlElement& temperature_element, double temperature) {
    Input::Thermostat& thermostat = add(element, temperature_element, temperature);
    thermostat.options<VelocityScalingOptions>().exponent = scaling_exponent;
    decide("exponent", element);
    if (component.empty() || component == "all" || component == "global") return;
    const bool known = std::ranges::find(types_.components, component, &Input::Component::name) !=
                       types_.components.end();
    if (!known) {
      values_.warning(element, fmt::format("no component has the name {}; ls1 takes the first one",
                                           quote(component)));
      if (types_.components.empty()) return;
      component = types_.components[0].name;
    }
    if (types_.components.size() == 1) return;
    thermostat.component = component;
    decide("component", element);
  }

  /// Reads ls1's TemperatureControl: one thermostat for each region.
  void temperature_control(const XmlElement& element) {
    const auto steps = [&](std::string_view path, std::int64_t least, std::int64_t otherwise) {
      const XmlElement* child = element.find(path);
      if (child == nullptr) return otherwise;
      return values_.integer(*child, least, most_steps).value_or(otherwise);
    };
    const std::int64_t start = steps("control/start", 0, 0);
    const std::int64_t stop = steps("control/stop", 0, most_steps);  // the first step without the
                                                                     // thermostat
    const std::int64_t frequency = steps("control/frequency", 1, 1);
    // A control that never acts is how inputs ask ls1 for constant energy.
    if (start > input_.run.steps || stop <= std::max<std::int64_t>(start, 1)) {
      element.pass_over();
      return;
    }
    const XmlElement* regions = element.find("regions");
    if (regions == nullptr || regions->all("region").empty()) {
      values_.warning(element, "TemperatureControl without a <region> has no effect");
      return;
    }
    for (const XmlElement* one : regions->all("region")) {
      Input::Thermostat* thermostat = region(*one, frequency);
      if (thermostat == nullptr) continue;
      thermostat->start_step = start;
      decide("start_step", *one);
      if (stop == most_steps) continue;
      thermostat->stop_step = stop - 1;
      decide("stop_step", *one);
    }
  }

 private:
  Input::Thermostat& add(const XmlElement& element, const XmlElement& temperature_element,
                         double temperature) {
    place_ = fmt::format("thermostat[{}]", input_.thermostats.size());
    Input::Thermostat& thermostat = input_.thermostats.emplace_back();
    thermostat.kind = "velocity_scaling";
    thermostat.temperature = temperature;
    decides_(place_, element);
    decide("kind", element);
    decide("temperature", temperature_element);
    return thermostat;
  }

  void decide(std::string_view key, const XmlElement& element) {
    decides_(fmt::format("{}.{}", place_, key), element);
  }

  /// Reads a thermostat of a region that acts in every `frequency`-th step.
  Input::Thermostat* region(const XmlElement& element, std::int64_t frequency) {
    element.pass_over({"fileprefix"});
    for (const char* name : {"writefreq", "added_ekin"}) {
      const XmlElement* writing = element.find(name);
      if (writing == nullptr) continue;
      values_.warning(*writing, fmt::format("<{}>: Sterna does not write factors and energies of "
                                            "the thermostats of regions",
                                            name));
      writing->pass_over();
    }
    ramp(element);
    const XmlElement* method = element.find("method");
    const bool collides = method != nullptr && method->text == "Andersen";
    if (method != nullptr && !collides && method->text != "VelocityScaling") {
      values_.error(*method, fmt::format("the method {} of a region: Sterna has VelocityScaling "
                                         "and Andersen",
                                         quote(method->text)));
      return nullptr;
    }
    const XmlElement* temperature = values_.require(element, "target/temperature");
    const auto lower = corner(element, "lc"), upper = corner(element, "uc");
    if (temperature == nullptr || !lower || !upper) return nullptr;
    const std::size_t before = input_.thermostats.size();
    Input::Thermostat& thermostat =
        add(element, *temperature, values_.positive(*temperature).value_or(1.0));
    thermostat.lower = *lower;
    thermostat.upper = *upper;
    for (const char* key : {"lower", "upper"}) decide(key, element);
    const bool whole =
        collides ? collisions(element, frequency, thermostat) : scaling(element, thermostat);
    if (!whole) {
      input_.thermostats.resize(before);
      return nullptr;
    }
    if (!collides) {
      thermostat.options<VelocityScalingOptions>().interval = frequency;
      decide("interval", element);
    }
    if (const XmlElement* target = element.find("target/component")) component(*target, thermostat);
    return &thermostat;
  }

  /// Reads a temperature ramp, which ls1 uses only if all its values are given.
  void ramp(const XmlElement& region) {
    const XmlElement* ramp = region.find("target/ramp");
    if (ramp == nullptr) return;
    bool is_whole = true;
    for (const char* value : {"start", "end", "update/start", "update/stop", "update/freq"}) {
      is_whole = is_whole && ramp->find(value) != nullptr;
    }
    ramp->pass_over();
    if (is_whole) {
      values_.error(*ramp,
                    "<ramp>: the temperature of Sterna's thermostats does not change; "
                    "several of them with start_step and stop_step make steps");
    } else {
      values_.warning(*ramp,
                      "ls1 ignores a <ramp> without start, end and the start, stop and freq "
                      "of its <update>");
    }
  }

  bool scaling(const XmlElement& element, Input::Thermostat& thermostat) {
    const XmlElement* slabs = values_.require(element, "settings/numslabs");
    const XmlElement* exponent = values_.require(element, "settings/exponent");
    const XmlElement* directions = values_.require(element, "settings/directions");
    if (slabs == nullptr || exponent == nullptr || directions == nullptr) return false;
    auto& options = thermostat.options<VelocityScalingOptions>();
    options.exponent = values_.positive(*exponent).value_or(scaling_exponent);
    constexpr std::int64_t most_slabs = 10'000;
    options.slabs = static_cast<int>(values_.integer(*slabs, 1, most_slabs).value_or(1));
    options.scaling = VelocityScaling::Rule::linearized;
    options.directions.clear();
    for (const char direction : directions->text) {
      const auto axis = choice_by_name<Axis>({&direction, 1});
      if (!axis || std::ranges::find(options.directions, *axis) != options.directions.end()) {
        values_.error(*directions, fmt::format("<directions> is {}; expected some of xyz",
                                               quote(directions->text)));
        break;
      }
      options.directions.push_back(*axis);
    }
    decide("scaling", element);
    decide("exponent", *exponent);
    decide("slabs", *slabs);
    decide("directions", *directions);
    return true;
  }

  /// Reads an Andersen thermostat. In each step in which it acts, ls1 lets a molecule collide with
  /// probability nu dt.
  bool collisions(const XmlElement& element, std::int64_t frequency,
                  Input::Thermostat& thermostat) {
    const XmlElement* rate = values_.require(element, "settings/nu");
    if (rate == nullptr) return false;
    const auto nu = values_.positive(*rate);
    if (!nu) return false;
    thermostat.kind = "andersen";
    thermostat.time_constant = static_cast<double>(frequency) / *nu;
    decide("time_constant", *rate);
    return true;
  }

  /// Reads the component by its number, from 1; 0 means all.
  void component(const XmlElement& element, Input::Thermostat& thermostat) {
    const auto number =
        values_.integer(element, 0, static_cast<std::int64_t>(types_.components.size()));
    if (!number || *number == 0) return;
    thermostat.component = types_.components[static_cast<std::size_t>(*number - 1)].name;
    decide("component", element);
  }

  /// Reads a corner of a region, "lc" the lower and "uc" the upper one; "box" means the edge of the
  /// box.
  std::optional<Vec3> corner(const XmlElement& region, std::string_view which) {
    Vec3 place;
    for (int axis = 0; axis < 3; ++axis) {
      const XmlElement* element =
          values_.require(region, fmt::format("coords/{}{}", which, "xyz"[axis]));
      if (element == nullptr) return std::nullopt;
      if (const std::string_view follows = element->attribute("refcoordsID");
          !follows.empty() && follows != "0") {
        values_.error(*element,
                      "a region that follows an interface (refcoordsID): those of Sterna's "
                      "thermostats have fixed places");
        return std::nullopt;
      }
      if (element->text == "box" && which == "uc") {
        if (!input_.start.box) return std::nullopt;  // reported elsewhere
        place[axis] = (*input_.start.box)[axis];
        continue;
      }
      const auto number = values_.number(*element);
      if (!number) return std::nullopt;
      place[axis] = *number;
    }
    return place;
  }

  const MoleculeTypes& types_;
  XmlValues& values_;
  const Decides& decides_;
  Input& input_;
  std::string place_;  // section of the thermostat added last
};

}  // namespace

void read_thermostats(const XmlElement& algorithm, const XmlElement& temperature_element,
                      double temperature, const MoleculeTypes& types, XmlValues& values,
                      const Decides& decides, Input& input) {
  ThermostatReader reader(types, values, decides, input);
  const XmlElement* section = algorithm.find("thermostats");
  if (section == nullptr || section->all("thermostat").empty()) {
    reader.velocity_scaling(section != nullptr ? *section : algorithm, "all", temperature_element,
                            temperature);
    return;
  }
  const auto controls = [](const XmlElement* element) {
    return element->attribute("type") == "TemperatureControl";
  };
  const bool has_control = std::ranges::any_of(section->all("thermostat"), controls);
  for (const XmlElement* element : section->all("thermostat")) {
    const auto kind = values.choice(*element, "type", {"VelocityScaling", "TemperatureControl"});
    if (!kind) continue;
    if (*kind == 1) {
      reader.temperature_control(*element);
      continue;
    }
    if (has_control) {
      values.warning(*element,
                     "beside a TemperatureControl ls1's VelocityScaling does not act, nor does it "
                     "here");
      element->pass_over();
      continue;
    }
    const XmlElement* own = element->find("temperature");
    const double wanted =
        own != nullptr ? values.positive(*own).value_or(temperature) : temperature;
    const std::string_view by_id = element->attribute("componentId");
    const std::string_view by_name = element->attribute("componentName");
    if (wanted != temperature ||
        (types.components.size() > 1 && !by_id.empty() && by_id != "global")) {
      values.warning(*element,
                     "ls1 scales the velocities of all molecules to the <temperature> of "
                     "<ensemble>, whatever this thermostat says; Sterna does as it says");
    }
    if (types.components.size() > 1 && !by_name.empty()) {
      values.warning(*element,
                     "ls1 reads componentId and not componentName: this thermostat acts on all "
                     "molecules");
    }
    reader.velocity_scaling(*element, by_id, own != nullptr ? *own : temperature_element, wanted);
  }
}

}  // namespace sterna::md::ls1
