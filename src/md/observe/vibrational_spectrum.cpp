#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "md/observe/velocity_correlation.hpp"

namespace sterna::md {
namespace {

class VibrationalSpectrum;
using VibrationalSpectrumSection = VelocityCorrelationSection<VibrationalSpectrum>;

/// At which frequencies particles move: the cosine transform of the autocorrelation of velocities,
/// weighed by masses (the density of states; Berens, Mackay, White and Wilson, J. Chem. Phys. 79,
/// 2375 (1983)). Hann's window takes the correlation to zero at the longest time, so that a line has
/// the width 1/length. The integral of a spectrum is 1.
class VibrationalSpectrum final : public VelocityCorrelation {
 public:
  explicit VibrationalSpectrum(const ObserverRequest& request)
      : VelocityCorrelation("vibrational_spectrum", VibrationalSpectrumSection::of(request.input),
                            request, true) {}

  ObserverReport report(std::span<const double> all_sums) const override {
    ObserverReport report;
    const bool reduced = units().is_reduced();
    report.text = fmt::format("# spectrum of the motion, {} samples\n# {}", blocks().samples(),
                              reduced ? "frequency" : "wavenumber/cm^-1");
    for (const std::string& name : names()) {
      report.text += fmt::format(" {}{}", name, reduced ? "" : "/cm");
    }
    report.text += "\n";
    if (blocks().samples() < static_cast<std::int64_t>(lags())) return report;
    std::vector<double> sums(stride(), 0.0);
    for (std::size_t b = blocks().block_from(reported_from()); b < blocks().count(); ++b) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += all_sums[b * stride() + k];
    }
    std::vector<std::vector<double>> correlations;
    for (std::size_t column = 0; column < names().size(); ++column) {
      correlations.push_back(correlation(sums, column));
    }
    // The frequencies run from one period in the whole length up to the highest that the samples
    // resolve.
    const double length = static_cast<double>(lags()) * sample_time();
    const double centimeter = reduced ? 1.0 : per_centimeter;
    for (std::size_t k = 0; k <= lags(); ++k) {
      const double frequency = 0.5 * static_cast<double>(k) / length;
      report.text += fmt::format("{:.8g}", frequency * centimeter);
      for (const std::vector<double>& values : correlations) {
        report.text += fmt::format(" {:.8g}", density(values, frequency) / centimeter);
      }
      report.text += "\n";
    }
    return report;
  }

 private:
  /// Waves in a centimeter of light of a frequency of 1/ps.
  static constexpr double per_centimeter = 33.356409519815205;

  /// 4 times the integral of the normalized correlation times a cosine.
  double density(const std::vector<double>& values, double frequency) const {
    if (!(values[0] > 0.0)) return 0.0;
    double sum = 0.0;
    for (std::size_t lag = 0; lag < values.size(); ++lag) {
      const double part = static_cast<double>(lag) / static_cast<double>(values.size());
      const double window = 0.5 * (1.0 + std::cos(std::numbers::pi * part));
      const double angle =
          2.0 * std::numbers::pi * frequency * static_cast<double>(lag) * sample_time();
      sum += (lag == 0 ? 0.5 : 1.0) * window * values[lag] / values[0] * std::cos(angle);
    }
    return 4.0 * sum * sample_time();
  }
};

std::unique_ptr<Observer> make_vibrational_spectrum(const ObserverRequest& request) {
  return std::make_unique<VibrationalSpectrum>(request);
}

void check_vibrational_spectrum(const Input& input, const IsGood& is_good, const Report& report) {
  check_velocity_correlation(input, is_good, report, "vibrational_spectrum",
                             VibrationalSpectrumSection::of(input));
}

}  // namespace

ObserverRow observer::vibrational_spectrum() {
  return {.schema = {.name = "vibrational_spectrum",
                     .description = "At which frequencies the particles of each type move: the "
                                    "transform of the autocorrelation of velocities, weighed by "
                                    "masses. Its integral is 1.",
                     .aliases = {"vdos", "density_of_states", "power_spectrum", "spectrum"}},
          .keys = velocity_correlation_keys<VibrationalSpectrum>(),
          .interval = interval_of<VibrationalSpectrumSection>,
          .check = check_vibrational_spectrum,
          .bytes_per_particle =
              [](const Input& input) {
                return ParticlePast::bytes_per_particle(VelocityCorrelation::lags_of(
                    VibrationalSpectrumSection::of(input), input.run.timestep));
              },
          .make = make_vibrational_spectrum};
}

}  // namespace sterna::md
