#include <fmt/format.h>

#include <algorithm>

#include "md/observe/jackknife.hpp"
#include "md/observe/velocity_correlation.hpp"

namespace sterna::md {
namespace {

class VelocityAutocorrelation;
using VelocityAutocorrelationSection = VelocityCorrelationSection<VelocityAutocorrelation>;

/// The autocorrelation of velocities, v(0).v(t), and the diffusion coefficients that its integral
/// gives: D = 1/3 of it (Green and Kubo; Hansen and McDonald, Theory of Simple Liquids, section
/// 7.7).
class VelocityAutocorrelation final : public VelocityCorrelation {
 public:
  explicit VelocityAutocorrelation(const ObserverRequest& request)
      : VelocityCorrelation("velocity_autocorrelation",
                            VelocityAutocorrelationSection::of(request.input), request, false) {}

  ObserverReport report(std::span<const double> all_sums) const override {
    ObserverReport report;
    const std::size_t first = blocks().block_from(reported_from());
    report.text = fmt::format("# autocorrelation of velocities, {} samples\n# time{}",
                              blocks().samples(), unit(Dimension::time));
    const std::string squared =
        units().is_reduced() ? "" : fmt::format("/({})^2", units().label(Dimension::velocity));
    for (const std::string& name : names()) report.text += fmt::format(" {}{}", name, squared);
    report.text += "\n";
    if (blocks().samples() == 0) return report;
    const Jackknife found =
        jackknife(all_sums, stride(), first, blocks().count(),
                  [this](const std::vector<double>& sums) { return integrals_and_values(sums); });
    const double velocity = units().from_internal(1.0, Dimension::velocity);
    const std::size_t times =
        std::min<std::size_t>(lags(), static_cast<std::size_t>(blocks().samples()));
    for (std::size_t lag = 0; lag < times; ++lag) {
      report.text += fmt::format(
          "{:.8g}",
          units().from_internal(static_cast<double>(lag) * sample_time(), Dimension::time));
      for (std::size_t column = 0; column < names().size(); ++column) {
        const double value = found.values[names().size() + column * lags() + lag];
        report.text += fmt::format(" {:.8g}", value * velocity * velocity);
      }
      report.text += "\n";
    }
    if (times < lags()) return report;
    for (std::size_t column = 0; column < names().size(); ++column) {
      report.add_average(fmt::format("green_kubo_diffusion_{}", names()[column]),
                         found.values[column], found.errors[column], units(), Dimension::diffusion);
    }
    return report;
  }

 private:
  /// A third of the integral of each column, then all correlations.
  std::vector<double> integrals_and_values(const std::vector<double>& sums) const {
    std::vector<double> integrals, values;
    for (std::size_t column = 0; column < names().size(); ++column) {
      const std::vector<double> of_column = correlation(sums, column);
      double sum = -0.5 * (of_column.front() + of_column.back());
      for (const double value : of_column) sum += value;
      integrals.push_back(sum * sample_time() / 3.0);
      values.insert(values.end(), of_column.begin(), of_column.end());
    }
    integrals.insert(integrals.end(), values.begin(), values.end());
    return integrals;
  }
};

std::unique_ptr<Observer> make_velocity_autocorrelation(const ObserverRequest& request) {
  return std::make_unique<VelocityAutocorrelation>(request);
}

void check_velocity_autocorrelation(const Input& input, const IsGood& is_good,
                                    const Report& report) {
  check_velocity_correlation(input, is_good, report, "velocity_autocorrelation",
                             VelocityAutocorrelationSection::of(input));
}

}  // namespace

ObserverRow observer::velocity_autocorrelation() {
  return {.schema = {.name = "velocity_autocorrelation",
                     .description = "The autocorrelation function of the velocities of each type, "
                                    "and diffusion coefficients by Green and Kubo.",
                     .aliases = {"vacf", "velocity_correlation"}},
          .keys = velocity_correlation_keys<VelocityAutocorrelation>(),
          .interval = interval_of<VelocityAutocorrelationSection>,
          .check = check_velocity_autocorrelation,
          .bytes_per_particle =
              [](const Input& input) {
                return ParticlePast::bytes_per_particle(VelocityCorrelation::lags_of(
                    VelocityAutocorrelationSection::of(input), input.run.timestep));
              },
          .make = make_velocity_autocorrelation};
}

}  // namespace sterna::md
