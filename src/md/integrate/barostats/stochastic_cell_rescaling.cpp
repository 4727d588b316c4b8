// Idea:    the strains of the box follow a stochastic differential equation: a drift down the
//          gradient of the free energy plus noise, so that the box samples the isothermal-isobaric
//          ensemble and relaxes like Berendsen's. The noise goes as 1 / sqrt(V), whose derivative
//          cancels the pressure term from the measure of the volume. With one factor for all edges
//          this is the paper's equation for sqrt(V). A change over a finite time is a Metropolis
//          step: the work is the mean of the pressures before and after, times the strain, and
//          changes that would bias the ensemble are undone. So the ensemble is exact for any
//          interval and bulk modulus, if the pressure is linear within a change of the box.
// Source:  Bernetti and Bussi, J. Chem. Phys. 153, 114107 (2020), for lambda = sqrt(V); Del Tatto,
//          Raiteri, Bernetti and Bussi, Appl. Sci. 12, 1139 (2022). The Metropolis scheme: Roberts
//          and Tweedie, Bernoulli 2, 341 (1996); for the effective energy of stochastic dynamics
//          Bussi and Parrinello, Phys. Rev. E 75, 056707 (2007).
// Cost:    energy, virial and new lists each time it acts; all of it again if a change is undone.
// Hazards: needs a thermostat that samples the canonical ensemble. The bulk modulus sets only the
//          rate, but if it is too small by orders of magnitude, most changes are undone. The work
//          is computed from the pressure, not from the energy, because a truncated potential jumps
//          at its cutoff, and forces and pressure do not contain this jump.
// Others:  Martyna-Tobias-Klein has a conserved energy without random numbers and time-reversible
//          dynamics; it oscillates if it starts far from equilibrium.

#include "md/integrate/barostats/stochastic_cell_rescaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/integrate/barostats/barostat_table.hpp"

namespace sterna::md {

namespace {

constexpr double largest_drift = 0.03, largest_change = 0.3;

}  // namespace

StochasticCellRescaling::StochasticCellRescaling(std::uint64_t seed, double thermal_energy,
                                                 double pressure, double bulk_modulus,
                                                 double time_constant,
                                                 std::vector<StrainMode> modes)
    : stream_(seed, RandomPurpose::barostat),
      thermal_energy_(thermal_energy),
      pressure_(pressure),
      rate_(1.0 / (bulk_modulus * time_constant)),
      modes_(std::move(modes)) {}

StochasticCellRescaling::Proposal StochasticCellRescaling::proposal(const StrainMode& mode,
                                                                    double volume,
                                                                    const Tensor& pressure) const {
  const double mobility = rate_ / (3.0 * mode.parts()) * interval_;
  const double drift = mobility * (mode.of(pressure) - mode.edges * pressure_);
  return {.work = volume * mode.of(pressure),
          .drift = std::clamp(drift, -largest_drift, largest_drift),
          .variance = 2.0 * mobility * thermal_energy_ / volume};
}

Tensor StochasticCellRescaling::propose(double volume, const Tensor& pressure, double interval,
                                        std::int64_t step) {
  volume_ = volume;
  interval_ = interval;
  proposals_.clear();
  changes_.clear();
  RandomSequence random = stream_.sequence(0, static_cast<std::uint64_t>(step));
  Tensor strain{};
  for (const StrainMode& mode : modes_) {
    const Proposal made = proposal(mode, volume, pressure);
    const double change = made.drift + std::sqrt(made.variance) * random.normal();
    // A change and its inverse are refused alike, so the refusal causes no bias.
    if (!(std::abs(change) <= largest_change)) return {};
    for (std::size_t k = 0; k < 6; ++k) strain[k] += mode.direction[k] * change;
    proposals_.push_back(made);
    changes_.push_back(change);
  }
  return strain;
}

bool StochasticCellRescaling::accepts(double volume, const Tensor& pressure,
                                      std::int64_t step) const {
  const double growth = std::log(volume / volume_);
  // The measure of strains is V d(strains); relative to before the change V is exp(growth).
  double logarithm = growth - pressure_ * (volume - volume_) / thermal_energy_;
  bool has_shear = false;
  for (std::size_t n = 0; n < modes_.size(); ++n) {
    const StrainMode& mode = modes_[n];
    const Proposal &there = proposals_[n], back = proposal(mode, volume, pressure);
    const double change = changes_[n], noise = change - there.drift,
                 returning = change + back.drift;
    logarithm += 0.5 * (there.work + back.work) * change / thermal_energy_ + 0.5 * growth +
                 0.5 * noise * noise / there.variance - 0.5 * returning * returning / back.variance;
    has_shear = has_shear || mode.edges == 0.0;
    // Upper triangular matrices have two measures: one invariant under products from the right, one
    // under products from the left. So the ratio of the densities of exp(s) and exp(-s) is
    // exp(2 (s_xx - s_zz)).
    if (has_shear && n + 1 == modes_.size()) logarithm += 2.0 * (changes_[0] - changes_[2]);
  }
  if (logarithm >= 0.0) return true;
  return std::log(stream_.sequence(1, static_cast<std::uint64_t>(step)).uniform()) < logarithm;
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
                request.input.barostat.time_constant, strain_modes(request.input.barostat)),
        interval_(request.input.barostat.interval),
        time_(static_cast<double>(interval_) * request.input.run.timestep),
        centers_(request.centers) {}

