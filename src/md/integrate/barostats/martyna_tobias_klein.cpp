// Idea:    the strains of the box are variables with masses. The difference of the pressure from
//          the target drives them, and a chain of their own thermostats them. The step is split
//          reversibly in time. It begins with half of the driving of the box and half of the box's
//          action on velocities. The steps of the particles follow, with the whole motion of the box
//          in their middle, and then the two other halves in reverse order.
// Source:  Martyna, Tobias and Klein, J. Chem. Phys. 101, 4177 (1994); Tuckerman et al., J. Phys. A
//          39, 5629 (2006), section 4. For a total momentum of zero, the pressure scales the
//          kinetic energy up to that of all centers, and the friction likewise. So without forces
//          the volumes of N centers are distributed as V^N exp(-p V / kT).
// Cost:    energy and virial every `interval` steps, and new lists half-way between.
// Hazards: oscillates for many periods if it starts far from equilibrium. Between the steps in
//          which it acts, the conserved energy deviates by the pending change. The box jumps once
//          in each interval, and particles that move in resonance with the jumps gain energy. The
//          page on constant pressure says how much.
// Others:  stochastic cell rescaling, to equilibrate.

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "md/core/display_text.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/integrate/barostats/barostat_table.hpp"
#include "md/integrate/barostats/strain_mode.hpp"
#include "md/integrate/moving_targets.hpp"
#include "md/integrate/thermostats/nose_hoover_chain.hpp"

namespace sterna::md {
namespace {

struct MartynaTobiasKleinOptions {
  double chain_time_constant = 0.0;  // 0: that of the barostat
};

class MartynaTobiasKlein final : public Barostat {
 public:
  explicit MartynaTobiasKlein(const BarostatRequest& request)
      : modes_(strain_modes(request.input.barostat)),
        rate_(modes_.size(), 0.0),
        centers_(request.centers),
        interval_(request.input.barostat.interval),
        half_time_(0.5 * static_cast<double>(interval_) * request.input.run.timestep) {
    const auto& barostat = request.input.barostat;
    kept_ = targets_ = {request.thermal_energy, barostat.pressure};
    time_ = barostat.time_constant / (2.0 * std::numbers::pi);
    const bool by_states = request.input.section<MovingTargets>().by_states;
    targets_move_ = barostat.end_pressure.has_value() || by_states;
    const Input::Thermostat* const kept = thermostat_of_run(request.input);
    if (kept == nullptr) return;
    const bool kt_moves = by_states || kept->end_temperature.has_value();
    targets_move_ = targets_move_ || kt_moves;
    const double asked = barostat.options<MartynaTobiasKleinOptions>().chain_time_constant;
    chain_.emplace(request.thermal_energy, asked > 0.0 ? asked : barostat.time_constant,
                   static_cast<double>(modes_.size()), kt_moves);
  }

  void set_degrees_of_freedom(double degrees) override {
    degrees_ = degrees;
    kinetic_factor_ = 3.0 * centers_ / degrees;
    set_masses();
  }
  void set_targets(double thermal_energy, double pressure) override {
    targets_ = {thermal_energy, pressure};
  }
  bool is_due(std::int64_t step) const override { return reads_pressure(step) || moves(step); }
  bool reads_pressure(std::int64_t step) const override { return step % interval_ == 0; }

  Change act(const PressureState& state, std::int64_t step) override {
    if (moves(step)) {
      Tensor strain = strain_rate();
      for (double& part : strain) part *= 2.0 * half_time_;
      return {{}, Deformation::exponential(strain)};
    }
    const Deformation friction = this->friction();
    take(state);
    if (targets_move_) follow_targets(state.box);
    kinetic_ = friction.transformed(kinetic_);
    drive();
    thermostat();
    return {friction, {}};
  }

  void start(const PressureState& state, std::int64_t step) override {
    if (!goes_on_ && reads_pressure(step)) take(state);
    goes_on_ = false;
    // Targets of another state of the run were set at this step.
    const bool moved =
        targets_.thermal_energy != kept_.thermal_energy || targets_.pressure != kept_.pressure;
    if (moved) follow_targets(state.box);
  }
  Deformation begin_step(std::int64_t step) override {
    if (!reads_pressure(step)) return {};
    thermostat();
    drive();
    return friction();
  }

  double energy(const Box& box) const override {
    return cost_ + kept_.pressure * box.volume() + kinetic_energy() +
           (chain_ ? chain_->energy() : 0.0);
  }

