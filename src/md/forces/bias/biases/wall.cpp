#include "md/forces/bias/bias.hpp"

namespace sterna::md {
namespace {

class WallBias final : public Bias {
 public:
  explicit WallBias(const BiasOptions& options)
      : Bias(options),
        center_(options.center),
        stiffness_(options.stiffness),
        is_above_(options.is_above) {}

  double energy(std::span<const double> values, std::span<double> slopes) const override {
    const double away = variables()[0].from(center_, values[0]);
    const bool is_behind = is_above_ ? away > 0.0 : away < 0.0;
    slopes[0] = is_behind ? stiffness_ * away : 0.0;
    return is_behind ? 0.5 * stiffness_ * away * away : 0.0;
  }
  std::vector<std::pair<std::string, double>> constants() const override {
    return {{is_above_ ? "upper_wall" : "lower_wall", center_}, {"stiffness", stiffness_}};
  }

 private:
  double center_, stiffness_;
  bool is_above_;
};

}  // namespace

BiasRow bias::wall() {
  return {.name = "wall",
          .sentence =
              "\"wall\": (stiffness/2) (x - center)^2 where x is beyond the center, and 0 "
              "on the other side.",
          .keys = {"center", "stiffness", "side"},
          .required_keys = {"center", "stiffness", "side"},
          .aliases = {"upper_wall", "lower_wall", "walls", "upper_walls", "lower_walls"},
          .make = make_bias<WallBias>};
}

}  // namespace sterna::md
