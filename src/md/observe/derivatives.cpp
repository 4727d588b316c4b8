// Idea:    the derivatives of the free energy by temperature and volume are means and covariances
//          of U, dU/dV and d2U/dV2 at constant volume and temperature. All second-order properties
//          follow from five of them.
// Source:  Lustig, Mol. Phys. 110, 3041 (2012).
// Cost:    a pass over all pairs of the list for d2U/dV2, with two forces of each; of rigid molecules
//          five energies of each pair of sites, in plain double precision.
// Hazards: heat capacities are as noisy as all fluctuations.
// Others:  [fluctuations] at constant pressure.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "md/core/gas_constant.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/forces/external/input/field_section.hpp"
#include "md/forces/external/input/restraint_section.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/forces/longrange/averaged_potential.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/input/check_ensemble.hpp"
#include "md/input/many_body_input.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/check_alchemical.hpp"
#include "md/observe/inserted_molecule.hpp"
#include "md/observe/jackknife.hpp"
#include "md/observe/observer_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct DerivativesOptions {
  std::int64_t interval = 0;
};

/// Heat capacities, compressibilities, thermal expansion, speed of sound and the Joule-Thomson
/// coefficient of atoms and rigid molecules at constant temperature and volume. Of molecules the
/// centers follow the volume, and orientations do not.
class Derivatives final : public Observer {
 public:
  explicit Derivatives(const ObserverRequest& request)
      : Observer("derivatives", interval_of<DerivativesOptions>(request.input)),
        context_(request.context),
        units_(request.input.units),
        corrected_(request.input.interaction.tail_correction == TailCorrection::homogeneous),
        counts_(request.type_counts.begin(), request.type_counts.end()) {
    const Input& input = request.input;
    for (const Input::Thermostat& thermostat : input.thermostats) {
      if (thermostat.is_used()) heat_ = units_.boltzmann() * thermostat.temperature;
    }
    if (!input.components.empty()) {
      add_molecules(request);
      return;
    }
    const std::vector<PairFunction> functions = pair_functions_from_input(input);
    const auto layers = added_layers_from_input(input);
    for (std::size_t k = 0; k < functions.size(); ++k) {
      std::vector<PairFunction>& of_pair = functions_.emplace_back();
      if (!functions[k].is_nothing()) of_pair.push_back(functions[k]);
      for (const auto& layer : layers) {
        if (!layer[k].is_nothing()) of_pair.push_back(layer[k]);
      }
      for (const PairFunction& function : of_pair) range_ = std::max(range_, function.cutoff());
    }
    for (std::size_t type = 0; type < counts_.size(); ++type) {
      atoms_ += static_cast<double>(counts_[type]);
      mass_ += static_cast<double>(counts_[type]) * mass_in_run(input, type);
    }
    mass_ /= atoms_;
  }

  void sample(const Frame& frame) override {
    const double size = frame.box.volume();
    double pairs = 0.0;
    const ParticleStore& particles = frame.particles;
    if (molecules_) {
      pairs = molecules_->second_by_scale(frame);
    } else {
      frame.list.for_each_neighbor(
          particles, range_, [&](std::uint32_t i, std::uint32_t j, double r_squared) {
            // A pair comes twice.
            pairs += 0.5 * second(static_cast<std::size_t>(particles.position[i].type),
                                  static_cast<std::size_t>(particles.position[j].type),
                                  std::sqrt(r_squared));
          });
    }
    comm::ReductionBatch batch(context_, name());
    batch.sum(pairs).run();
    if (molecules_) pairs += 2.0 * frame.state.virial;
    if (corrected_) pairs += beyond(size, frame.tail_virial);
    const double slope = -(frame.state.virial + frame.tail_virial) / (3.0 * size);
    const Values now{frame.state.potential_energy, slope, pairs / (9.0 * size * size), size};
    if (series_.count() == 0) first_ = now;
    // Beside the first ones, so that squares lose no digits.
    const double u = now.energy - first_.energy, v = now.slope - first_.slope;
    series_.add(frame.step, std::array{1.0, u, v, u * u, v * v, u * v, now.curvature});
  }

