#include "md/core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/core/unit_constants.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

using unit::avogadro, unit::calorie, unit::joule;

constexpr double eV = unit::electronvolt;
constexpr double bar = 1e5 * unit::pascal;
constexpr double atm = 101325.0 * unit::pascal;

/// One unit, with the factor that converts a number to internal units: nm, ps, g/mol, kJ/mol, K, e.
struct Unit {
  Dimension dimension;
  std::string_view name;
  double factor;
  bool alias = false;  ///< accepted, but not listed in messages
};

using enum Dimension;
constexpr Unit units[] = {
    {length, "nm", 1.0},
    {length, "angstrom", 0.1},
    {length, "pm", 1e-3},
    {length, "um", 1e3},
    {length, "bohr", unit::bohr},
    {length, "A", 0.1, true},
    {length, "Angstrom", 0.1, true},
    {length, "angstroms", 0.1, true},
    {length, "\u00c5", 0.1, true},
    {length, "\u212b", 0.1, true},
    {length, "\u00b5m", 1e3, true},
    {length, "\u03bcm", 1e3, true},
    {length, "m", 1e9, true},
    {time, "fs", 1e-3},
    {time, "ps", 1.0},
    {time, "ns", 1e3},
    {time, "us", 1e6},
    {time, "s", 1e12},
    {time, "\u00b5s", 1e6, true},
    {time, "\u03bcs", 1e6, true},
    {time, "ms", 1e9, true},
    {mass, "u", 1.0},
    {mass, "g/mol", 1.0},
    {mass, "Da", 1.0},
    {mass, "kg", 1e3 * avogadro},
    {mass, "amu", 1.0, true},
    {mass, "kDa", 1e3, true},
    {mass, "kg/mol", 1e3, true},
    {mass, "g", avogadro, true},
    {energy, "kJ/mol", 1.0},
    {energy, "kcal/mol", calorie},
    {energy, "eV", eV},
    {energy, "meV", eV / 1e3},
    {energy, "K", unit::kelvin},
    {energy, "J", joule},
    {energy, "hartree", unit::hartree_J* joule},
    {energy, "J/mol", 1e-3, true},
    {energy, "cal/mol", calorie / 1e3, true},
    {energy, "Ha", unit::hartree_J* joule, true},
    {temperature, "K", 1.0},
    {temperature, "mK", 1e-3, true},
    {temperature, "kK", 1e3, true},
    {velocity, "nm/ps", 1.0},
    {velocity, "angstrom/ps", 0.1},
    {velocity, "angstrom/fs", 100.0},
    {velocity, "m/s", 1e-3},
    {velocity, "nm/fs", 1e3, true},
    {velocity, "km/s", 1.0, true},
    {velocity, "A/ps", 0.1, true},
    {velocity, "A/fs", 100.0, true},
    {force, "kJ/mol/nm", 1.0},
    {force, "kcal/mol/angstrom", calorie * 10.0},
    {force, "eV/angstrom", eV * 10.0},
    {force, "pN", 1e-21 * joule},
    {force, "kJ/mol/angstrom", 10.0, true},
    {force, "kcal/mol/A", calorie * 10.0, true},
    {force, "eV/A", eV * 10.0, true},
    {force, "N", 1e-9 * joule, true},
    {pressure, "bar", bar},
    {pressure, "atm", atm},
    {pressure, "Pa", unit::pascal},
    {pressure, "kPa", 1e3 * unit::pascal},
    {pressure, "MPa", 1e6 * unit::pascal},
    {pressure, "GPa", 1e9 * unit::pascal},
    {pressure, "kbar", 1e3 * bar, true},
    {pressure, "mbar", 1e-3 * bar, true},
    {surface_tension, "mN/m", 1e-21 * joule},
    {surface_tension, "J/m^2", 1e-18 * joule},
    {surface_tension, "N/m", 1e-18 * joule, true},
    {viscosity, "mPa*s", 1e9 * unit::pascal},
    {viscosity, "Pa*s", 1e12 * unit::pascal},
    {diffusion, "m^2/s", 1e6},
    {diffusion, "cm^2/s", 1e2},
    {diffusion, "nm^2/ps", 1.0},
    {number_density, "1/nm^3", 1.0},
    {number_density, "1/angstrom^3", 1e3},
    {number_density, "mol/l", avogadro * 1e-24},
    {number_density, "mol/m^3", avogadro * 1e-27},
    {number_density, "nm^-3", 1.0, true},
    {number_density, "angstrom^-3", 1e3, true},
    {number_density, "1/A^3", 1e3, true},
    {number_density, "1/m^3", 1e-27, true},
    {number_density, "1/cm^3", 1e-21, true},
    {number_density, "mol/L", avogadro * 1e-24, true},
    {number_density, "mol/dm^3", avogadro * 1e-24, true},
    {number_density, "mol/cm^3", avogadro * 1e-21, true},
    {mass_density, "g/cm^3", avogadro * 1e-21},
    {mass_density, "kg/m^3", avogadro * 1e-24},
    {mass_density, "g/l", avogadro * 1e-24},
    {mass_density, "g/ml", avogadro * 1e-21, true},
    {mass_density, "kg/l", avogadro * 1e-21, true},
    {charge, "e", 1.0},
    {charge, "C", 1.0 / unit::elementary_charge},
    {dipole_moment, "D", unit::debye},
    {dipole_moment, "e*nm", 1.0},
    {dipole_moment, "e*angstrom", unit::angstrom},
    {dipole_moment, "e*bohr", unit::bohr},
    {dipole_moment, "C*m", 1e9 / unit::elementary_charge},
    {dipole_moment, "e*A", unit::angstrom, true},
    {dipole_moment, "enm", 1.0, true},
    {dipole_moment, "debye", unit::debye, true},
    {dipole_moment, "Debye", unit::debye, true},
    {quadrupole_moment, "D*angstrom", unit::debye* unit::angstrom},
    {quadrupole_moment, "e*nm^2", 1.0},
    {quadrupole_moment, "e*angstrom^2", unit::angstrom* unit::angstrom},
    {quadrupole_moment, "e*bohr^2", unit::bohr* unit::bohr},
    {quadrupole_moment, "C*m^2", 1e18 / unit::elementary_charge},
    {quadrupole_moment, "DA", unit::debye* unit::angstrom, true},
    {quadrupole_moment, "D*A", unit::debye* unit::angstrom, true},
    {quadrupole_moment, "Dangstrom", unit::debye* unit::angstrom, true},
    {quadrupole_moment, "buckingham", unit::debye* unit::angstrom, true},
    {quadrupole_moment, "e*A^2", unit::angstrom* unit::angstrom, true},
    {moment_of_inertia, "u*nm^2", 1.0},
    {moment_of_inertia, "u*angstrom^2", unit::angstrom* unit::angstrom},
    {moment_of_inertia, "kg*m^2", 1e21 * avogadro},
    {moment_of_inertia, "u*A^2", unit::angstrom* unit::angstrom, true},
    {moment_of_inertia, "amu*angstrom^2", unit::angstrom* unit::angstrom, true},
    {angular_momentum, "u*nm^2/ps", 1.0},
    {angular_momentum, "u*angstrom^2/ps", unit::angstrom* unit::angstrom},
    {angular_momentum, "u*angstrom^2/fs", 1e3 * unit::angstrom* unit::angstrom},
    {acceleration, "nm/ps^2", 1.0},
    {acceleration, "angstrom/ps^2", unit::angstrom},
    {acceleration, "angstrom/fs^2", 1e6 * unit::angstrom},
    {acceleration, "m/s^2", 1e-15},
    {stiffness, "kJ/mol/nm^2", 1.0},
    {stiffness, "kcal/mol/angstrom^2", calorie / (unit::angstrom * unit::angstrom)},
    {stiffness, "eV/angstrom^2", eV / (unit::angstrom * unit::angstrom)},
    {stiffness, "N/m", 1e-18 * joule},
    {electric_field, "V/nm", eV},
    {electric_field, "V/angstrom", eV / unit::angstrom},
    {electric_field, "V/m", 1e-9 * eV},
    {electric_field, "V/A", eV / unit::angstrom, true},
    {inverse_length, "1/nm", 1.0},
    {inverse_length, "1/angstrom", 10.0},
    {inverse_length, "1/bohr", 1.0 / unit::bohr},
    {inverse_length, "nm^-1", 1.0, true},
    {inverse_length, "angstrom^-1", 10.0, true},
    {inverse_length, "1/A", 10.0, true},
    {energy_length, "kJ/mol*nm", 1.0},
    {energy_length, "kcal/mol*angstrom", calorie / 10.0},
    {energy_length, "eV*angstrom", eV / 10.0},
    {energy_length, "kJ/mol*angstrom", 0.1, true},
    {energy_length, "eV*A", eV / 10.0, true},
    {energy_length, "eV*nm", eV, true},
    {energy_length_6, "kJ/mol*nm^6", 1.0},
    {energy_length_6, "kcal/mol*angstrom^6", calorie / 1e6},
    {energy_length_6, "eV*angstrom^6", eV / 1e6},
    {energy_length_6, "kJ/mol*angstrom^6", 1e-6, true},
    {energy_length_6, "eV*A^6", eV / 1e6, true},
    {energy_length_6, "J*m^6", 1e54 * joule, true},
    {energy_length_8, "kJ/mol*nm^8", 1.0},
    {energy_length_8, "kcal/mol*angstrom^8", calorie / 1e8},
    {energy_length_8, "eV*angstrom^8", eV / 1e8},
    {energy_length_8, "kJ/mol*angstrom^8", 1e-8, true},
    {energy_length_8, "eV*A^8", eV / 1e8, true},
    {energy_length_8, "J*m^8", 1e72 * joule, true},
    {energy_per_length_3, "kJ/mol/nm^3", 1.0},
    {energy_per_length_3, "kcal/mol/angstrom^3", calorie * 1e3},
    {energy_per_length_3, "eV/angstrom^3", eV * 1e3},
    {energy_per_length_4, "kJ/mol/nm^4", 1.0},
    {energy_per_length_4, "kcal/mol/angstrom^4", calorie * 1e4},
    {energy_per_length_4, "eV/angstrom^4", eV * 1e4},
    {energy_rate, "kJ/mol/ps", 1.0},
    {energy_rate, "kcal/mol/ps", calorie},
    {energy_rate, "kcal/mol/fs", 1e3 * calorie},
    {energy_rate, "eV/ps", eV},
    {energy_rate, "kJ/mol/ns", 1e-3},
    {energy_rate, "K/ns", 1e-3 * unit::kelvin},
};

