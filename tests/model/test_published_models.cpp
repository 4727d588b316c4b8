// Quantities that the publications, or others about these models, give beside the parameters.

#include "md/model/library/published_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "md/core/unit_constants.hpp"

using namespace sterna::md;

namespace {

using Kind = PublishedSite::Kind;

const PublishedModel& model(std::string_view name) {
  const PublishedModel* found = find_published_model(name);
  REQUIRE(static_cast<bool>(found != nullptr));
  return *found;
}

double charge_of(const PublishedModel& m) {
  double charge = 0.0;
  for (const auto& site : m.sites) charge += site.charge;
  return charge;
}

/// In debye.
double dipole_of(const PublishedModel& m) {
  Vec3 dipole;
  for (const auto& site : m.sites) {
    dipole += site.charge * site.position;
    if (site.kind == Kind::dipole) dipole += site.moment * site.axis;
  }
  return std::sqrt(dot(dipole, dipole)) / unit::debye;
}

/// Of a linear molecule along z, in debye angstrom: sum of q z^2 and the point quadrupoles.
double quadrupole_of(const PublishedModel& m) {
  double quadrupole = 0.0;
  for (const auto& site : m.sites) {
    quadrupole += site.charge * site.position.z * site.position.z;
    if (site.kind == Kind::quadrupole) quadrupole += site.moment;
  }
  return quadrupole / (unit::debye * unit::angstrom);
}

/// Distance of two sites in angstrom.
double distance(const PublishedModel& m, std::size_t a, std::size_t b) {
  const Vec3 r = m.sites[a].position - m.sites[b].position;
  return std::sqrt(dot(r, r)) / unit::angstrom;
}

const PublishedSite& lennard_jones(const PublishedModel& m) {
  return *std::ranges::find(m.sites, Kind::lennard_jones, &PublishedSite::kind);
}

doctest::Approx within(double value, double error) {
  return doctest::Approx(value).epsilon(error / std::abs(value));
}

}  // namespace

TEST_CASE("the library is complete and consistent") {
  std::set<std::string_view> names;
  for (const PublishedModel& m : published_models()) {
    INFO(m.name);
    CHECK(names.insert(m.name).second);
    CHECK(std::abs(charge_of(m)) < 1e-12);
    CHECK(m.mass() > 0.0);
    CHECK(m.critical_temperature > 0.0);
    CHECK(m.critical_density > 0.0);
    CHECK(m.citation.year > 1900);
    CHECK_FALSE(m.description.empty());
    CHECK(std::ranges::any_of(m.sites, [](const PublishedSite& s) { return s.epsilon > 0.0; }));
    Vec3 center;
    for (const PublishedSite& site : m.sites) {
      CHECK((site.kind != Kind::lennard_jones || site.sigma > 0.0));
      CHECK(dot(site.axis, site.axis) == doctest::Approx(1.0));
      center += site.mass * site.position;
    }
    // Water has its oxygen atom at the origin; all others their center of mass.
    if (m.substance != "water") CHECK(std::sqrt(dot(center, center)) / m.mass() < 1e-4);
  }
  CHECK(find_published_model("unobtainium") == nullptr);
}

TEST_CASE("water: dipole moments in debye") {
  // SPC 2.274, SPC/E 2.351: Berendsen 1987; TIP3P 2.347, TIP4P 2.177, TIP4P/2005 2.305: Vega and
  // Abascal, Phys. Chem. Chem. Phys. 13, 19663 (2011), table 1.
  CHECK(dipole_of(model("spc")) == within(2.274, 6e-4));
  CHECK(dipole_of(model("spce")) == within(2.351, 6e-4));
  CHECK(dipole_of(model("tip3p")) == within(2.347, 6e-4));
  CHECK(dipole_of(model("tip4p")) == within(2.177, 6e-4));
  CHECK(dipole_of(model("tip4p_2005")) == within(2.305, 6e-4));
}

