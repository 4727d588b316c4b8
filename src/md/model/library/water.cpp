// Rigid planar models of water: one Lennard-Jones site at the oxygen atom, charges at the hydrogen
// atoms, and the negative charge at the oxygen atom or on the bisector of the angle.

#include <cmath>
#include <numbers>

#include "md/core/unit_constants.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {
namespace {

using Kind = PublishedSite::Kind;

/// Lengths in nm, energies in kJ/mol.
struct Geometry {
  double bond;                   ///< O-H
  double angle;                  ///< H-O-H in degrees
  double hydrogen_charge;        ///< e
  double charge_distance = 0.0;  ///< of the negative charge from the oxygen atom
};

struct LennardJonesParameters {
  double epsilon, sigma;
};

/// Epsilon and sigma from the coefficients of u = A / r^12 - C / r^6.
LennardJonesParameters from_coefficients(double a, double c) {
  return {c * c / (4.0 * a), std::pow(a / c, 1.0 / 6.0)};
}

std::vector<PublishedSite> sites(const Geometry& geometry, const LennardJonesParameters& lj) {
  const double half_angle = 0.5 * geometry.angle * std::numbers::pi / 180.0;
  const Vec3 hydrogen{geometry.bond * std::sin(half_angle), 0.0,
                      geometry.bond * std::cos(half_angle)};
  constexpr double oxygen_mass = 15.999, hydrogen_mass = 1.008;
  return {
      {.kind = Kind::lennard_jones, .mass = oxygen_mass, .epsilon = lj.epsilon, .sigma = lj.sigma},
      {.kind = Kind::charge,
       .position = {0.0, 0.0, geometry.charge_distance},
       .charge = -2.0 * geometry.hydrogen_charge},
      {.kind = Kind::charge,
       .position = hydrogen,
       .mass = hydrogen_mass,
       .charge = geometry.hydrogen_charge},
      {.kind = Kind::charge,
       .position = {-hydrogen.x, 0.0, hydrogen.z},
       .mass = hydrogen_mass,
       .charge = geometry.hydrogen_charge}};
}

PublishedModel water(std::string_view name, std::string_view description,
                     std::vector<PublishedSite> model_sites, const Citation& citation) {
  return {.name = name,
          .substance = "water",
          .description = description,
          .sites = std::move(model_sites),
          .citation = citation,
          .critical_temperature = 647.10,
          .critical_density = 17.87 * unit::mol_per_l};
}

/// The parameters of both models of Berendsen and others: A = (0.37122 nm)^6 kJ/mol and B = (0.3428
/// nm)^12 kJ/mol in u = B / r^12 - A / r^6.
LennardJonesParameters of_spc() {
  return from_coefficients(std::pow(0.3428, 12), std::pow(0.37122, 6));
}

constexpr double tetrahedral_angle = 109.47;

const Citation jorgensen_1983{
    .key = "Jorgensen1983",
    .authors =
        "W. L. Jorgensen and J. Chandrasekhar and J. D. Madura and R. W. Impey and M. L. "
        "Klein",
    .title = "Comparison of simple potential functions for simulating liquid water",
    .journal = "J. Chem. Phys.",
    .volume = "79",
    .pages = "926-935",
    .year = 1983,
    .doi = "10.1063/1.445869"};

/// Takes the coefficients as Jorgensen's paper has them: kcal/mol angstrom^12 and angstrom^6.
LennardJonesParameters of_jorgensen(double a, double c) {
  auto parameters = from_coefficients(a, c);
  return {parameters.epsilon * unit::kcal_per_mol, parameters.sigma * unit::angstrom};
}

}  // namespace

std::vector<PublishedModel> water_models() {
  constexpr double a = unit::angstrom;
  return {
      water("spc", "three sites, tetrahedral angle",
            sites({0.1, tetrahedral_angle, 0.41}, of_spc()),
            {.key = "Berendsen1981",
             .authors = "H. J. C. Berendsen and J. P. M. Postma and W. F. van Gunsteren and J. "
                        "Hermans",
             .title = "Interaction Models for Water in Relation to Protein Hydration",
             .pages = "331-342",
             .year = 1981,
             .doi = "10.1007/978-94-015-7658-1_21",
             .book_title = "Intermolecular Forces",
             .publisher = "Reidel, Dordrecht"}),
      water("spce", "SPC/E: three sites, SPC with a correction for polarization",
            sites({0.1, tetrahedral_angle, 0.4238}, of_spc()),
            {.key = "Berendsen1987",
             .authors = "H. J. C. Berendsen and J. R. Grigera and T. P. Straatsma",
             .title = "The missing term in effective pair potentials",
             .journal = "J. Phys. Chem.",
             .volume = "91",
             .pages = "6269-6271",
             .year = 1987,
             .doi = "10.1021/j100308a038"}),
      water("tip3p", "three sites at the atoms; no Lennard-Jones sites at hydrogen",
            sites({0.9572 * a, 104.52, 0.417}, of_jorgensen(582e3, 595.0)), jorgensen_1983),
      water("tip4p", "four sites: the negative charge lies 0.15 angstrom from the oxygen atom",
            sites({0.9572 * a, 104.52, 0.52, 0.15 * a}, of_jorgensen(600e3, 610.0)),
            jorgensen_1983),
      water("tip4p_2005", "TIP4P/2005: four sites, for the condensed phases",
            sites({0.9572 * a, 104.52, 0.5564, 0.1546 * a}, {93.2 * unit::kelvin, 3.1589 * a}),
            {.key = "Abascal2005",
             .authors = "J. L. F. Abascal and C. Vega",
             .title = "A general purpose model for the condensed phases of water: TIP4P/2005",
             .journal = "J. Chem. Phys.",
             .volume = "123",
             .pages = "234505",
             .year = 2005,
             .doi = "10.1063/1.2121687"}),
  };
}

}  // namespace sterna::md