  void set_degrees_of_freedom(double degrees) override {
    kinetic_factor_ = 3.0 * centers_ / degrees;
  }
  void set_targets(double thermal_energy, double pressure) override {
    method_.set_targets(thermal_energy, pressure);
  }
  bool is_due(std::int64_t step) const override { return step % interval_ == 0; }
  bool reads_pressure(std::int64_t step) const override { return is_due(step); }

  Change act(const PressureState& state, std::int64_t step) override {
    const auto box = Deformation::exponential(
        method_.propose(state.box.volume(), state.tensor(kinetic_factor_), time_, step));
    return {box.inverse(), box};
  }
  bool accepts(const PressureState& state, std::int64_t step) override {
    return method_.accepts(state.box.volume(), state.tensor(kinetic_factor_), step);
  }

  void has_lost(double energy) override { lost_ += energy; }
  double energy(const Box&) const override { return lost_; }

  std::vector<double> state() const override { return {lost_}; }
  void set_state(const std::vector<double>& state) override { lost_ = state.at(0); }

 private:
  StochasticCellRescaling method_;
  std::int64_t interval_;
  double time_;  ///< between two changes
  double centers_, kinetic_factor_ = 1.0;
  double lost_ = 0.0;
};

/// A change of the box goes the part h = interval / time constant of the way to equilibrium. It
/// overshoots if the bulk modulus is guessed too small, or if the box is stiffer until particles
/// have relaxed. Most changes that overshoot are undone.
void check_stochastic_cell_rescaling(const Input& input, const IsGood& is_good,
                                     const Report& report) {
  const auto& barostat = input.barostat;
  if (!has_value(input, is_good, "barostat.interval") || !is_good("barostat.time_constant") ||
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
  const bool stands_still = steps >= 0.5;
  report(stands_still ? Severity::error : Severity::warning, place,
         fmt::format("{}: {}; expected {}", message,
                     stands_still ? "a third of the changes or more would overshoot and be undone"
                                  : "changes overshoot and are undone, so that the volume "
                                    "moves slowly",
                     expected));
}

}  // namespace

BarostatRow barostat::stochastic_cell_rescaling() {
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
          "fluctuations of the isothermal-isobaric ensemble. A change over a finite interval that "
          "would bias them is undone, by Metropolis' rule with the pressures before and after it. "
          "B is `bulk_modulus`, τ is `time_constant`. Both set how fast the volume changes, not "
          "where it goes. The velocities of the centers "
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
      .takes_ramps = true,
      .check = check_stochastic_cell_rescaling,
      .make = make_barostat<StochasticCellBarostat>};
}

}  // namespace sterna::md