  std::vector<double> state() const override {
    std::vector<double> state = rate_;
    state.insert(state.end(), kinetic_.begin(), kinetic_.end());
    state.insert(state.end(), virial_.begin(), virial_.end());
    state.push_back(volume_);
    if (targets_move_) {
      state.insert(state.end(), {kept_.thermal_energy, kept_.pressure, cost_});
    }
    if (chain_) {
      const std::vector<double> of_chain = chain_->state();
      state.insert(state.end(), of_chain.begin(), of_chain.end());
    }
    return state;
  }
  void set_state(const std::vector<double>& state) override {
    auto next = state.begin();
    for (double& rate : rate_) rate = *next++;
    for (double& part : kinetic_) part = *next++;
    for (double& part : virial_) part = *next++;
    volume_ = *next++;
    if (targets_move_) {
      kept_.thermal_energy = *next++;
      kept_.pressure = *next++;
      cost_ = *next++;
      targets_ = kept_;
      set_masses();
    }
    if (chain_) chain_->set_state({next, state.end()});
    goes_on_ = true;
  }

 private:
  bool moves(std::int64_t step) const { return step % interval_ == interval_ / 2; }

  /// A mass follows from kT, so that the period stays.
  void set_masses() {
    const double of_degree = kept_.thermal_energy * time_ * time_;
    mass_.clear();
    for (const StrainMode& mode : modes_) {
      mass_.push_back(mode.parts() * (degrees_ + 3.0) / 3.0 * of_degree);
    }
  }
  /// Keeps the targets of this step from now on, and counts what that costs, so that `energy` stays.
  void follow_targets(const Box& box) {
    const double before = energy(box);
    kept_ = targets_;
    set_masses();
    if (chain_) chain_->set_thermal_energy(targets_.thermal_energy);
    cost_ += before - energy(box);
  }

  void take(const PressureState& state) {
    kinetic_ = state.kinetic;
    virial_ = state.virial;
    volume_ = state.box.volume();
  }
  Tensor strain_rate() const {
    Tensor rate{};
    for (std::size_t n = 0; n < modes_.size(); ++n) {
      for (std::size_t k = 0; k < 6; ++k) rate[k] += modes_[n].direction[k] * rate_[n];
    }
    return rate;
  }
  static double trace(const Tensor& tensor) { return tensor[0] + tensor[1] + tensor[2]; }

  /// The change of velocities by the box in half of the interval.
  Deformation friction() const {
    Tensor strain = strain_rate();
    const double common = trace(strain) / degrees_;
    for (std::size_t k = 0; k < 6; ++k) {
      strain[k] = -half_time_ * (kinetic_factor_ * strain[k] + (k < 3 ? common : 0.0));
    }
    return Deformation::exponential(strain);
  }
  /// Changes the strain rates by the pressure in half of the interval.
  void drive() {
    for (std::size_t n = 0; n < modes_.size(); ++n) {
      const StrainMode& mode = modes_[n];
      const double force = kinetic_factor_ * mode.of(kinetic_) + mode.of(virial_) +
                           mode.edges * (trace(kinetic_) / degrees_ - kept_.pressure * volume_);
      rate_[n] += half_time_ * force / mass_[n];
    }
  }
  void thermostat() {
    if (!chain_) return;
    const double factor = chain_->factor(kinetic_energy(), half_time_);
    for (double& rate : rate_) rate *= factor;
  }
  double kinetic_energy() const {
    double energy = 0.0;
    for (std::size_t n = 0; n < modes_.size(); ++n) energy += 0.5 * mass_[n] * rate_[n] * rate_[n];
    return energy;
  }