  std::vector<double> common() const override {
    std::vector<double> all{first_.energy, first_.slope, first_.curvature, first_.volume};
    const std::vector<double> series = series_.state();
    all.insert(all.end(), series.begin(), series.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    if (values.size() < 4) return;
    first_ = {values[0], values[1], values[2], values[3]};
    series_.set_state(values.subspan(4));
  }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text = fmt::format(
        "# {} samples of {:.0f} {}\n# heat capacities are those of a mole of them\n"
        "# A_mn: residual derivatives of F/(N k T), Lustig, Mol. Phys. 110, 3041 (2012)\n"
        "# quantity mean standard_error\n",
        series_.count_from(reported_from()), atoms_, molecules_ ? "molecules" : "atoms");
    const std::size_t first = series_.batch_from(reported_from());
    if (series_.batch_count() < first + 2) return report;
    std::vector<double> means, sums(series_.batch_count() * quantities);
    for (std::size_t q = 0; q < quantities; ++q) {
      means.push_back(series_.mean_from(first, q));
      const std::vector<double> of_batches = series_.means(q);
      for (std::size_t b = 0; b < of_batches.size(); ++b) sums[b * quantities + q] = of_batches[b];
    }
    const std::vector<Result> results = results_from(means);
    const Jackknife found = jackknife(sums, quantities, first, series_.batch_count(),
                                      [&](const std::vector<double>& part) {
                                        std::vector<double> values;
                                        for (const Result& result : results_from(part)) {
                                          values.push_back(result.value);
                                        }
                                        return values;
                                      });
    for (std::size_t k = 0; k < results.size(); ++k) {
      report.text +=
          fmt::format("{} {:.10g} {:.3g}\n", results[k].name, results[k].value, found.errors[k]);
      report.averages.push_back(
          {results[k].name, results[k].value, found.errors[k], results[k].unit});
    }
    return report;
  }

 private:
  enum Quantity : std::size_t { one, mean_u, mean_v, mean_uu, mean_vv, mean_uv, mean_w };
  static constexpr std::size_t quantities = 7;
  struct Values {
    double energy = 0.0, slope = 0.0, curvature = 0.0, volume = 0.0;  ///< U, dU/dV, d2U/dV2, V
  };
  struct Result {
    std::string name;
    double value;
    std::string_view unit;
  };

