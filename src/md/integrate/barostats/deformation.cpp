// Idea:    the box is strained at a given rate, and the centers follow it as if the crystal were
//          a continuum. Velocities stay as they are. Edges without a rate may keep a pressure.
// Source:  what LAMMPS's "fix deform" does with "remap x": positions move between two steps, before
//          the kick of the next one. The pressure across: see stochastic_cell_rescaling.cpp.
// Cost:    new neighbor lists each time the box changes; no forces beside those of the step.
// Hazards: rates are those of simulations, many orders of magnitude above those of a machine. The
//          box does work on the particles, so that the conserved energy grows with the strain.
// Others:  a minimization in each strained box ("sterna elastic") has no rate at all.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "md/core/display_text.hpp"
#include "md/integrate/barostats/barostat_table.hpp"
#include "md/integrate/barostats/stochastic_cell_rescaling.hpp"

namespace sterna::md {

namespace {

enum class StrainLaw { engineering, logarithmic };

}  // namespace

template <>
inline constexpr auto choice_table<StrainLaw> = std::to_array<Choice<StrainLaw>>(
    {{"engineering", StrainLaw::engineering,
      "`\"engineering\"`: an edge grows evenly, by parts of its first length."},
     {"true", StrainLaw::logarithmic,
      "`\"true\"`: an edge grows by the same part of its present length in each step."}});

namespace {

struct DeformationOptions {
  double strain_x = 0.0, strain_y = 0.0, strain_z = 0.0;
  double strain_xy = 0.0, strain_xz = 0.0, strain_yz = 0.0;
  double strain_time = 0.0;
  StrainLaw strain_law = StrainLaw::engineering;
  std::int64_t start_step = 0, stop_step = 0;  ///< 0: no end
  std::optional<double> transverse_pressure;
  double transverse_modulus = 0.0, transverse_time = 0.0;

  Tensor strains() const { return {strain_x, strain_y, strain_z, strain_xy, strain_xz, strain_yz}; }
  bool has_shear() const { return strain_xy != 0.0 || strain_xz != 0.0 || strain_yz != 0.0; }
  /// The time from the first step to this one in which the box is strained.
  double time_at(std::int64_t step, double timestep) const {
    const std::int64_t last = stop_step > 0 ? std::min(step, stop_step) : step;
    return static_cast<double>(std::max<std::int64_t>(last - start_step, 0)) * timestep;
  }
  /// What the edge along an axis is multiplied by.
  double stretch(std::size_t axis, double time) const {
    const double strain = strains()[axis] * time / strain_time;
    return strain_law == StrainLaw::engineering ? 1.0 + strain : std::exp(strain);
  }
};

/// The edges of a box as the columns of a matrix.
Deformation edges_of(const Box& box) {
  return {{box.length.x, box.length.y, box.length.z, box.tilt.xy, box.tilt.xz, box.tilt.yz}};
}

std::vector<StrainMode> free_modes(const Tensor& strains) {
  std::vector<StrainMode> modes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (strains[axis] != 0.0) continue;
    modes.push_back({{}, 1.0});
    modes.back().direction[axis] = 1.0;
  }
  return modes;
}

class DeformedBox final : public Barostat {
 public:
  explicit DeformedBox(const BarostatRequest& request)
      : options_(request.input.barostat.options<DeformationOptions>()),
        strains_(options_.strains()),
        interval_(request.input.barostat.interval),
        timestep_(request.input.run.timestep),
        centers_(request.centers) {
    if (!options_.transverse_pressure) return;
    across_.emplace(request.input.run.seed, request.thermal_energy, *options_.transverse_pressure,
                    options_.transverse_modulus, options_.transverse_time, free_modes(strains_));
  }

  void set_degrees_of_freedom(double degrees) override {
    kinetic_factor_ = 3.0 * centers_ / degrees;
  }

  void start(const PressureState& state, std::int64_t) override {
    if (first_box_.length.x == 0.0) first_box_ = state.box;
  }

