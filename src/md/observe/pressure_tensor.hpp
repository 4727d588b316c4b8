#pragma once

#include <array>
#include <optional>
#include <vector>

#include "md/core/axis.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/observer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

enum class SurfaceNormal { none, x, y, z };
template <>
inline constexpr auto choice_table<SurfaceNormal> =
    std::to_array<Choice<SurfaceNormal>>({{"none", SurfaceNormal::none},
                                          {"x", SurfaceNormal::x},
                                          {"y", SurfaceNormal::y},
                                          {"z", SurfaceNormal::z}});

struct PressureTensorOptions {                         ///< [pressure_tensor]
  std::int64_t interval = 0;                           ///< 0: none
  SurfaceNormal surface_normal = SurfaceNormal::none;  ///< whether and how the surface tension is
                                                       ///< computed

  std::optional<Axis> normal() const {
    if (surface_normal == SurfaceNormal::none) return std::nullopt;
    return static_cast<Axis>(static_cast<int>(surface_normal) - 1);
  }
};

/// Collective. The pressure tensor of one frame: xx yy zz xy xz yz.
std::array<double, 6> pressure_tensor(const comm::Context& context, const Frame& frame);

/// Averages of the pressure tensor, P_ab = (sum m v_a v_b + sum over pairs r_b f_a) / V. If two
/// planar interfaces lie across an axis n, their surface tension is gamma = L_n / 2 (P_nn - (P_tt +
/// P_ss) / 2) (Kirkwood and Buff, J. Chem. Phys. 17, 338 (1949)). A homogeneous correction beyond
/// the cutoff adds the same to all three diagonal elements, so the surface tension is that of the
/// truncated potential; a planar correction is in the virial of the pairs.
class PressureTensor : public Observer {
 public:
  /// `surface_normal`: the axis perpendicular to the interfaces.
  PressureTensor(const comm::Context& context, std::int64_t interval,
                 std::optional<int> surface_normal, const UnitSystem& units);

  void sample(const Frame& frame) override;
  std::vector<double> common() const override { return series_.state(); }
  void set_common(std::span<const double> values) override { series_.set_state(values); }
  ObserverReport report(std::span<const double> all_sums) const override;

 private:
  comm::Context context_;
  std::optional<int> surface_normal_;
  UnitSystem units_;
  BatchMeans series_;  ///< xx yy zz xy xz yz, and the surface tension if computed
};

}  // namespace sterna::md
