#include "md/observe/dielectric.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/check_alchemical.hpp"
#include "md/observe/observer_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

Dielectric::Dielectric(const comm::Context& context, std::int64_t interval,
                       std::vector<Vec3> dipoles, std::optional<double> around,
                       const UnitSystem& units, std::unique_ptr<WholeMolecules> flexible)
    : Observer("dielectric", interval),
      context_(context),
      dipoles_(std::move(dipoles)),
      around_(around),
      units_(units),
      flexible_(std::move(flexible)) {}

Dielectric::Moments Dielectric::rigid_moments(const ParticleStore& particles) const {
  Moments moments;
  if (dipoles_.empty()) return moments;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Vec3& dipole = dipoles_[static_cast<std::size_t>(particles.position[i].type)];
    moments.independent += dot(dipole, dipole);
    moments.all += particles.rotating() ? particles.orientation[i].to_lab(dipole) : dipole;
  }
  return moments;
}

Dielectric::Moments Dielectric::flexible_moments(const Frame& frame) {
  Moments moments;
  for (const WholeMolecules::Molecule& molecule : flexible_->gather(frame)) {
    const auto& atoms = flexible_->topology().molecules()[molecule.kind].atoms;
    Vec3 charged, massive;
    double charge = 0.0, mass = 0.0;
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      const Vec3 place = molecule.positions[k] - molecule.positions[0];
      const double of_atom = frame.masses[static_cast<std::size_t>(atoms[k].type)];
      charged += atoms[k].charge * place;
      charge += atoms[k].charge;
      massive += of_atom * place;
      mass += of_atom;
    }
    // The dipole moment is taken about the center of mass, because the moment of a charged molecule
    // depends on the origin.
    const Vec3 dipole = charged - (charge / mass) * massive;
    moments.all += dipole;
    moments.independent += dot(dipole, dipole);
  }
  return moments;
}

void Dielectric::sample(const Frame& frame) {
  // An atom has no moment of its own, and so counts for nothing among the rigid molecules.
  auto [moment, independent] = rigid_moments(frame.particles);
  if (flexible_ != nullptr) {
    const Moments of_flexible = flexible_moments(frame);
    moment += of_flexible.all;
    independent += of_flexible.independent;
  }
  comm::ReductionBatch batch(context_, "dipole moment");
  batch.sum(moment.x).sum(moment.y).sum(moment.z).sum(independent).run();
  const double values[] = {dot(moment, moment),
                           frame.box.volume(),
                           frame.state.temperature,
                           independent,
                           moment.x,
                           moment.y,
                           moment.z};
  series_.add(frame.step, values);
}

double Dielectric::fluctuation(double mean_square) const {
  const std::size_t first = series_.batch_from(reported_from());
  const double volume = series_.mean_from(first, 1);
  const double thermal = units_.boltzmann() * series_.mean_from(first, 2);
  return 4.0 * std::numbers::pi * mean_square / (9.0 * volume * thermal);
}

double Dielectric::permittivity(double mean_square) const {
  const double y = fluctuation(mean_square), around = *around_;
  const double denominator = 2.0 + (1.0 - 3.0 * y) / around;
  if (!(denominator > 0.0)) return std::numeric_limits<double>::infinity();
  return (2.0 + 1.0 / around + 6.0 * y) / denominator;
}