  bool deforms(std::int64_t step) const override {
    return step % interval_ == 0 && step > options_.start_step &&
           (options_.stop_step == 0 || step - interval_ < options_.stop_step);
  }
  Deformation deformation(const Box& box, std::int64_t step) const override {
    const double time = options_.time_at(step, timestep_);
    Box wanted = box;
    for (std::size_t k = 0; k < 3; ++k) {
      const int axis = static_cast<int>(k);
      if (strains_[k] == 0.0) continue;
      wanted.length[axis] = first_box_.length[axis] * options_.stretch(k, time);
    }
    // The shear of an edge is its offset over the height of the box.
    const Tilt& first = first_box_.tilt;
    const auto offset = [&](double at_first, double first_height, double strain, double height) {
      return (at_first / first_height + strain * time / options_.strain_time) * height;
    };
    const Vec3 &from = first_box_.length, &to = wanted.length;
    wanted.tilt = {offset(first.xy, from.y, strains_[3], to.y),
                   offset(first.xz, from.z, strains_[4], to.z),
                   offset(first.yz, from.z, strains_[5], to.z)};
    if (wanted == box) return {};
    return edges_of(wanted) * edges_of(box).inverse();
  }
  std::optional<Tensor> strain(const Box& box) const override {
    if (first_box_.length.x == 0.0) return Tensor{};
    Tensor strain = (edges_of(box) * edges_of(first_box_).inverse()).parts;
    for (std::size_t axis = 0; axis < 3; ++axis) strain[axis] -= 1.0;
    return strain;
  }

  bool is_due(std::int64_t step) const override { return across_ && step % interval_ == 0; }
  bool reads_pressure(std::int64_t step) const override { return is_due(step); }
  Change act(const PressureState& state, std::int64_t step) override {
    const double time = static_cast<double>(interval_) * timestep_;
    const auto box = Deformation::exponential(
        across_->propose(state.box.volume(), state.tensor(kinetic_factor_), time, step));
    return {box.inverse(), box};
  }
  bool accepts(const PressureState& state, std::int64_t step) override {
    return across_->accepts(state.box.volume(), state.tensor(kinetic_factor_), step);
  }

  void has_lost(double energy) override { lost_ += energy; }
  double energy(const Box&) const override { return lost_; }

  std::vector<double> state() const override {
    const auto edges = edges_of(first_box_).parts;
    std::vector<double> state(edges.begin(), edges.end());
    state.push_back(lost_);
    return state;
  }
  void set_state(const std::vector<double>& state) override {
    first_box_ = {{state.at(0), state.at(1), state.at(2)}, {state.at(3), state.at(4), state.at(5)}};
    lost_ = state.at(6);
  }

 private:
  DeformationOptions options_;
  Tensor strains_;
  std::int64_t interval_;
  double timestep_;
  double centers_, kinetic_factor_ = 1.0;
  Box first_box_{};  ///< of the run's first step; without edges before it is known
  std::optional<StochasticCellRescaling> across_;
  double lost_ = 0.0;
};

constexpr std::array strain_names{"strain_x",  "strain_y",  "strain_z",
                                  "strain_xy", "strain_xz", "strain_yz"};

class DeformationChecker {
 public:
  DeformationChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input),
        options_(input.barostat.options<DeformationOptions>()),
        good_(is_good),
        report_(report) {}