  void add_molecules(const ObserverRequest& request) {
    const MoleculeModel model = molecule_model_from_input(request.input);
    molecules_.emplace(context_, request.input, request.topology, std::span<const std::size_t>{},
                       std::numeric_limits<double>::infinity());
    if (corrected_) beyond_ = averaged_potentials(model);
    double rotations = 0.0;
    for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
      const auto count = static_cast<double>(counts_[kind]);
      const Component& component = model.components[kind];
      atoms_ += count;
      mass_ += count * component.mass;
      rotations += count * component.rotational_degrees_of_freedom();
    }
    mass_ /= atoms_;
    ideal_ += 0.5 * rotations / atoms_;
  }

  /// r^2 u'' - 2 r u' of a pair.
  double second(std::size_t a, std::size_t b, double r) const {
    double sum = 0.0;
    for (const PairFunction& function : functions_[a * counts_.size() + b]) {
      if (r >= function.cutoff()) continue;
      // Both sides of a force that ends at the cutoff are taken from before it.
      const double h = std::min(1e-4 * r, 0.5 * (function.cutoff() - r));
      const double force = function.ended_force(r);
      const double slope =
          h > 1e-7 * r ? (function.ended_force(r + h) - function.ended_force(r - h)) / (2.0 * h)
                       : (force - function.ended_force(r - 1e-6 * r)) / (1e-6 * r);
      sum += -r * r * slope + 2.0 * r * force;
    }
    return sum;
  }

  /// The same beyond the cutoff, by parts: rc^4 f + 6 times the integral of r^2 (r f).
  double beyond(double size, double tail_virial) const {
    double sum = 0.0;
    if (molecules_) {
      for (std::size_t a = 0; a < counts_.size(); ++a) {
        for (std::size_t b = 0; b < counts_.size(); ++b) {
          const AveragedPotential& pair = beyond_[a * counts_.size() + b];
          const double end = pair.cutoff();
          sum -= 2.0 * std::numbers::pi * static_cast<double>(counts_[a]) *
                 static_cast<double>(counts_[b]) / size * std::pow(end, 3) * pair.slope(end);
        }
      }
      return sum + 6.0 * tail_virial;
    }
    for (std::size_t a = 0; a < counts_.size(); ++a) {
      for (std::size_t b = 0; b < counts_.size(); ++b) {
        const double pairs = 2.0 * std::numbers::pi * static_cast<double>(counts_[a]) *
                             static_cast<double>(counts_[b]) / size;
        for (const PairFunction& function : functions_[a * counts_.size() + b]) {
          const double end = function.cutoff();
          sum += pairs * (std::pow(end, 4) * function.force(end) + 6.0 * function.tail().virial);
        }
      }
    }
    return sum;
  }

  /// From means (or sums) of all quantities.
  std::vector<Result> results_from(std::span<const double> of) const {
    const auto mean = [&](Quantity quantity) { return of[quantity] / of[one]; };
    const double beta = 1.0 / heat_, size = first_.volume, density = atoms_ / size;
    const double u = mean(mean_u), v = mean(mean_v), slope = first_.slope + v;
    const double var_u = mean(mean_uu) - u * u, var_v = mean(mean_vv) - v * v;
    const double cov = mean(mean_uv) - u * v;
    const double a10 = beta * (first_.energy + u) / atoms_, a01 = -size * beta * slope / atoms_;
    const double a20 = -beta * beta * var_u / atoms_;
    const double a11 = a01 + size * beta * beta * cov / atoms_;
    const double a02 =
        size * size * (beta * mean(mean_w) - beta * beta * var_v) / atoms_ - 2.0 * a01;
    const double c_v = ideal_ - a20, d = 1.0 + 2.0 * a01 + a02, e = 1.0 + a01 - a11;
    const double c_p = c_v + e * e / d;
    const double k = units_.boltzmann();
    std::vector<Result> found{
        {"A10", a10, ""}, {"A01", a01, ""}, {"A20", a20, ""}, {"A11", a11, ""}, {"A02", a02, ""}};
    const double capacity = units_.is_reduced() ? 1.0 : gas_constant;
    const std::string_view heat_unit = units_.is_reduced() ? "" : "J/(mol K)";
    const double pressure = units_.from_internal(1.0, Dimension::pressure);
    const double temperature = units_.from_internal(1.0, Dimension::temperature);
    const double compressibility = 1.0 / (density * heat_ * d);
    found.push_back({"heat_capacity_v", capacity * c_v, heat_unit});
    found.push_back({"heat_capacity_p", capacity * c_p, heat_unit});
    found.push_back({"thermal_pressure_coefficient", density * k * e * pressure / temperature,
                     per_temperature_of_pressure_});
    found.push_back({"compressibility", compressibility / pressure, per_pressure_});
    found.push_back(
        {"compressibility_adiabatic", compressibility * c_v / c_p / pressure, per_pressure_});
    found.push_back(
        {"thermal_expansion", compressibility * density * k * e / temperature, per_temperature_});
    found.push_back(
        {"speed_of_sound",
         units_.from_internal(std::sqrt(heat_ / mass_ * (d + e * e / c_v)), Dimension::velocity),
         units_.label(Dimension::velocity)});
    found.push_back(
        {"joule_thomson_coefficient",
         -(a01 + a02 + a11) / (density * k * (e * e + c_v * d)) * temperature / pressure,
         temperature_per_pressure_});
    return found;
  }

  std::string unit_of(std::string_view above, std::string_view below) const {
    return units_.is_reduced() ? "" : fmt::format("{}/{}", above, below);
  }

  comm::Context context_;
  UnitSystem units_;
  bool corrected_;
  std::vector<std::int64_t> counts_;
  double heat_ = 0.0;  ///< kT
  double range_ = 0.0, atoms_ = 0.0, mass_ = 0.0;
  double ideal_ = 1.5;  ///< heat capacity of the ideal gas by k, without vibrations
  std::optional<InsertedMolecule> molecules_;  ///< where there are rigid molecules: all pairs
  std::vector<AveragedPotential> beyond_;      ///< of these
  std::vector<std::vector<PairFunction>> functions_;  ///< of each pair of types
  std::string per_pressure_ = unit_of("1", units_.label(Dimension::pressure));
  std::string per_temperature_ = unit_of("1", units_.label(Dimension::temperature));
  std::string per_temperature_of_pressure_ =
      unit_of(units_.label(Dimension::pressure), units_.label(Dimension::temperature));
  std::string temperature_per_pressure_ =
      unit_of(units_.label(Dimension::temperature), units_.label(Dimension::pressure));
  Values first_;  ///< of the first sample
  BatchMeans series_{quantities};
};

