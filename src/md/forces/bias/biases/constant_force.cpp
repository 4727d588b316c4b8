#include "md/forces/bias/bias.hpp"

namespace sterna::md {
namespace {

class ConstantForceBias final : public Bias {
 public:
  explicit ConstantForceBias(const BiasOptions& options) : Bias(options), force_(options.force) {}

  double energy(std::span<const double> values, std::span<double> slopes) const override {
    slopes[0] = -force_;
    return -force_ * values[0];
  }
  std::vector<std::pair<std::string, double>> constants() const override {
    return {{"force", force_}};
  }

 private:
  double force_;
};

}  // namespace

BiasRow bias::constant_force() {
  return {.name = "constant_force",
          .sentence =
              "\"constant_force\": -force x, which pulls to larger values. Of a variable "
              "that repeats, its energy jumps where the value does.",
          .keys = {"force"},
          .required_keys = {"force"},
          .aliases = {"constant", "linear"},
          .make = make_bias<ConstantForceBias>};
}

}  // namespace sterna::md
