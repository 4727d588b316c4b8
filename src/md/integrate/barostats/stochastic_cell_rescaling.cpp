// Idea:    the box drifts down the gradient of the free energy and is shaken by noise, so that it
//          samples the isothermal-isobaric ensemble and relaxes like Berendsen's. Of one factor for
//          all edges, the square root of the volume moves: its noise does not depend on it. Of
//          several, the strains move; their noise goes by 1 / sqrt(V), whose derivative cancels what
//          the measure of the volume adds to the pressure.
// Source:  Bernetti and Bussi, J. Chem. Phys. 153, 114107 (2020), for lambda = sqrt(V); Del Tatto,
//          Raiteri, Bernetti and Bussi, Appl. Sci. 12, 1139 (2022).
// Cost:    energy and virial, and new lists, each time it acts.
// Hazards: needs a thermostat that samples the canonical ensemble; the bulk modulus sets the rate
//          only, but a wrong one by orders of magnitude makes it stiff or slow.
// Others:  Martyna-Tobias-Klein has a conserved energy without random numbers, and dynamics that
//          can be reversed; it oscillates where it starts far from equilibrium.

#include "md/integrate/barostats/stochastic_cell_rescaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/integrate/barostats/barostat_table.hpp"

namespace sterna::md {

StochasticCellRescaling::StochasticCellRescaling(std::uint64_t seed, double thermal_energy,
                                                 double pressure, double bulk_modulus,
                                                 double time_constant)
    : stream_(seed, RandomPurpose::barostat),
      thermal_energy_(thermal_energy),
      pressure_(pressure),
      rate_(1.0 / (bulk_modulus * time_constant)) {}

double StochasticCellRescaling::volume_ratio(double volume, double internal_pressure,
                                             double interval, std::int64_t step) const {
  const double root = std::sqrt(volume);
  const double drift = -0.5 * rate_ * root *
                       (pressure_ - internal_pressure - 0.5 * thermal_energy_ / volume) * interval;
  const double noise = std::sqrt(0.5 * rate_ * thermal_energy_ * interval) *
                       stream_.sequence(0, static_cast<std::uint64_t>(step)).normal();
  const double ratio = (root + drift + noise) / root;
  return std::clamp(ratio * std::abs(ratio), 0.9, 1.1);
}

Tensor StochasticCellRescaling::strain(const std::vector<StrainMode>& modes, double volume,
                                       const Tensor& pressure, double interval,
                                       std::int64_t step) const {
  RandomSequence random = stream_.sequence(0, static_cast<std::uint64_t>(step));
  Tensor strain{};
  for (const StrainMode& mode : modes) {
    const double excess = mode.of(pressure) - mode.edges * pressure_;
    const double mobility = rate_ / (3.0 * mode.parts()) * interval;
    const double change =
        mobility * excess + std::sqrt(2.0 * mobility * thermal_energy_ / volume) * random.normal();
    for (std::size_t k = 0; k < 6; ++k) {
      strain[k] += mode.direction[k] * std::clamp(change, -0.03, 0.03);
    }
  }
  return strain;
}

namespace {

struct StochasticCellOptions {
  double bulk_modulus = 0.0;
};

class StochasticCellBarostat final : public Barostat {
 public:
  explicit StochasticCellBarostat(const BarostatRequest& request)
      : method_(request.input.run.seed, request.thermal_energy, request.input.barostat.pressure,
                request.input.barostat.options<StochasticCellOptions>().bulk_modulus,
                request.input.barostat.time_constant),
        modes_(strain_modes(request.input.barostat)),
        is_isotropic_(request.input.barostat.coupling == Input::Coupling::isotropic),
        interval_(request.input.barostat.interval),
        time_(static_cast<double>(interval_) * request.input.run.timestep),
        kinetic_factor_(3.0 * request.centers / request.degrees) {}

  bool is_due(std::int64_t step) const override { return step % interval_ == 0; }
  bool reads_pressure(std::int64_t step) const override { return is_due(step); }

  Change act(const PressureState& state, std::int64_t step) override {
    const double volume = state.box.volume();
    if (is_isotropic_) {
      const double f = std::cbrt(method_.volume_ratio(volume, state.pressure, time_, step));
      return {Deformation::stretch(1.0 / f, 1.0 / f, 1.0 / f), Deformation::stretch(f, f, f)};
    }
    const Tensor pressure = state.tensor(kinetic_factor_);
    const auto box =
        Deformation::exponential(method_.strain(modes_, volume, pressure, time_, step));
    return {box.inverse(), box};
  }

