#include "md/observe/velocity_correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/input/atom_groups.hpp"

namespace sterna::md {

VelocityCorrelation::VelocityCorrelation(std::string name, const Options& options,
                                         const ObserverRequest& request, bool weighs_by_mass)
    : Observer(name, options.interval),
      names_(options.groups.empty() ? request.names : options.groups),
      units_(request.input.units),
      weighs_by_mass_(weighs_by_mass),
      sample_time_(static_cast<double>(options.interval) * request.input.run.timestep),
      lags_(lags_of(options, request.input.run.timestep)),
      past_(request.context, std::move(name), lags_,
            groups_from_input(request.input, request.topology, options.groups)),
      sums_(SampleBlocks::usual * stride(), 0.0) {}

std::size_t VelocityCorrelation::lags_of(const Options& options, double timestep) {
  const double samples = options.length / (static_cast<double>(options.interval) * timestep);
  return static_cast<std::size_t>(std::floor(samples + 1e-6)) + 1;
}

void VelocityCorrelation::sample(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  past_.add(particles.local_count(), [&](std::size_t i) {
    const std::int64_t type = particles.position[i].type;
    const double weight =
        weighs_by_mass_ ? std::sqrt(frame.masses[static_cast<std::size_t>(type)]) : 1.0;
    return ParticlePast::Item{particles.id[i], weight * particles.velocity[i], type};
  });
  const std::int64_t sample = blocks_.samples();
  if (blocks_.begin_sample(frame.step).merges) merge_blocks(sums_, stride());
  const std::span<const Vec3> now = past_.back(0);
  for (std::size_t lag = 0; lag < past_.size(); ++lag) {
    const std::span<const Vec3> before = past_.back(lag);
    double* const sums =
        sums_.data() + blocks_.block_of(sample - static_cast<std::int64_t>(lag)) * stride();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double product = dot(now[i], before[i]);
      for (const std::size_t column : past_.columns_of(i)) {
        double* const sum = sums + (column * lags_ + lag) * 2;
        sum[0] += product;
        sum[1] += 1.0;
      }
    }
  }
}

std::vector<double> VelocityCorrelation::correlation(const std::vector<double>& sums,
                                                     std::size_t column) const {
  std::vector<double> values;
  for (std::size_t lag = 0; lag < lags_; ++lag) {
    const double* const sum = sums.data() + (column * lags_ + lag) * 2;
    values.push_back(sum[0] / std::max(sum[1], 1.0));
  }
  return values;
}

std::string VelocityCorrelation::unit(Dimension dimension) const {
  const std::string label(units_.label(dimension));
  return label.empty() ? "" : "/" + label;
}

void check_velocity_correlation(const Input& input, const IsGood& is_good, const Report& report,
                                std::string_view name,
                                const VelocityCorrelation::Options& options) {
  constexpr std::size_t most_lags = 20000;
  const std::string interval = fmt::format("{}.interval", name);
  const std::string length = fmt::format("{}.length", name);
  check_group_names(input, is_good, report, fmt::format("{}.groups", name), options.groups, true);
  if (!is_good(interval) || options.interval == 0) return;
  if (input.minimizes()) {
    report(Severity::error, interval,
           fmt::format("nothing has a velocity in a minimization; [{}] needs integrator = "
                       "\"velocity_verlet\" in [run]",
                       name));
    return;
  }
  if (!is_good(length) || !is_good("run.timestep")) return;
  const double between = static_cast<double>(options.interval) * input.run.timestep;
  if (options.length < between * (1.0 - 1e-6)) {
    report(Severity::error, length,
           fmt::format("expected at least the time between two samples, {}",
                       input.units.text(between, Dimension::time)));
  } else if (options.length / between > static_cast<double>(most_lags)) {
    report(Severity::error, length,
           fmt::format("the length takes more than {} samples; expected a longer \"interval\"",
                       most_lags));
  }
}

}  // namespace sterna::md