constexpr std::size_t dimensions = static_cast<std::size_t>(energy_rate) + 1;

std::size_t index(Dimension dimension) {
  return static_cast<std::size_t>(dimension);
}

/// Whether `written` spells the unit `name`: identical, or with "cm3" or "cm**3" for "cm^3".
bool is_spelled(std::string_view written, std::string_view name) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '^') {
      if (written.substr(at).starts_with('^')) {
        at += 1;
      } else if (written.substr(at).starts_with("**")) {
        at += 2;
      }
    } else if (at < written.size() && written[at] == name[i]) {
      ++at;
    } else {
      return false;
    }
  }
  return at == written.size();
}

const Unit* find_unit(std::string_view name, Dimension dimension) {
  for (const Unit& unit : units) {
    if (unit.dimension == dimension && is_spelled(name, unit.name)) return &unit;
  }
  return nullptr;
}

std::string list_of_units(Dimension dimension) {
  const auto names = UnitSystem::unit_names(dimension);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string why_unknown(std::string_view text, std::string_view unit, Dimension dimension) {
  std::string error = fmt::format("{} has the unknown unit {}; expected {}: {}", quote(text),
                                  quote(unit), dimension_noun(dimension), list_of_units(dimension));
  if (unit.front() == ',') {
    return error + "; the decimal separator is a point";
  }
  if (const auto near = comm::nearest_name(unit, UnitSystem::unit_names(dimension))) {
    error += fmt::format("; did you mean \"{}\"?", *near);
  }
  return error;
}

}  // namespace

