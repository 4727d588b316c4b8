#include <cmath>

#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {
namespace {

/// R^2 = sum of m |r - c|^2 / M. The sums are those of m r_a r_b, relative to the group's point.
class GyrationVariable final : public CollectiveVariable {
 public:
  std::size_t sum_count(Groups) const override { return 6; }
  void add_sums(Groups groups, std::span<double> sums) override {
    StrainDerivatives all{};
    for (std::size_t k = 0; k < groups[0].here.size(); ++k) {
      const Vec3& at = groups[0].from_point[k];
      add_product(all, groups[0].here[k].weight * at, at);
    }
    for (std::size_t k = 0; k < 6; ++k) sums[k] += all[k];
  }
  double evaluate(Groups groups, std::span<const double> sums, std::span<const double>,
                  const Box&) override {
    const double mass = groups[0].mass;
    StrainDerivatives about_center{};
    add_product(about_center, -mass * groups[0].center, groups[0].center);
    for (std::size_t k = 0; k < 6; ++k) about_center[k] += sums[k];
    const double squared = (about_center[0] + about_center[1] + about_center[2]) / mass;
    radius_ = squared > 0.0 ? std::sqrt(squared) : 0.0;
    strain_ = {};
    if (!(radius_ > 0.0)) return radius_;
    for (std::size_t k = 0; k < 6; ++k) strain_[k] = about_center[k] / (mass * radius_);
    return radius_;
  }
  StrainDerivatives strain() const override { return strain_; }
  void add_forces(double factor, Groups groups, std::span<Vec3> forces) const override {
    if (!(radius_ > 0.0)) return;
    const GroupMembers& group = groups[0];
    for (std::size_t k = 0; k < group.here.size(); ++k) {
      forces[group.here[k].index] += (factor * group.here[k].weight / (group.mass * radius_)) *
                                     (group.from_point[k] - group.center);
    }
  }

 private:
  double radius_ = 0.0;
  StrainDerivatives strain_{};
};

}  // namespace

VariableRow variable::radius_of_gyration() {
  return {.name = "radius_of_gyration",
          .sentence = "The radius of gyration of a group, weighed by mass.",
          .least_groups = 1,
          .most_groups = 1,
          .unit = VariableUnit::length,
          .aliases = {"gyration", "rg"},
          .make = [](const VariableOptions&) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<GyrationVariable>();
          }};
}

}  // namespace sterna::md