ObserverReport Dielectric::report(std::span<const double>) const {
  ObserverReport report;
  report.text = fmt::format("# {} samples\n", series_.count_from(reported_from()));
  if (series_.count() == 0) return report;
  const std::size_t first = series_.batch_from(reported_from());
  const SettledMean square = series_.average(0, reported_from());
  const double mean = square.mean, error = square.standard_error;
  report.averages.push_back({"dipole_fluctuation", fluctuation(mean), fluctuation(error), ""});
  if (const double independent = series_.mean_from(first, 3); independent > 0.0) {
    report.averages.push_back({"kirkwood_factor", mean / independent, error / independent, ""});
  }
  if (around_) {
    const double value = permittivity(mean);
    const double slope = permittivity(mean + error) - value;
    report.averages.push_back({"permittivity", value, slope, ""});
  }
  const Vec3 moment{series_.mean_from(first, 4), series_.mean_from(first, 5),
                    series_.mean_from(first, 6)};
  const double drift = std::sqrt(dot(moment, moment)) / std::sqrt(mean);
  report.text += "# quantity mean standard_error\n";
  for (const auto& average : report.averages) {
    report.text +=
        fmt::format("{} {:.10g} {:.3g}\n", average.name, average.mean, average.standard_error);
  }
  // The ratio is far below 1 if the run was long enough for the moment to lose its direction.
  if (mean > 0.0) report.text += fmt::format("# mean moment over its fluctuation {:.3g}\n", drift);
  return report;
}

namespace {

/// The permittivity around the molecules; nothing if none is defined, so that fluctuations give no
/// permittivity.
std::optional<double> permittivity_around(const Input& input) {
  if (input.electrostatics.is_used()) {
    // A medium that screens the dipoles from each other changes the relation of fluctuations and
    // permittivity.
    if (input.electrostatics.permittivity != 1.0) return std::nullopt;
    if (input.electrostatics.at_cutoff() == CutoffCharge::reaction_field) {
      const double around = input.electrostatics.reaction_field_permittivity;
      return around > 0.0 ? around : std::numeric_limits<double>::infinity();
    }
    if (input.electrostatics.ends_at_cutoff()) return std::nullopt;
    if (input.electrostatics.surroundings == ElectrostaticsSurroundings::conductor) {
      return std::numeric_limits<double>::infinity();
    }
    if (input.electrostatics.surroundings == ElectrostaticsSurroundings::vacuum) return 1.0;
    return std::nullopt;
  }
  if (input.interaction.electrostatics == CutoffElectrostatics::reaction_field) {
    return input.interaction.reaction_field_epsilon;
  }
  return std::nullopt;
}

std::unique_ptr<Observer> make_dielectric(const ObserverRequest& request) {
  const Input& input = request.input;
  std::vector<Vec3> dipoles;
  for (const Component& component : request.molecules.components) {
    dipoles.push_back(dipole_of(component));
  }
  std::unique_ptr<WholeMolecules> flexible;
  if (!input.molecules.empty()) {
    flexible = std::make_unique<WholeMolecules>(request.context, request.topology,
                                                groups_of_molecules(input, request.topology),
                                                "dielectric");
  }
  return std::make_unique<Dielectric>(request.context, interval_of<DielectricOptions>(input),
                                      std::move(dipoles), permittivity_around(input), input.units,
                                      std::move(flexible));
}

void check_dielectric(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("dielectric.interval") || interval_of<DielectricOptions>(input) == 0) return;
  // The topology has the charges of flexible molecules in the state of the run.
  if (has_alchemical_components(input)) {
    check_alchemical_are_whole(input, report, "dielectric.interval",
                               "[dielectric] computes dipole moments", true);
  }
  if (!input.components.empty() || !input.molecules.empty()) return;
  report(Severity::error, "dielectric",
         "[dielectric] observes the dipoles of [[component]]s and [[molecule]]s; particles of "
         "[[type]]s have none");
}

}  // namespace

ObserverRow observer::dielectric() {
  return {.schema = {.name = "dielectric",
                     .description =
                         "Of molecules: the fluctuations of the dipole moment of all, and the "
                         "relative permittivity, with a reaction field or charges at any distance "
                         "in periodic boxes.",
                     .aliases = {"permittivity", "polarization", "dipole_moment"}},
          .keys = {interval_key<DielectricOptions>()},
          .interval = interval_of<DielectricOptions>,
          .check = check_dielectric,
          .make = make_dielectric};
}

}  // namespace sterna::md
