#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "md/forces/bias/bias.hpp"

namespace sterna::md {
namespace {

/// Hills end here, as PLUMED's do: at half the sum of squared distances over widths. They are shifted
/// and stretched, so that they are 0 there and have their height at the center.
constexpr double end_of_hill = 6.25;

/// W(x) = sum of h_j exp(-sum (x - x_j)^2 / (2 width^2)): Laio and Parrinello, PNAS 99, 12562 (2002).
/// Well-tempered: h_j = h exp(-W(x_j) / ((bias_factor - 1) k T)): Barducci, Bussi and Parrinello,
/// Phys. Rev. Lett. 100, 020603 (2008). A hill acts from the step after its own on.
class MetadynamicsBias final : public Bias {
 public:
  explicit MetadynamicsBias(const BiasOptions& options)
      : Bias(options),
        height_(options.height),
        widths_(options.widths),
        interval_(options.interval),
        bias_factor_(options.bias_factor),
        thermal_energy_(options.thermal_energy) {}

  void go_to(std::int64_t step) override {
    if (step == step_) return;
    before_ = acting_;
    while (acting_ < hills_.size() && hills_[acting_].step < step) ++acting_;
    step_ = step;
  }
  bool changes() const override { return true; }
  double energy(std::span<const double> values, std::span<double> slopes) const override {
    for (double& slope : slopes) slope = 0.0;
    double sum = 0.0;
    for (std::size_t k = 0; k < acting_; ++k) sum += add_hill(hills_[k], values, slopes);
    return sum;
  }
  double change(std::span<const double> values) const override {
    double sum = 0.0;
    for (std::size_t k = before_; k < acting_; ++k) sum += add_hill(hills_[k], values, {});
    return sum;
  }
  void take(std::int64_t step, double time, std::span<const double> values) override {
    if (step == 0 || step % interval_ != 0) return;
    Hill hill{step, time, height_, {}};
    if (bias_factor_ > 0.0) {
      std::vector<double> slopes(values.size());
      hill.height *= std::exp(-energy(values, slopes) / ((bias_factor_ - 1.0) * thermal_energy_));
    }
    hill.center.assign(values.begin(), values.end());
    hills_.push_back(std::move(hill));
  }

  bool has_hills() const override { return true; }
  std::size_t hill_count() const override { return hills_.size(); }
  std::string hills_head() const override {
    std::string text = "#! FIELDS time";
    for (const BiasedVariable& of : variables()) text += " " + of.name;
    for (const BiasedVariable& of : variables()) text += " sigma_" + of.name;
    text += " height biasf\n#! SET multivariate false\n#! SET kerneltype stretched-gaussian\n";
    for (const BiasedVariable& of : variables()) {
      if (of.period == 0.0) continue;
      const bool is_angle = of.least == -std::numbers::pi;
      const std::string lower = is_angle ? "-pi" : fmt::format("{:.16g}", of.least);
      const std::string upper = is_angle ? "pi" : fmt::format("{:.16g}", of.least + of.period);
      text += fmt::format("#! SET min_{0} {1}\n#! SET max_{0} {2}\n", of.name, lower, upper);
    }
    return text;
  }
  /// Heights are those of the sum that is minus the free energy, as in PLUMED's files.
  std::string hills_text(std::size_t first) const override {
    const double factor = bias_factor_ > 0.0 ? bias_factor_ / (bias_factor_ - 1.0) : 1.0;
    std::string text;
    for (std::size_t k = first; k < hills_.size(); ++k) {
      text += fmt::format("{:.12g}", hills_[k].time);
      for (const double value : hills_[k].center) text += fmt::format(" {:.16g}", value);
      for (const double width : widths_) text += fmt::format(" {:.16g}", width);
      text += fmt::format(" {:.16g} {:.16g}\n", factor * hills_[k].height,
                          bias_factor_ > 0.0 ? bias_factor_ : 1.0);
    }
    return text;
  }

  std::vector<double> state() const override {
    std::vector<double> state{static_cast<double>(variables().size())};
    for (const Hill& hill : hills_) {
      state.insert(state.end(), {static_cast<double>(hill.step), hill.time, hill.height});
      state.insert(state.end(), hill.center.begin(), hill.center.end());
    }
    return state;
  }
  void restore(std::span<const double> state) override {
    const std::size_t numbers = 3 + variables().size();
    if (state.empty() || state[0] != static_cast<double>(variables().size()) ||
        (state.size() - 1) % numbers != 0) {
      throw std::invalid_argument("the biases are of another input");
    }
    hills_.clear();
    for (std::size_t at = 1; at < state.size(); at += numbers) {
      Hill& hill = hills_.emplace_back();
      hill = {static_cast<std::int64_t>(state[at]), state[at + 1], state[at + 2], {}};
      const auto center = state.subspan(at + 3, variables().size());
      hill.center.assign(center.begin(), center.end());
    }
  }

 private:
  struct Hill {
    std::int64_t step;
    double time, height;
    std::vector<double> center;
  };

  double add_hill(const Hill& hill, std::span<const double> values,
                  std::span<double> slopes) const {
    static const double edge = std::exp(-end_of_hill), stretch = 1.0 / (1.0 - edge);
    double squares = 0.0;
    for (std::size_t d = 0; d < values.size(); ++d) {
      const double away = variables()[d].from(hill.center[d], values[d]) / widths_[d];
      squares += 0.5 * away * away;
      if (squares >= end_of_hill) return 0.0;
    }
    const double top = hill.height * stretch * std::exp(-squares);
    for (std::size_t d = 0; d < slopes.size(); ++d) {
      slopes[d] -= top * variables()[d].from(hill.center[d], values[d]) / (widths_[d] * widths_[d]);
    }
    return top - hill.height * stretch * edge;
  }

  double height_;
  std::vector<double> widths_;
  std::int64_t interval_;
  double bias_factor_, thermal_energy_;
  std::vector<Hill> hills_;
  std::size_t acting_ = 0, before_ = 0;  ///< how many act in this step, and in the one before
  std::int64_t step_ = -1;
};

}  // namespace

BiasRow bias::metadynamics() {
  return {.name = "metadynamics",
          .sentence =
              "\"metadynamics\": a sum of hills, one more after each `interval`, which fills "
              "the valleys of the free energy.",
          .most_variables = 4,
          .keys = {"variables", "height", "widths", "interval", "bias_factor", "temperature"},
          .required_keys = {"height", "widths", "interval"},
          .aliases = {"metad", "metadynamic", "well_tempered"},
          .make = make_bias<MetadynamicsBias>};
}

}  // namespace sterna::md
