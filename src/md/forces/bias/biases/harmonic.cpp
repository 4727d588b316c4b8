#include "md/forces/bias/bias.hpp"

namespace sterna::md {
namespace {

class HarmonicBias final : public Bias {
 public:
  explicit HarmonicBias(const BiasOptions& options)
      : Bias(options), center_(options.center), stiffness_(options.stiffness) {}

  double energy(std::span<const double> values, std::span<double> slopes) const override {
    const double away = variables()[0].from(center_, values[0]);
    slopes[0] = stiffness_ * away;
    return 0.5 * stiffness_ * away * away;
  }
  std::vector<std::pair<std::string, double>> constants() const override {
    return {{"center", center_}, {"stiffness", stiffness_}};
  }

 private:
  double center_, stiffness_;
};

}  // namespace

BiasRow bias::harmonic() {
  return {.name = "harmonic",
          .sentence = "\"harmonic\": an umbrella, (stiffness/2) (x - center)^2.",
          .keys = {"center", "stiffness"},
          .required_keys = {"center", "stiffness"},
          .aliases = {"umbrella", "restraint"},
          .make = make_bias<HarmonicBias>};
}

}  // namespace sterna::md
