#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "md/core/gas_constant.hpp"
#include "md/input/check_ensemble.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/observer_table.hpp"

namespace sterna::md {
namespace {

struct FluctuationsOptions {
  std::int64_t interval = 0;
};

/// The quantity that stays the same during a run.
enum class FluctuationEnsemble { energy, temperature, pressure };

FluctuationEnsemble fluctuation_ensemble(const Input& input) {
  if (input.barostat.is_used()) return FluctuationEnsemble::pressure;
  return input.has_thermostat() ? FluctuationEnsemble::temperature : FluctuationEnsemble::energy;
}

/// Heat capacities, compressibility and thermal expansion from the fluctuations of an ensemble:
/// Allen and Tildesley, Computer Simulation of Liquids, section 2.5; at constant energy Lebowitz,
/// Percus and Verlet, Phys. Rev. 153, 250 (1967). The kinetic energy has its fluctuations exactly,
/// f k T / 2 of f degrees of freedom, so that only those of the potential energy are measured.
class Fluctuations final : public Observer {
 public:
  explicit Fluctuations(const ObserverRequest& request)
      : Observer("fluctuations", interval_of<FluctuationsOptions>(request.input)),
        units_(request.input.units),
        ensemble_(fluctuation_ensemble(request.input)),
        pressure_(request.input.barostat.pressure) {
    for (const std::int64_t count : request.type_counts) molecules_ += static_cast<double>(count);
    if (request.topology.empty()) return;
    molecules_ +=
        static_cast<double>(request.topology.molecule_count() - request.topology.atom_count());
  }

  void sample(const Frame& frame) override {
    const ThermodynamicState& state = frame.state;
    const double size = frame.box.volume();
    const Values now{ensemble_ == FluctuationEnsemble::energy
                         ? state.kinetic_energy
                         : state.potential_energy + pressure_ * size,
                     size};
    if (series_.count() == 0) first_ = now;
    // The sums have differences from the first values, so that squares lose no digits.
    const double excess = now.energy - first_.energy, growth = now.volume - first_.volume;
    series_.add(frame.step, std::array{state.temperature, state.kinetic_energy, excess, growth,
                                       excess * excess, growth * growth, excess * growth});
  }

  std::vector<double> common() const override {
    std::vector<double> all{first_.energy, first_.volume};
    const std::vector<double> series = series_.state();
    all.insert(all.end(), series.begin(), series.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    if (values.size() < 2) return;
    series_.set_state(values.subspan(2));
    first_ = {values[0], values[1]};
  }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text = fmt::format(
        "# {} samples at constant {}, {:.0f} molecules\n# heat capacities are those of a mole of "
        "molecules,\n# classical ones: each vibration counts with k\n# compressibility: "
        "isothermal\n# quantity mean standard_error\n",
        series_.count_from(reported_from()), name_of_ensemble(), molecules_);
    if (series_.batch_count() < 2) return report;
    add_averages(report);
    for (const auto& average : report.averages) {
      report.text +=
          fmt::format("{} {:.10g} {:.3g}\n", average.name, average.mean, average.standard_error);
    }
    return report;
  }

 private:
  enum Quantity : std::size_t { temperature, kinetic, energy, volume, energy_2, volume_2, mixed };
  struct Values {
    double energy = 0.0, volume = 0.0;
  };
  /// A covariance, and what each batch contributes to it.
  struct Covariance {
    double mean = 0.0;
    std::vector<double> series;
  };

  std::string_view name_of_ensemble() const {
    switch (ensemble_) {
      case FluctuationEnsemble::energy:
        return "energy";
      case FluctuationEnsemble::temperature:
        return "temperature and volume";
      case FluctuationEnsemble::pressure:
        return "temperature and pressure";
    }
    return {};
  }

  double mean(Quantity quantity) const {
    return series_.mean_from(series_.batch_from(reported_from()), quantity);
  }

  Covariance covariance(Quantity a, Quantity b, Quantity product) const {
    const double of_a = mean(a), of_b = mean(b);
    Covariance found{.mean = mean(product) - of_a * of_b, .series = {}};
    const auto as = series_.means(a), bs = series_.means(b), products = series_.means(product);
    for (std::size_t n = series_.batch_from(reported_from()); n < as.size(); ++n) {
      found.series.push_back(products[n] - of_a * bs[n] - of_b * as[n] + of_a * of_b);
    }
    return found;
  }

