#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {
namespace {

class DistanceVariable final : public CenterVariable {
  double of_centers(std::span<const Vec3> centers, const Box& box, std::span<Vec3> gradients,
                    StrainDerivatives& strain) const override {
    const Vec3 away = box.nearest_image(centers[1] - centers[0]);
    const double distance = length(away);
    if (!(distance > 0.0)) return 0.0;
    gradients[1] = (1.0 / distance) * away;
    gradients[0] = -1.0 * gradients[1];
    add_product(strain, gradients[1], away);
    return distance;
  }
};

}  // namespace

VariableRow variable::distance() {
  return {.name = "distance",
          .sentence = "The distance of the centers of mass of two groups, of nearest images.",
          .least_groups = 2,
          .most_groups = 2,
          .unit = VariableUnit::length,
          .aliases = {"bond"},
          .make = [](const VariableOptions&) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<DistanceVariable>();
          }};
}

}  // namespace sterna::md