  void check() {
    const Tensor strains = options_.strains();
    bool readable = true;
    for (const char* name : strain_names) readable = readable && is_readable(place(name));
    if (readable && std::ranges::all_of(strains, [](double strain) { return strain == 0.0; })) {
      error("barostat.kind",
            "nothing is strained; expected at least one of \"strain_x\", \"strain_y\", "
            "\"strain_z\", \"strain_xy\", \"strain_xz\" and \"strain_yz\" that is not 0");
    }
    if (options_.stop_step > 0 && options_.stop_step <= options_.start_step &&
        is_readable("barostat.start_step") && good_("barostat.stop_step")) {
      error("barostat.stop_step",
            fmt::format("\"stop_step\" is {}; expected more than the \"start_step\", which is {}",
                        options_.stop_step, options_.start_step));
    }
    lengths();
    across(readable ? strains : Tensor{});
    const bool has_constraints =
        std::ranges::any_of(input_.molecules, [](const Input::Molecule& molecule) {
          return molecule.constrained_bonds != ConstrainedBonds::none ||
                 !molecule.constraints.empty();
        });
    if (has_constraints) {
      error("barostat.kind",
            "kind = \"deformation\" moves atoms one by one, which constraints do not allow");
    }
    if (std::ranges::any_of(input_.types, [](const auto& type) { return type.mass == 0.0; })) {
      error("barostat.kind", "kind = \"deformation\" does not go with virtual sites");
    }
    if (input_.time_steps.longest() > 1) {
      error("barostat.kind", "kind = \"deformation\" does not go with [multiple_time_steps]");
    }
  }

 private:
  static std::string place(const char* name) { return fmt::format("barostat.{}", name); }
  void error(const std::string& at, std::string message) {
    report_(Severity::error, at, std::move(message));
  }
  /// Whether the file lacks the key, or has a value for it that could be read.
  bool is_readable(const std::string& at) const { return !input_.places.contains(at) || good_(at); }

  /// Checks that the box keeps a volume until the end of the run.
  void lengths() {
    if (!good_("barostat.strain_time") || !good_("run.timestep") || !good_("run.steps")) return;
    const double time = options_.time_at(input_.run.steps, input_.run.timestep);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string at = place(strain_names[axis]);
      if (!good_(at)) continue;
      const double stretch = options_.stretch(axis, time);
      if (stretch >= 0.1 && stretch <= 100.0) continue;
      error(at, fmt::format("until step {} the edge would be {:.3g} times as long as at the start; "
                            "expected 0.1 to 100 times",
                            input_.run.steps, stretch));
    }
    for (std::size_t k = 3; k < 6; ++k) {
      const std::string at = place(strain_names[k]);
      const double shear = options_.strains()[k] * time / options_.strain_time;
      if (!good_(at) || std::abs(shear) <= 2.0) continue;
      error(at, fmt::format("until step {} the shear would be {:.3g}; expected -2 to 2, as a box "
                            "that leans more has too many neighbors",
                            input_.run.steps, shear));
    }
  }

  void across(const Tensor& strains) {
    constexpr std::array needed{"transverse_modulus", "transverse_time"};
    const bool keeps = input_.places.contains("barostat.transverse_pressure");
    for (const char* key : needed) {
      const bool given = input_.places.contains(place(key));
      if (keeps && !given) {
        error("barostat.transverse_pressure",
              fmt::format("\"transverse_pressure\" needs {}", quote(key)));
      } else if (given && !keeps) {
        report_(Severity::warning, place(key),
                "without \"transverse_pressure\" this has no effect");
      }
    }
    if (keeps && free_modes(strains).empty()) {
      error("barostat.transverse_pressure",
            "all three edges are strained, so that none can keep a pressure");
    }
  }

  const Input& input_;
  const DeformationOptions& options_;
  const IsGood& good_;
  const Report& report_;
};

void check_deformation(const Input& input, const IsGood& is_good, const Report& report) {
  DeformationChecker(input, is_good, report).check();
}

void complete_deformation(Input& input) {
  input.barostat.coupling = input.barostat.options<DeformationOptions>().has_shear()
                                ? BoxCoupling::triclinic
                                : BoxCoupling::anisotropic;
}

template <auto member>
KeySchema strain_key(std::string_view name, std::string_view description,
                     std::vector<std::string_view> aliases) {
  return {.name = name,
          .target = barostat_option<member>,
          .description = description,
          .aliases = std::move(aliases)};
}

}  // namespace