  struct Part {
    const Covariance& of;
    double slope;  ///< of the result by it
  };
  /// The error that covariances give a function of them.
  static double error_of(std::initializer_list<Part> parts) {
    std::vector<double> series(parts.begin()->of.series.size(), 0.0);
    for (const Part& part : parts) {
      for (std::size_t n = 0; n < series.size(); ++n) series[n] += part.slope * part.of.series[n];
    }
    return settled_mean(series, 0).standard_error;
  }

  void add_averages(ObserverReport& report) const {
    const double heat = units_.boltzmann() * mean(temperature);  // kT
    if (!(heat > 0.0)) return;
    const double freedom = 2.0 * mean(kinetic) / heat;
    // The heat capacity is written in units of k for a molecule, and as J/K for a mole of
    // molecules.
    const double each = (units_.is_reduced() ? 1.0 : gas_constant) / molecules_;
    const std::string_view unit = units_.is_reduced() ? "" : "J/(mol K)";
    const auto capacity = [&](const char* name, double value, double error) {
      report.averages.push_back({name, each * value, each * error, unit});
    };
    const Covariance energies = covariance(energy, energy, energy_2);
    if (ensemble_ == FluctuationEnsemble::energy) {
      const double whole = 0.5 * freedom * heat * heat;  // of the canonical ensemble
      const double rest = 1.0 - energies.mean / whole;
      if (!(rest > 0.0)) {
        report.text +=
            "# the kinetic energy varies as much as at constant temperature: not settled\n";
        return;
      }
      const double value = 0.5 * freedom / rest;
      capacity("heat_capacity_v", value, error_of({{energies, value / (rest * whole)}}));
      return;
    }
    const double per_square = 1.0 / (heat * heat);
    const double total = 0.5 * freedom + per_square * energies.mean;
    if (ensemble_ == FluctuationEnsemble::temperature) {
      capacity("heat_capacity_v", total, error_of({{energies, per_square}}));
      return;
    }
    const double size = first_.volume + mean(volume);
    const Covariance volumes = covariance(volume, volume, volume_2);
    const Covariance both = covariance(energy, volume, mixed);
    capacity("heat_capacity_p", total, error_of({{energies, per_square}}));
    if (!(volumes.mean > 0.0)) return;
    // C_p - C_V = T V alpha^2 / kappa, in units of k.
    const double ratio = both.mean / volumes.mean;
    capacity("heat_capacity_v", total - per_square * ratio * both.mean,
             error_of({{energies, per_square},
                       {both, -2.0 * per_square * ratio},
                       {volumes, per_square * ratio * ratio}}));
    const double of_pressure = units_.to_internal(1.0, Dimension::pressure) / (heat * size);
    report.averages.push_back({"compressibility", of_pressure * volumes.mean,
                               error_of({{volumes, of_pressure}}), per_pressure_});
    const double of_temperature =
        units_.to_internal(1.0, Dimension::temperature) / (heat * mean(temperature) * size);
    report.averages.push_back({"thermal_expansion", of_temperature * both.mean,
                               error_of({{both, of_temperature}}), per_temperature_});
  }

  std::string inverse(Dimension dimension) const {
    return units_.is_reduced() ? "" : fmt::format("1/{}", units_.label(dimension));
  }

  UnitSystem units_;
  FluctuationEnsemble ensemble_;
  double pressure_;  ///< that the barostat keeps
  double molecules_ = 0.0;
  std::string per_pressure_ = inverse(Dimension::pressure);
  std::string per_temperature_ = inverse(Dimension::temperature);
  Values first_;  ///< of the first sample
  BatchMeans series_{7};
};

std::unique_ptr<Observer> make_fluctuations(const ObserverRequest& request) {
  return std::make_unique<Fluctuations>(request);
}

void check_fluctuations(const Input& input, const IsGood& is_good, const Report& report) {
  constexpr std::string_view place = "fluctuations.interval";
  if (!is_good(place) || interval_of<FluctuationsOptions>(input) == 0) return;
  const std::string why = why_no_ensemble(input);
  if (why.empty()) return;
  report(Severity::error, place, "[fluctuations] are those of an ensemble, but " + why);
}

}  // namespace

ObserverRow observer::fluctuations() {
  return {.schema = {.name = "fluctuations",
                     .description =
                         "The heat capacity at constant volume; with a barostat also at constant "
                         "pressure, the isothermal compressibility and the thermal expansion.",
                     .aliases = {"heat_capacity", "compressibility", "thermal_expansion", "cv"}},
          .keys = {interval_key<FluctuationsOptions>()},
          .interval = interval_of<FluctuationsOptions>,
          .check = check_fluctuations,
          .make = make_fluctuations};
}

}  // namespace sterna::md