std::unique_ptr<Observer> make_derivatives(const ObserverRequest& request) {
  return std::make_unique<Derivatives>(request);
}

/// Why an input has no derivatives, as the end of a sentence; empty: it has.
std::string why_no_derivatives(const Input& input) {
  const std::string why = why_no_ensemble(input);
  if (!why.empty()) return why;
  if (!input.has_thermostat()) return "nothing keeps the temperature; expected a [thermostat]";
  if (input.barostat.is_used()) {
    return "a [barostat] changes the volume; [fluctuations] has the properties of that";
  }
  if (!input.molecules.empty()) {
    return "they are those of atoms and rigid molecules; this input has flexible ones";
  }
  if (!input.components.empty() &&
      input.interaction.electrostatics == CutoffElectrostatics::reaction_field) {
    return "the reaction field is not among what they know";
  }
  if (!input.components.empty() && !input.types.empty() &&
      input.interaction.tail_correction != TailCorrection::none) {
    return "of atoms beside molecules they do not know what lies beyond the cutoff";
  }
  if (input.electrostatics.is_used()) return "[electrostatics] is not among what they know";
  if (uses_many_body_potential(input)) {
    return "they know potentials of pairs only";
  }
  if (!input.tables<WallSection>().empty() || !input.tables<FieldSection>().empty()) {
    return "walls and fields do not follow the volume";
  }
  if (!input.tables<RestraintSection>().empty()) {
    return "springs of [[restraint]] do not follow the volume";
  }
  if (!input.freezes.empty()) return "what [[freeze]] holds has no kinetic energy";
  const Input::Interaction& interaction = input.interaction;
  if (interaction.tail_correction == TailCorrection::planar) {
    return "tail_correction = \"planar\" is not that of a homogeneous fluid";
  }
  if (interaction.tail_correction == TailCorrection::homogeneous &&
      is_switched(interaction.truncation)) {
    return "what lies beyond a potential that is switched off is not known to them; expected "
           "truncation = \"truncated\" or no \"tail_correction\"";
  }
  return {};
}

void check_derivatives(const Input& input, const IsGood& is_good, const Report& report) {
  constexpr std::string_view place = "derivatives.interval";
  if (!is_good(place) || interval_of<DerivativesOptions>(input) == 0) return;
  check_alchemical_are_whole(input, report, place, "[derivatives] computes energies of pairs");
  const std::string why = why_no_derivatives(input);
  if (why.empty()) return;
  report(Severity::error, place,
         "[derivatives] are those at constant temperature and volume, but " + why);
}

}  // namespace

ObserverRow observer::derivatives() {
  return {.schema = {.name = "derivatives",
                     .description = "Of atoms and rigid molecules at constant temperature and "
                                    "volume: heat capacities, "
                                    "compressibilities, thermal expansion, speed of sound and the "
                                    "Joule-Thomson coefficient (Lustig).",
                     .aliases = {"lustig", "speed_of_sound", "joule_thomson"}},
          .keys = {interval_key<DerivativesOptions>()},
          .interval = interval_of<DerivativesOptions>,
          .check = check_derivatives,
          .make = make_derivatives,
          .needs_all_pairs = true};
}

}  // namespace sterna::md