  std::vector<StrainMode> modes_;
  std::vector<double> rate_, mass_;  ///< rate and mass of the strain of each mode
  double centers_, degrees_ = 0.0, kinetic_factor_ = 1.0;
  struct Targets {
    double thermal_energy = 0.0, pressure = 0.0;
  } kept_, targets_;  ///< those it keeps, and those of the present step
  bool targets_move_ = false;
  double time_ = 0.0;  ///< inverse angular frequency
  double cost_ = 0.0;  ///< of changes of the targets
  std::int64_t interval_;
  double half_time_;                      ///< half of the time between two actions
  std::optional<NoseHooverChain> chain_;  ///< none: constant enthalpy
  Tensor kinetic_{}, virial_{};           ///< from the last step that was due
  double volume_ = 0.0;                   ///< in the last step that was due
  bool goes_on_ = false;                  ///< whether a checkpoint's state was set
};

void check_martyna_tobias_klein(const Input& input, const IsGood& is_good, const Report& report) {
  const auto& barostat = input.barostat;
  if (thermostat_of_run(input) == nullptr && !input.start.temperature && is_good("barostat.kind")) {
    report(Severity::error, "barostat.kind",
           "the mass of the box follows from a temperature; expected that of a [thermostat], or "
           "\"temperature\" in [start] for constant enthalpy");
  }
  if (!has_value(input, is_good, "barostat.interval") || !is_good("barostat.time_constant") ||
      !is_good("run.timestep")) {
    return;
  }
  const std::string place =
      input.places.contains("barostat.interval") ? "barostat.interval" : "barostat";
  const std::int64_t even = 2 * input.time_steps.longest();
  if (barostat.interval % even != 0) {
    report(
        Severity::error, place,
        fmt::format("\"interval\" in [barostat] is {}; with kind = {} expected {}: the box moves "
                    "half-way between two steps that read the pressure",
                    barostat.interval, quote(barostat.kind),
                    even == 2 ? "an even number"
                              : fmt::format("a multiple of {}, twice the longest of "
                                            "[multiple_time_steps]",
                                            even)));
  }
  const double time = static_cast<double>(barostat.interval) * input.run.timestep;
  // The volume of a liquid oscillates about seven times as fast as that of an ideal gas.
  if (time > 0.01 * barostat.time_constant * (1.0 + 1e-9)) {
    report(Severity::error, place,
           fmt::format("the box is driven every {} (interval times time step); expected at most a "
                       "hundredth of the time constant of {}",
                       input.units.text(time, Dimension::time),
                       input.units.text(barostat.time_constant, Dimension::time)));
  } else if (time > 0.005 * barostat.time_constant * (1.0 + 1e-9)) {
    report(Severity::warning, place,
           fmt::format("the box is driven every {} (interval times time step): the conserved "
                       "energy may drift, as particles take up energy from the jumps of the box; "
                       "at most a 200th of the time constant of {} makes it small",
                       input.units.text(time, Dimension::time),
                       input.units.text(barostat.time_constant, Dimension::time)));
  }
}

}  // namespace

BarostatRow barostat::martyna_tobias_klein() {
  return {.name = "martyna_tobias_klein",
          .sentence =
              "Martyna-Tobias-Klein moves the box as a particle, without random numbers and with a "
              "conserved energy (Martyna, Tobias and Klein, J. Chem. Phys. 101, 4177 (1994)); with "
              "a thermostat it has a Nose-Hoover chain of its own and samples the "
              "isothermal-isobaric ensemble, without one the enthalpy is constant.",
          .equations =
              "dV/dt = 3 V v\n"
              "dv/dt = 3 (V (P - P₀) + 2 K / N) / W - ξ v\n"
              "W     = (N + 3) k T (τ / 2π)²",
          .remarks =
              "For a box whose edges change by one factor; v is the rate of that change, and of "
              "other couplings each strain has one. K is the kinetic energy of the centers and N "
              "the number of their degrees of freedom. τ is `time_constant`. ξ is a Nose-Hoover "
              "chain of the box, which is there with a thermostat. The integration is reversible "
              "and has a conserved energy. Where temperature or pressure move, W follows, and the "
              "conserved energy counts what that costs.",
          .source =
              "Martyna, Tobias and Klein, J. Chem. Phys. 101, 4177 (1994); Tuckerman et al., "
              "J. Phys. A 39, 5629 (2006)",
          .aliases = {"mtk", "mttk", "MTTK", "npt_a", "nose_hoover"},
          .time_constant =
              "the period that gives the box its mass, (degrees of freedom + 3) kT "
              "(time_constant / 2 pi)^2: a liquid's box swings about seven times as "
              "fast",
          .keys = {{.name = "chain_time_constant",
                    .target = barostat_option<&MartynaTobiasKleinOptions::chain_time_constant>,
                    .description = "The period of the chain that keeps the temperature of the box.",
                    .default_text = "0: `time_constant`",
                    .dimension = Dimension::time,
                    .range = {.minimum = 0.0}}},
          .needs_thermostat = false,
          .needs_symmetric_virial = true,
          .takes_ramps = true,
          .check = check_martyna_tobias_klein,
          .make = make_barostat<MartynaTobiasKlein>};
}

}  // namespace sterna::md