struct UnitSystem::Definition {
  std::string_view name;
  /// The unit of a plain number, by dimension; empty in reduced units.
  std::array<std::string_view, dimensions> unit;
  std::array<double, dimensions> factor;
};

namespace {

// It is long because it is a table, with a row for each dimension of each system of units.
const std::array<UnitSystem::Definition, 4>& definitions() {
  static const auto table = [] {
    std::array<UnitSystem::Definition, 4> systems{{
        {"reduced", {}, {}},
        {"nano",
         {"",
          "nm",
          "ps",
          "u",
          "kJ/mol",
          "K",
          "nm/ps",
          "kJ/mol/nm",
          "bar",
          "mN/m",
          "mPa*s",
          "m^2/s",
          "1/nm^3",
          "g/cm^3",
          "e",
          "e*nm",
          "e*nm^2",
          "u*nm^2",
          "u*nm^2/ps",
          "nm/ps^2",
          "kJ/mol/nm^2",
          "V/nm",
          "1/nm",
          "kJ/mol*nm",
          "kJ/mol*nm^6",
          "kJ/mol*nm^8",
          "kJ/mol/nm^3",
          "kJ/mol/nm^4",
          "kJ/mol/ps"},
         {}},
        {"metal",
         {"",
          "angstrom",
          "ps",
          "u",
          "eV",
          "K",
          "angstrom/ps",
          "eV/angstrom",
          "bar",
          "mN/m",
          "mPa*s",
          "m^2/s",
          "1/angstrom^3",
          "g/cm^3",
          "e",
          "e*angstrom",
          "e*angstrom^2",
          "u*angstrom^2",
          "u*angstrom^2/ps",
          "angstrom/ps^2",
          "eV/angstrom^2",
          "V/angstrom",
          "1/angstrom",
          "eV*angstrom",
          "eV*angstrom^6",
          "eV*angstrom^8",
          "eV/angstrom^3",
          "eV/angstrom^4",
          "eV/ps"},
         {}},
        {"real",
         {"",
          "angstrom",
          "fs",
          "u",
          "kcal/mol",
          "K",
          "angstrom/fs",
          "kcal/mol/angstrom",
          "atm",
          "mN/m",
          "mPa*s",
          "m^2/s",
          "1/angstrom^3",
          "g/cm^3",
          "e",
          "e*angstrom",
          "e*angstrom^2",
          "u*angstrom^2",
          "u*angstrom^2/fs",
          "angstrom/fs^2",
          "kcal/mol/angstrom^2",
          "V/angstrom",
          "1/angstrom",
          "kcal/mol*angstrom",
          "kcal/mol*angstrom^6",
          "kcal/mol*angstrom^8",
          "kcal/mol/angstrom^3",
          "kcal/mol/angstrom^4",
          "kcal/mol/fs"},
         {}},
    }};
    for (auto& system : systems) {
      for (std::size_t i = 0; i < dimensions; ++i) {
        const Unit* unit = find_unit(system.unit[i], static_cast<Dimension>(i));
        system.factor[i] = unit != nullptr ? unit->factor : 1.0;
      }
    }
    return systems;
  }();
  return table;
}

}  // namespace

