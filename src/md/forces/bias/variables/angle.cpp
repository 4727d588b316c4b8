#include <cmath>

#include "md/core/cross_product.hpp"
#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {
namespace {

class AngleVariable final : public CenterVariable {
  double of_centers(std::span<const Vec3> centers, const Box& box, std::span<Vec3> gradients,
                    StrainDerivatives& strain) const override {
    const Vec3 a = box.nearest_image(centers[0] - centers[1]);
    const Vec3 b = box.nearest_image(centers[2] - centers[1]);
    const Vec3 normal = cross(a, b);
    const double sine = length(normal);
    const double angle = std::atan2(sine, dot(a, b));
    // The derivative has no direction where the three are in a line.
    if (!(sine > 0.0)) return angle;
    gradients[0] = (1.0 / (dot(a, a) * sine)) * cross(a, normal);
    gradients[2] = (1.0 / (dot(b, b) * sine)) * cross(normal, b);
    gradients[1] = -1.0 * (gradients[0] + gradients[2]);
    add_product(strain, gradients[0], a);
    add_product(strain, gradients[2], b);
    return angle;
  }
};

}  // namespace

VariableRow variable::angle() {
  return {.name = "angle",
          .sentence =
              "The angle at the center of the second of three groups, from 0 to 180 "
              "degrees.",
          .least_groups = 3,
          .most_groups = 3,
          .unit = VariableUnit::angle,
          .make = [](const VariableOptions&) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<AngleVariable>();
          }};
}

}  // namespace sterna::md
