#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "md/core/display_text.hpp"
#include "md/core/units.hpp"

using namespace sterna::md;

namespace {

double parsed(std::string_view text, Dimension dimension) {
  const auto quantity = UnitSystem::by_name("nano")->parse(text, dimension);
  INFO(text, ": ", quantity.error);
  REQUIRE(quantity.error.empty());
  return quantity.value;
}

std::string refused(std::string_view text, Dimension dimension, std::string_view system = "nano") {
  const auto quantity = UnitSystem::by_name(system)->parse(text, dimension);
  CHECK_FALSE(quantity.error.empty());
  return quantity.error;
}

doctest::Approx near(double value) {
  return doctest::Approx(value).epsilon(1e-13);
}

}  // namespace

TEST_CASE("constants are those of CODATA 2018") {
  const auto nano = *UnitSystem::by_name("nano");
  CHECK(nano.boltzmann() == near(0.00831446261815324));
  CHECK(parsed("1 eV", Dimension::energy) == doctest::Approx(96.48533212331).epsilon(1e-12));
  CHECK(parsed("1 hartree", Dimension::energy) == doctest::Approx(2625.4996394799).epsilon(1e-12));
  CHECK(parsed("1 bohr", Dimension::length) == near(0.0529177210903));
  CHECK(parsed("1 kcal/mol", Dimension::energy) == near(4.184));
  CHECK(parsed("119.8 K", Dimension::energy) == near(119.8 * nano.boltzmann()));
  CHECK(parsed("1 bar", Dimension::pressure) == near(0.0602214076));
  CHECK(parsed("1 atm", Dimension::pressure) == near(0.0602214076 * 1.01325));
  CHECK(parsed("1 kJ/mol/nm", Dimension::force) == 1.0);
  CHECK(parsed("1 pN", Dimension::force) == near(0.602214076));
  CHECK(parsed("1 mol/l", Dimension::number_density) == near(0.602214076));
  CHECK(parsed("1 g/cm^3", Dimension::mass_density) == near(602.214076));
  CHECK(parsed("1 g/cm3", Dimension::mass_density) == near(602.214076));
  CHECK(parsed("1 g/cm**3", Dimension::mass_density) == near(602.214076));
  CHECK(parsed("1 nm-3", Dimension::number_density) == near(1.0));
  refused("1 g/cm33", Dimension::mass_density);
  refused("1 g/cm", Dimension::mass_density);
  CHECK(parsed("1 m/s", Dimension::velocity) == near(1e-3));
  CHECK(parsed("1.602176634e-19 C", Dimension::charge) == near(1.0));
  CHECK(parsed("1 D", Dimension::dipole_moment) == doctest::Approx(0.020819434).epsilon(1e-7));
  CHECK(parsed("1 D*angstrom", Dimension::quadrupole_moment) ==
        near(0.1 * parsed("1 D", Dimension::dipole_moment)));
  CHECK(parsed("1 e*bohr", Dimension::dipole_moment) ==
        doctest::Approx(2.541746 * parsed("1 D", Dimension::dipole_moment)).epsilon(1e-6));
  CHECK(parsed("1 u*angstrom^2", Dimension::moment_of_inertia) == near(0.01));
  CHECK(nano.coulomb() == doctest::Approx(138.935458).epsilon(1e-8));
  // Two elementary charges one bohr apart have one hartree.
  CHECK(nano.coulomb() / parsed("1 bohr", Dimension::length) ==
        doctest::Approx(parsed("1 hartree", Dimension::energy)).epsilon(1e-9));
  CHECK(UnitSystem::by_name("reduced")->coulomb() == 1.0);
}

TEST_CASE("every system but the reduced one has a unit for every dimension") {
  for (const std::string_view system : {"nano", "metal", "real"}) {
    for (int d = 1; d <= static_cast<int>(Dimension::electric_field); ++d) {
      INFO(system, " ", d);
      const auto label = UnitSystem::by_name(system)->label(static_cast<Dimension>(d));
      REQUIRE_FALSE(label.empty());
      CHECK(parsed(fmt::format("1 {}", label), static_cast<Dimension>(d)) ==
            near(UnitSystem::by_name(system)->to_internal(1.0, static_cast<Dimension>(d))));
    }
  }
}

TEST_CASE("the internal set needs no factor in an equation of motion") {
  // A particle of 2 u at 3 nm/ps has 9 kJ/mol; the same in SI.
  const double mass = parsed("2 u", Dimension::mass),
               speed = parsed("3 nm/ps", Dimension::velocity);
  const double joule = parsed("1 J", Dimension::energy), kg = parsed("1 kg", Dimension::mass);
  const double meter = parsed("1 m", Dimension::length), second = parsed("1 s", Dimension::time);
  CHECK(0.5 * mass * speed * speed == near(9.0));
  CHECK(joule == near(kg * meter * meter / (second * second)));
  CHECK(parsed("1 Pa", Dimension::pressure) == near(joule / (meter * meter * meter)));
}

