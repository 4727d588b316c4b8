#include <cmath>
#include <numbers>

#include "md/core/cross_product.hpp"
#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {
namespace {

/// Derivatives: Blondel and Karplus, J. Comput. Chem. 17, 1132 (1996).
class TorsionVariable final : public CenterVariable {
 public:
  double period(const Box&) const override { return 2.0 * std::numbers::pi; }
  double least() const override { return -std::numbers::pi; }

 private:
  double of_centers(std::span<const Vec3> centers, const Box& box, std::span<Vec3> gradients,
                    StrainDerivatives& strain) const override {
    const Vec3 f = box.nearest_image(centers[0] - centers[1]);
    const Vec3 g = box.nearest_image(centers[1] - centers[2]);
    const Vec3 h = box.nearest_image(centers[3] - centers[2]);
    const Vec3 a = cross(f, g), b = cross(h, g);
    const double axis = length(g), aa = dot(a, a), bb = dot(b, b);
    if (!(axis > 0.0) || !(aa > 0.0) || !(bb > 0.0)) return 0.0;
    const double angle = std::atan2(dot(cross(b, a), g) / axis, dot(a, b));
    // Derivatives by f, g and h.
    const Vec3 by_f = (-axis / aa) * a;
    const Vec3 by_h = (axis / bb) * b;
    const Vec3 by_g = (dot(f, g) / (aa * axis)) * a - (dot(h, g) / (bb * axis)) * b;
    gradients[0] = by_f;
    gradients[1] = by_g - by_f;
    gradients[2] = -1.0 * (by_g + by_h);
    gradients[3] = by_h;
    add_product(strain, by_f, f);
    add_product(strain, by_g, g);
    add_product(strain, by_h, h);
    return angle;
  }
};

}  // namespace

VariableRow variable::torsion() {
  return {.name = "torsion",
          .sentence =
              "The torsion about the line between the centers of the second and third of "
              "four groups, from -180 to 180 degrees; trans is 180.",
          .least_groups = 4,
          .most_groups = 4,
          .unit = VariableUnit::angle,
          .aliases = {"dihedral"},
          .make = [](const VariableOptions&) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<TorsionVariable>();
          }};
}

}  // namespace sterna::md