  void has_lost(double energy) override { lost_ += energy; }
  double energy(const Box&) const override { return lost_; }

  std::vector<double> state() const override { return {lost_}; }
  void set_state(const std::vector<double>& state) override { lost_ = state.at(0); }

 private:
  StochasticCellRescaling method_;
  std::vector<StrainMode> modes_;
  bool is_isotropic_;
  std::int64_t interval_;
  double time_;  ///< between two changes
  double kinetic_factor_;
  double lost_ = 0.0;
};

/// The box changes by an Euler step of the stochastic equation for the volume, which it relaxes to
/// for h = interval / time constant: the variance of the volume is then 1 / (1 - h/2) times the
/// right one.
void check_stochastic_cell_rescaling(const Input& input, const IsGood& is_good,
                                     const Report& report) {
  const auto& barostat = input.barostat;
  if (!is_good("barostat.interval") || !is_good("barostat.time_constant") ||
      !is_good("run.timestep")) {
    return;
  }
  const double interval = static_cast<double>(barostat.interval) * input.run.timestep;
  const double steps = interval / barostat.time_constant;
  if (!(steps > 0.1 + 1e-9)) return;
  const auto time = [&](double value) { return input.units.text(value, Dimension::time); };
  const std::string place =
      input.places.contains("barostat.interval") ? "barostat.interval" : "barostat";
  const std::string message = fmt::format(
      "the box changes every {} (interval times time step), {:.2g} of the barostat's time constant "
      "of {}",
      time(interval), steps, time(barostat.time_constant));
  const auto most =
      static_cast<std::int64_t>(0.1 * barostat.time_constant / input.run.timestep + 1e-9);
  const std::string expected =
      most > 0 ? fmt::format("an interval of at most {} (a tenth of the time constant)", most)
               : std::string("a time constant of ten time steps or more");
  if (steps >= 0.5) {
    report(
        Severity::error, place,
        fmt::format("{}: the volume would be driven, not sampled; expected {}", message, expected));
  } else {
    report(Severity::warning, place,
           fmt::format("{}: fluctuations of the volume come out {:.0f} % too large; {} keeps that "
                       "below 5 %",
                       message, 100.0 * (1.0 / (1.0 - 0.5 * steps) - 1.0), expected));
  }
}

BarostatKind stochastic_cell_rescaling_kind() {
  return {
      .name = "stochastic_cell_rescaling",
      .sentence =
          "Stochastic cell rescaling samples the isothermal-isobaric ensemble (Bernetti and "
          "Bussi, J. Chem. Phys. 153, 114107 (2020); Del Tatto et al., Appl. Sci. 12, 1139 "
          "(2022)).",
      .equations =
          "dλ = -λ (P₀ - P - k T / 2V) dt / (2 B τ) + sqrt(k T / (2 B τ)) dW\n"
          "V  = λ²",
      .remarks =
          "For a box whose edges change by one factor; of other couplings each strain has such an "
          "equation. The box drifts towards the pressure, and noise gives its volume the "
          "fluctuations of the isothermal-isobaric ensemble. B is `bulk_modulus`, τ is "
          "`time_constant`. Both "
          "set how fast the volume changes, not where it goes. The velocities of the centers "
          "are divided by what their positions are multiplied by.",
      .source =
          "Bernetti and Bussi, J. Chem. Phys. 153, 114107 (2020); for boxes that change "
          "their shape Del Tatto, Raiteri, Bernetti and Bussi, Appl. Sci. 12, 1139 (2022)",
      .aliases = {"c-rescale", "berendsen", "parrinello-rahman"},
      .time_constant = "the time in which the pressure relaxes",
      .keys = {{.name = "bulk_modulus",
                .target = barostat_option<&StochasticCellOptions::bulk_modulus>,
                .description =
                    "A guess of the bulk modulus, the inverse of the isothermal "
                    "compressibility: it sets how fast the volume changes, not where it goes. "
                    "Water: 22000 bar.",
                .need = Need::required,
                .dimension = Dimension::pressure,
                .range = {.minimum = 0.0, .exclusive_minimum = true}}},
      .check = check_stochastic_cell_rescaling};
}

}  // namespace

const BarostatRow barostat::stochastic_cell_rescaling{
    .kind = stochastic_cell_rescaling_kind,
    .make = [](const BarostatRequest& request) -> std::unique_ptr<Barostat> {
      return std::make_unique<StochasticCellBarostat>(request);
    }};

}  // namespace sterna::md
