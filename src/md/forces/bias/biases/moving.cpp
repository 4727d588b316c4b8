#include <algorithm>

#include "md/forces/bias/bias.hpp"

namespace sterna::md {
namespace {

/// The center goes evenly from `center` at `start_step` to `end_center` at `stop_step`. It does not
/// take the shorter way around a period, so that a torsion can be turned by more than 180 degrees.
class MovingBias final : public Bias {
 public:
  explicit MovingBias(const BiasOptions& options)
      : Bias(options),
        stiffness_(options.stiffness),
        from_(options.center),
        to_(options.end_center),
        start_(options.start_step),
        stop_(options.stop_step),
        center_(from_),
        earlier_(from_) {}

  void go_to(std::int64_t step) override {
    if (step == step_) return;
    earlier_ = step_ < 0 ? at(step) : center_;
    center_ = at(step);
    step_ = step;
  }
  bool changes() const override { return true; }
  double energy(std::span<const double> values, std::span<double> slopes) const override {
    const double away = variables()[0].from(center_, values[0]);
    slopes[0] = stiffness_ * away;
    return 0.5 * stiffness_ * away * away;
  }
  /// The change of half a square, without the difference of two large numbers.
  double change(std::span<const double> values) const override {
    const double away = variables()[0].from(center_, values[0]);
    const double moved = center_ - earlier_;
    return -stiffness_ * moved * (away + 0.5 * moved);
  }
  std::vector<std::pair<std::string, double>> columns() const override {
    return {{"center", center_}};
  }
  std::vector<std::pair<std::string, double>> constants() const override {
    return {{"stiffness", stiffness_}};
  }

 private:
  double at(std::int64_t step) const {
    const double part = static_cast<double>(std::clamp(step, start_, stop_) - start_) /
                        static_cast<double>(std::max<std::int64_t>(stop_ - start_, 1));
    return from_ + part * (to_ - from_);
  }

  double stiffness_, from_, to_;
  std::int64_t start_, stop_;
  std::int64_t step_ = -1;
  double center_, earlier_;
};

}  // namespace

BiasRow bias::moving() {
  return {.name = "moving",
          .sentence =
              "\"moving\": an umbrella whose center moves evenly from `center` to "
              "`end_center`, with the work that this takes.",
          .keys = {"center", "end_center", "stiffness", "start_step", "stop_step"},
          .required_keys = {"center", "end_center", "stiffness", "stop_step"},
          .aliases = {"moving_restraint", "pull", "pulling", "steered"},
          .make = make_bias<MovingBias>};
}

}  // namespace sterna::md