// It is long because it is a table, with a row for each key of the barostat.
BarostatRow barostat::deformation() {
  using Options = DeformationOptions;
  return {
      .name = "deformation",
      .sentence = "Deformation strains the box at a rate.",
      .equations =
          "engineering  L = L₀ (1 + ε t / τ)\n"
          "true         L = L₀ exp(ε t / τ)\n"
          "shear        offset / height = first offset / first height + ε t / τ",
      .remarks =
          "ε is the strain of an edge and τ is `strain_time`: ε / τ is the rate. L₀ is the length "
          "at the first step of the run. The box changes before the step, every `interval` steps. "
          "The centers move with it as LAMMPS's `fix deform` moves them with `remap x`, and "
          "velocities stay. Edges without a strain keep their length, or with "
          "`transverse_pressure` a pressure, each by stochastic cell rescaling. The log has the "
          "strain and the pressure tensor.",
      .source = "LAMMPS's fix deform, Thompson et al., Comput. Phys. Commun. 271, 108171 (2022)",
      .aliases = {"deform", "strain", "tension", "compression", "fix_deform"},
      .time_constant = {},
      .keys = {strain_key<&Options::strain_x>("strain_x",
                                              "How much the edge along x is strained in each "
                                              "`strain_time`; negative: compressed.",
                                              {"rate_x", "deform_x"}),
               strain_key<&Options::strain_y>("strain_y", "The same along y.",
                                              {"rate_y", "deform_y"}),
               strain_key<&Options::strain_z>("strain_z", "The same along z.",
                                              {"rate_z", "deform_z"}),
               strain_key<&Options::strain_xy>("strain_xy",
                                               "How much the box is sheared in each "
                                               "`strain_time`: the upper face along y moves "
                                               "along x by this part of the height.",
                                               {"rate_xy", "shear"}),
               strain_key<&Options::strain_xz>(
                   "strain_xz", "The same of the upper face along z, along x.", {"rate_xz"}),
               strain_key<&Options::strain_yz>(
                   "strain_yz", "The same of the upper face along z, along y.", {"rate_yz"}),
               {.name = "strain_time",
                .target = barostat_option<&Options::strain_time>,
                .description = "The time in which the box takes these strains: 0.01 in 10 ps is a "
                               "rate of 1e9 per second.",
                .need = Need::required,
                .dimension = Dimension::time,
                .range = {.minimum = 0.0, .exclusive_minimum = true},
                .aliases = {"period", "per"}},
               {.name = "strain_law",
                .target = barostat_option<&Options::strain_law>,
                .description = "How edges grow.",
                .aliases = {"style", "erate", "trate"}},
               {.name = "start_step",
                .target = barostat_option<&Options::start_step>,
                .description = "The last step before the box changes.",
                .range = {.minimum = 0.0, .maximum = most_steps}},
               {.name = "stop_step",
                .target = barostat_option<&Options::stop_step>,
                .description = "The step from which on the box stays.",
                .default_text = "0: the box changes until the end",
                .range = {.minimum = 0.0, .maximum = most_steps}},
               {.name = "transverse_pressure",
                .target = barostat_option<&Options::transverse_pressure>,
                .description = "The pressure that each edge without a strain keeps.",
                .default_text = "these edges keep their lengths",
                .dimension = Dimension::pressure,
                .aliases = {"lateral_pressure"}},
               {.name = "transverse_modulus",
                .target = barostat_option<&Options::transverse_modulus>,
                .description = "A guess of the bulk modulus, which sets how fast these edges "
                               "change. Copper: 140 GPa.",
                .default_text = "needed with `transverse_pressure`",
                .dimension = Dimension::pressure,
                .range = {.minimum = 0.0, .exclusive_minimum = true}},
               {.name = "transverse_time",
                .target = barostat_option<&Options::transverse_time>,
                .description = "The time in which the pressure across relaxes.",
                .default_text = "needed with `transverse_pressure`",
                .dimension = Dimension::time,
                .range = {.minimum = 0.0, .exclusive_minimum = true}}},
      .needs_thermostat = false,
      .keeps_pressure = false,
      .complete = complete_deformation,
      .check = check_deformation,
      .make = make_barostat<DeformedBox>};
}

}  // namespace sterna::md