TEST_CASE("water: geometry and Lennard-Jones parameters as other programs have them") {
  for (const std::string_view name : {"spc", "spce"}) {
    CHECK(distance(model(name), 0, 2) == doctest::Approx(1.0));
    CHECK(distance(model(name), 2, 3) == within(1.63298, 1e-4));
    // As NIST gives SPC/E: sigma 3.16555789 angstrom, epsilon 0.650169581 kJ/mol.
    CHECK(lennard_jones(model(name)).sigma == within(0.316555789, 1e-9));
    CHECK(lennard_jones(model(name)).epsilon == within(0.650169581, 1e-9));
  }
  for (const std::string_view name : {"tip3p", "tip4p", "tip4p_2005"}) {
    CHECK(distance(model(name), 0, 2) == doctest::Approx(0.9572));
    CHECK(distance(model(name), 2, 3) == within(1.51390, 1e-4));
  }
  // 3.15061 angstrom and 0.1521 kcal/mol; 3.15365 angstrom and 0.1550 kcal/mol.
  CHECK(lennard_jones(model("tip3p")).sigma == within(0.315061, 1e-5));
  CHECK(lennard_jones(model("tip3p")).epsilon == within(0.1521 * 4.184, 4e-4));
  CHECK(lennard_jones(model("tip4p")).sigma == within(0.315365, 1e-5));
  CHECK(lennard_jones(model("tip4p")).epsilon == within(0.1550 * 4.184, 4e-4));
  CHECK(distance(model("tip4p_2005"), 0, 1) == doctest::Approx(0.1546));
  CHECK(model("tip4p_2005").mass() == within(18.015, 1e-9));
}

TEST_CASE("carbon dioxide and nitrogen: quadrupole moments in debye angstrom") {
  CHECK(quadrupole_of(model("carbon_dioxide_merker")) == doctest::Approx(4.0739));
  // Of charges: 2 q d^2 with 1 e angstrom = 4.80320 D. Both lie near the measured -4.3 and -1.4.
  CHECK(quadrupole_of(model("carbon_dioxide_trappe")) ==
        within(-2.0 * 0.35 * 1.16 * 1.16 * 4.803205, 1e-5));
  CHECK(quadrupole_of(model("nitrogen_trappe")) ==
        within(-2.0 * 0.482 * 0.55 * 0.55 * 4.803205, 1e-5));
  CHECK(distance(model("nitrogen_trappe"), 0, 1) == doctest::Approx(1.10));
  CHECK(distance(model("carbon_dioxide_trappe"), 0, 1) == doctest::Approx(1.16));
  CHECK(distance(model("carbon_dioxide_merker"), 1, 2) == doctest::Approx(2.0 * 1.2869));
}

TEST_CASE("models of Vrabec, Stoll and Hasse as their authors' database has them") {
  // MolMod: Stephan, Horsch, Vrabec and Hasse, Mol. Simul. 45, 806 (2019). Angstrom, K, D angstrom.
  struct Entry {
    const char* name;
    double sigma, epsilon;
    double half_elongation = 0.0, quadrupole = 0.0;
  };
  const Entry entries[] = {{"neon", 2.8010, 33.921},
                           {"argon", 3.3952, 116.79},
                           {"krypton", 3.6274, 162.58},
                           {"xenon", 3.9011, 227.55},
                           {"methane", 3.7281, 148.55},
                           {"nitrogen_2cljq", 3.3211, 34.897, 0.5232, 1.4397},
                           {"oxygen_2cljq", 3.1062, 43.183, 0.48495, 0.8081},
                           {"carbon_dioxide_2cljq", 2.9847, 133.22, 1.2088, 3.7938},
                           {"ethane_2cljq", 3.4896, 136.99, 1.1881, 0.8277},
                           {"ethylene_2cljq", 3.7607, 76.950, 0.63475, 4.3310}};
  for (const Entry& entry : entries) {
    INFO(entry.name);
    const PublishedModel& m = model(entry.name);
    CHECK(lennard_jones(m).sigma == doctest::Approx(entry.sigma * unit::angstrom));
    CHECK(lennard_jones(m).epsilon == doctest::Approx(entry.epsilon * unit::kelvin));
    if (entry.half_elongation == 0.0) {
      CHECK(m.sites.size() == 1);
      continue;
    }
    REQUIRE(m.sites.size() == 3);
    CHECK(m.sites[0].sigma == m.sites[1].sigma);
    CHECK(m.sites[0].epsilon == m.sites[1].epsilon);
    CHECK(distance(m, 0, 1) == doctest::Approx(2.0 * entry.half_elongation));
    CHECK(quadrupole_of(m) == doctest::Approx(entry.quadrupole));
  }
}

