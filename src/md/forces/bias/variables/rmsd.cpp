#include <cmath>
#include <utility>

#include "md/forces/bias/collective_variable.hpp"
#include "md/system/best_fit.hpp"

namespace sterna::md {
namespace {

/// The sums are the matrix of w d_a y_b, row by row, those of w d_a d_b and of w d, for positions d
/// from the group's point and reference positions y about their center. As the best rotation makes
/// the deviation least, its change adds nothing to the derivatives.
class RmsdVariable final : public CollectiveVariable {
 public:
  explicit RmsdVariable(const VariableOptions& options) : mass_weighted_(options.mass_weighted) {}

  bool needs_numbers() const override { return true; }
  bool needs_reference() const override { return true; }
  void set_reference(std::vector<Vec3> reference) override { reference_ = std::move(reference); }
  std::span<const Vec3> reference() const override { return reference_; }

  std::size_t sum_count(Groups) const override { return 20; }
  void add_sums(Groups groups, std::span<double> sums) override {
    const GroupMembers& group = groups[0];
    StrainDerivatives squares{};
    for (std::size_t k = 0; k < group.here.size(); ++k) {
      const Vec3& at = group.from_point[k];
      const Vec3& wanted = reference_[group.here[k].number];
      const double weight = weight_of(group.here[k]);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          sums[static_cast<std::size_t>(3 * a + b)] += weight * at[a] * wanted[b];
        }
        sums[static_cast<std::size_t>(15 + a)] += weight * at[a];
      }
      add_product(squares, weight * at, at);
      sums[18] += weight * dot(wanted, wanted);
      sums[19] += weight;
    }
    for (std::size_t k = 0; k < 6; ++k) sums[9 + k] += squares[k];
  }

  double evaluate(Groups, std::span<const double> sums, std::span<const double>,
                  const Box&) override {
    weight_ = sums[19];
    center_ = (1.0 / weight_) * Vec3{sums[15], sums[16], sums[17]};
    StrainDerivatives squares{};
    add_product(squares, -weight_ * center_, center_);
    for (std::size_t k = 0; k < 6; ++k) squares[k] += sums[9 + k];
    const BestFit best = best_fit(sums.first<9>());
    rotation_ = best.rotation;
    const double all = squares[0] + squares[1] + squares[2] + sums[18];
    const double left = all - 2.0 * best.overlap;
    // Below this is rounding, which has no direction.
    deviation_ = left > 1e-13 * all ? std::sqrt(left / weight_) : 0.0;
    strain_ = {};
    if (!(deviation_ > 0.0)) return 0.0;
    const auto turn = rotation_.conjugate().matrix();
    constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (std::size_t k = 0; k < 6; ++k) {
      const auto row = static_cast<std::size_t>(3 * second[k]);
      const Vec3 of_matrix{sums[row], sums[row + 1], sums[row + 2]};
      const double turned = dot(turn[static_cast<std::size_t>(first[k])], of_matrix);
      strain_[k] = (squares[k] - turned) / (weight_ * deviation_);
    }
    return deviation_;
  }
  StrainDerivatives strain() const override { return strain_; }
  void add_forces(double factor, Groups groups, std::span<Vec3> forces) const override {
    if (!(deviation_ > 0.0)) return;
    const GroupMembers& group = groups[0];
    for (std::size_t k = 0; k < group.here.size(); ++k) {
      const GroupMembers::Member& member = group.here[k];
      const Vec3 wanted = rotation_.to_body(reference_[member.number]);
      forces[member.index] += (factor * weight_of(member) / (weight_ * deviation_)) *
                              (group.from_point[k] - center_ - wanted);
    }
  }

 private:
  double weight_of(const GroupMembers::Member& member) const {
    return mass_weighted_ ? member.weight : 1.0;
  }

  bool mass_weighted_;
  std::vector<Vec3> reference_;
  double weight_ = 0.0, deviation_ = 0.0;
  Vec3 center_;
  Quaternion rotation_;
  StrainDerivatives strain_{};
};

}  // namespace

VariableRow variable::rmsd() {
  return {.name = "rmsd",
          .sentence =
              "The root mean square deviation of a group's atoms from reference positions, "
              "after the best fit.",
          .least_groups = 1,
          .most_groups = 1,
          .unit = VariableUnit::length,
          .keys = {"mass_weighted", "reference_file"},
          .make = [](const VariableOptions& options) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<RmsdVariable>(options);
          }};
}

}  // namespace sterna::md