// It is long because it is a table, with two lines for each dimension.
std::string_view dimension_noun(Dimension dimension) {
  switch (dimension) {
    case none:
      return "a number";
    case length:
      return "a length";
    case time:
      return "a time";
    case mass:
      return "a mass";
    case energy:
      return "an energy";
    case temperature:
      return "a temperature";
    case velocity:
      return "a velocity";
    case force:
      return "a force";
    case pressure:
      return "a pressure";
    case surface_tension:
      return "a surface tension";
    case viscosity:
      return "a viscosity";
    case diffusion:
      return "a diffusion coefficient";
    case number_density:
      return "a number density";
    case mass_density:
      return "a mass density";
    case charge:
      return "a charge";
    case dipole_moment:
      return "a dipole moment";
    case quadrupole_moment:
      return "a quadrupole moment";
    case moment_of_inertia:
      return "a moment of inertia";
    case angular_momentum:
      return "an angular momentum";
    case acceleration:
      return "an acceleration";
    case stiffness:
      return "a force per length";
    case electric_field:
      return "an electric field";
    case inverse_length:
      return "an inverse length";
    case energy_length:
      return "an energy times length";
    case energy_length_6:
      return "an energy times length^6";
    case energy_length_8:
      return "an energy times length^8";
    case energy_per_length_3:
      return "an energy per length^3";
    case energy_per_length_4:
      return "an energy per length^4";
    case energy_rate:
      return "an energy per time";
  }
  return "a number";
}