TEST_CASE("two centers and a quadrupole") {
  // Stoll, Vrabec, Hasse and Fischer (2001) find the critical temperature, reduced by epsilon/k, to
  // fall with the elongation and to rise with the quadrupole; fluids of one shape have one of it.
  const auto reduced = [](const PublishedModel& m) {
    return m.critical_temperature * unit::kelvin / lennard_jones(m).epsilon;
  };
  const auto shape = [](const PublishedModel& m) {
    return distance(m, 0, 1) * unit::angstrom / lennard_jones(m).sigma;
  };
  const PublishedModel &nitrogen = model("nitrogen_2cljq"), &oxygen = model("oxygen_2cljq"),
                       &ethane = model("ethane_2cljq"),
                       &carbon_dioxide = model("carbon_dioxide_2cljq");
  CHECK(std::abs(shape(nitrogen) - shape(oxygen)) < 0.01);
  CHECK(std::abs(reduced(nitrogen) / reduced(oxygen) - 1.0) < 0.02);
  CHECK(shape(ethane) > 2.0 * shape(nitrogen));
  CHECK(reduced(ethane) < reduced(nitrogen));
  CHECK(shape(carbon_dioxide) > shape(ethane));
  CHECK(quadrupole_of(nitrogen) == doctest::Approx(1.4397));
  CHECK(quadrupole_of(model("ethylene_2cljq")) == doctest::Approx(4.3310));
  CHECK(distance(model("ethylene_2cljq"), 0, 1) == doctest::Approx(1.2695));
}

TEST_CASE("ls1-MarDyn's examples have the same argon, carbon dioxide and ethylene oxide") {
  // Its lengths are in bohr and its energies in hartree, of older constants: six digits agree.
  const double length = 0.0529177210903, energy = 2625.49964;
  CHECK(lennard_jones(model("argon")).sigma == doctest::Approx(6.4160007 * length).epsilon(1e-6));
  CHECK(lennard_jones(model("argon")).epsilon ==
        doctest::Approx(0.000369852537 * energy).epsilon(1e-5));
  const PublishedModel& oxide = model("ethylene_oxide");
  CHECK(oxide.sites[0].sigma == doctest::Approx(5.84473626 * length).epsilon(1e-5));
  CHECK(oxide.sites[0].epsilon == doctest::Approx(0.000196741979 * energy).epsilon(1e-5));
  CHECK(oxide.sites[0].position.y == doctest::Approx(1.46711523 * length).epsilon(1e-5));
  CHECK(oxide.sites[1].sigma == doctest::Approx(6.66431081 * length).epsilon(1e-5));
  CHECK(oxide.sites[1].epsilon == doctest::Approx(0.000268352891 * energy).epsilon(1e-5));
  CHECK(oxide.sites[1].position.x == doctest::Approx(1.47398696 * length).epsilon(1e-5));
  CHECK(dipole_of(oxide) == doctest::Approx(0.967443691 * length / unit::debye).epsilon(1e-5));
  const PublishedModel& merker = model("carbon_dioxide_merker");
  CHECK(merker.sites[0].epsilon == doctest::Approx(3.91811245e-05 * energy).epsilon(1e-5));
  CHECK(merker.sites[1].sigma == doctest::Approx(5.62288233 * length).epsilon(1e-5));
  CHECK(merker.sites[1].position.z == doctest::Approx(2.43188952 * length).epsilon(1e-5));
}

TEST_CASE("citations") {
  CHECK(model("spce").citation.text() ==
        "H. J. C. Berendsen, J. R. Grigera and T. P. Straatsma, J. Phys. Chem. 91, 6269 (1987), "
        "doi:10.1021/j100308a038");
  CHECK(
      model("spc").citation.text() ==
      "H. J. C. Berendsen, J. P. M. Postma, W. F. van Gunsteren and J. Hermans, in Intermolecular "
      "Forces (Reidel, Dordrecht, 1981), p. 331, doi:10.1007/978-94-015-7658-1_21");
  CHECK(model("ethylene_oxide").citation.bibtex() ==
        "@article{Eckl2008,\n"
        "  author = {B. Eckl and J. Vrabec and H. Hasse},\n"
        "  title = {On the application of force fields for predicting a wide variety of "
        "properties: Ethylene oxide as an example},\n"
        "  journal = {Fluid Phase Equilib.},\n"
        "  volume = {274},\n"
        "  pages = {16--26},\n"
        "  year = {2008},\n"
        "}\n");
  CHECK(model("spc").citation.bibtex().starts_with("@incollection{Berendsen1981,\n"));
}
