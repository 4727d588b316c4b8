#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {
namespace {

class PositionVariable final : public CenterVariable {
 public:
  explicit PositionVariable(const VariableOptions& options)
      : axis_(index_of(options.axis)), is_absolute_(options.groups.size() == 1) {}

  double period(const Box& box) const override { return is_absolute_ ? box.length[axis_] : 0.0; }

 private:
  double of_centers(std::span<const Vec3> centers, const Box& box, std::span<Vec3> gradients,
                    StrainDerivatives& strain) const override {
    gradients[0][axis_] = 1.0;
    if (is_absolute_) {
      // Without a barostat, which a check requires, no strain is ever asked for.
      int crossings[3];
      return box.wrap(centers[0], crossings)[axis_];
    }
    gradients[1][axis_] = -1.0;
    const Vec3 away = box.nearest_image(centers[0] - centers[1]);
    add_product(strain, gradients[0], away);
    return away[axis_];
  }

  int axis_;
  bool is_absolute_;
};

}  // namespace

VariableRow variable::position() {
  return {.name = "position",
          .sentence =
              "The coordinate of a group's center of mass along an axis, counted from the "
              "box's corner, or from the center of a second group.",
          .least_groups = 1,
          .most_groups = 2,
          .unit = VariableUnit::length,
          .keys = {"axis"},
          .aliases = {"coordinate", "direction"},
          .is_translation_invariant = [](std::size_t groups) { return groups == 2; },
          .is_rotation_invariant = false,
          .narrow_axes =
              [](const VariableOptions& options) {
                std::array<bool, 3> axes{};
                axes[static_cast<std::size_t>(index_of(options.axis))] = true;
                return axes;
              },
          .make = [](const VariableOptions& options) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<PositionVariable>(options);
          }};
}

}  // namespace sterna::md