std::optional<UnitSystem> UnitSystem::by_name(std::string_view name) {
  if (name == "lj") name = "reduced";
  for (const Definition& definition : definitions()) {
    if (definition.name == name) return UnitSystem(&definition);
  }
  return std::nullopt;
}

std::span<const std::string_view> UnitSystem::names() {
  static const std::array<std::string_view, 4> all{"reduced", "nano", "metal", "real"};
  return all;
}

std::string_view UnitSystem::name() const {
  return definition_->name;
}
bool UnitSystem::is_reduced() const {
  return definition_->name == "reduced";
}
double UnitSystem::boltzmann() const {
  return is_reduced() ? 1.0 : unit::kelvin;
}
double UnitSystem::coulomb() const {
  return is_reduced() ? 1.0 : unit::coulomb;
}

double UnitSystem::to_internal(double value, Dimension dimension) const {
  return value * definition_->factor[index(dimension)];
}

double UnitSystem::from_internal(double value, Dimension dimension) const {
  return value / definition_->factor[index(dimension)];
}

std::string_view UnitSystem::label(Dimension dimension) const {
  return definition_->unit[index(dimension)];
}

std::string UnitSystem::text(double internal_value, Dimension dimension) const {
  const std::string number = fmt::format("{:.4g}", from_internal(internal_value, dimension));
  const std::string_view unit = label(dimension);
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

std::span<const std::string_view> UnitSystem::unit_names(Dimension dimension) {
  static const auto names = [] {
    std::array<std::vector<std::string_view>, dimensions> all;
    for (const Unit& unit : units) {
      if (!unit.alias) all[index(unit.dimension)].push_back(unit.name);
    }
    return all;
  }();
  return names[index(dimension)];
}

UnitSystem::Quantity UnitSystem::parse(std::string_view text, Dimension dimension) const {
  const auto refuse = [](std::string why) { return Quantity{0.0, std::move(why)}; };
  if (dimension == none) {
    return refuse(fmt::format("{} is a text; expected a plain number", quote(text)));
  }
  std::string_view rest = trimmed(text);
  const bool plus = rest.starts_with('+');
  if (plus) rest.remove_prefix(1);
  double number = 0.0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (problem == std::errc::result_out_of_range) {
    return refuse(fmt::format("the number in {} is too large or too small", quote(text)));
  }
  if (problem != std::errc{} || !std::isfinite(number) || (plus && rest.starts_with('-'))) {
    return refuse(fmt::format(
        "{} does not begin with a number; expected {}", quote(text),
        is_reduced()
            ? "a plain number"
            : fmt::format("{} such as \"1.5 {}\"", dimension_noun(dimension), label(dimension))));
  }
  rest = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (is_reduced()) {
    return refuse(fmt::format(
        "{} {}; expected a plain number in reduced units (units = \"nano\", \"metal\" or \"real\" "
        "would allow units)",
        quote(text), rest.empty() ? "is a text" : "has a unit"));
  }
  if (rest.empty()) {
    return refuse(fmt::format("{} has no unit; expected {}: {}", quote(text),
                              dimension_noun(dimension), list_of_units(dimension)));
  }
  std::string name;  // without blanks: "kcal / mol" becomes "kcal/mol"
  for (const char c : rest) {
    if (!is_blank(c)) name += c;
  }
  if (const Unit* unit = find_unit(name, dimension)) return Quantity{number * unit->factor, {}};
  for (const Unit& unit : units) {
    if (is_spelled(name, unit.name)) {
      return refuse(fmt::format("{} is {}; expected {}: {}", quote(text),
                                dimension_noun(unit.dimension), dimension_noun(dimension),
                                list_of_units(dimension)));
    }
  }
  return refuse(why_unknown(text, rest, dimension));
}

}  // namespace sterna::md