TEST_CASE("plain numbers mean what the unit system says") {
  const auto metal = *UnitSystem::by_name("metal"), real = *UnitSystem::by_name("real");
  CHECK(metal.to_internal(3.405, Dimension::length) == near(0.3405));
  CHECK(metal.to_internal(0.002, Dimension::time) == near(0.002));
  CHECK(real.to_internal(2.0, Dimension::time) == near(0.002));
  CHECK(real.to_internal(0.2381, Dimension::energy) == near(0.2381 * 4.184));
  CHECK(real.to_internal(1.0, Dimension::number_density) == near(1e3));
  CHECK(metal.label(Dimension::force) == "eV/angstrom");
  CHECK(real.label(Dimension::pressure) == "atm");
  CHECK(UnitSystem::by_name("reduced")->label(Dimension::length).empty());
  CHECK(real.text(0.002, Dimension::time) == "2 fs");
  CHECK(UnitSystem::by_name("reduced")->text(0.002, Dimension::time) == "0.002");
  for (const std::string_view name : UnitSystem::names()) {
    const auto system = *UnitSystem::by_name(name);
    CHECK(system.name() == name);
    for (int d = 0; d <= static_cast<int>(Dimension::mass_density); ++d) {
      const auto dimension = static_cast<Dimension>(d);
      CHECK(system.from_internal(system.to_internal(1.7, dimension), dimension) == near(1.7));
    }
  }
}

TEST_CASE("reduced units: everything is 1, and texts are refused") {
  const auto reduced = *UnitSystem::by_name("lj");
  CHECK(reduced.name() == "reduced");
  CHECK(reduced.is_reduced());
  CHECK(reduced.boltzmann() == 1.0);
  CHECK(reduced.to_internal(2.5, Dimension::pressure) == 2.5);
  CHECK(refused("2 fs", Dimension::time, "reduced") ==
        "\"2 fs\" has a unit; expected a plain number in reduced units (units = \"nano\", "
        "\"metal\" or \"real\" would allow units)");
  CHECK_FALSE(UnitSystem::by_name("si").has_value());
}

TEST_CASE("texts with a unit: spellings") {
  for (const char* text : {"0.2 nm", " 0.2nm ", "2 angstrom", "2 A", "2 \u00c5", "200 pm",
                           "+0.2 nm", "2e-1 nm", "2.0E-4 um", ".2 nm", "0.2\tnm"}) {
    CHECK(parsed(text, Dimension::length) == near(0.2));
  }
  CHECK(parsed("1 kcal / mol", Dimension::energy) == near(4.184));
  CHECK(parsed("2 \u00b5s", Dimension::time) == near(2e6));
}

TEST_CASE("texts that are no quantity say why") {
  CHECK(refused("2 angstrom", Dimension::time) ==
        "\"2 angstrom\" is a length; expected a time: fs, ps, ns, us or s");
  CHECK(
      refused("2 fss", Dimension::time) ==
      "\"2 fss\" has the unknown unit \"fss\"; expected a time: fs, ps, ns, us or s; did you mean "
      "\"fs\"?");
  CHECK(refused("0.2", Dimension::length) ==
        "\"0.2\" has no unit; expected a length: nm, angstrom, pm, um or bohr");
  CHECK(refused("two nm", Dimension::length) ==
        "\"two nm\" does not begin with a number; expected a length such as \"1.5 nm\"");
  CHECK(refused("1,5 nm", Dimension::length).ends_with("; the decimal separator is a point"));
  CHECK(refused("1e999 nm", Dimension::length) ==
        "the number in \"1e999 nm\" is too large or too small");
  for (const char* text : {"", " ", "nan nm", "inf nm", "-inf nm", "+-1 nm", "--1 nm", "nm",
                           "1 n m m", "1 mpa", "0x1 nm", "\x01", "\xff nm"}) {
    refused(text, Dimension::length);
  }
  refused("1 MPa", Dimension::energy);
  refused("1 mpa", Dimension::pressure);
  refused("1.4 g/cm^3", Dimension::number_density);
  CHECK(refused(std::string(5000, 'x'), Dimension::length).size() < 300);
}

TEST_CASE("every unit that is offered is taken") {
  for (int d = 1; d <= static_cast<int>(Dimension::mass_density); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    CHECK_FALSE(UnitSystem::unit_names(dimension).empty());
    for (const std::string_view unit : UnitSystem::unit_names(dimension)) {
      CHECK(parsed("1.5 " + std::string(unit), dimension) > 0.0);
    }
  }
}

TEST_CASE("texts from outside are shown without harm") {
  CHECK(quote("Ar") == "\"Ar\"");
  CHECK(quote("a\x1b[31mb\tc") == "\"a\\x1b[31mb\\tc\"");
  CHECK(quote("\xc3\x84\xff") == "\"\u00c4\\xff\"");
  CHECK(quote("\u202e") == "\"\\u202e\"");
  CHECK(quote(std::string(100, 'x')) == "\"" + std::string(60, 'x') + "...\"");
  // Names of files keep their end.
  const std::string folder = "/" + std::string(300, 'x') + "/";
  CHECK(quote_path(folder + "a\x1b b.data") == "\"" + folder + "a\\x1b b.data\"");
  const auto wide = display_characters("a\u65e5\u0301\t");
  REQUIRE(wide.size() == 4);
  CHECK(wide[0].width == 1);
  CHECK(wide[1].width == 2);
  CHECK(wide[2].width == 0);
  CHECK(wide[3].width == -1);
}
