#include "md/domain/decomposition_method.hpp"

#include <algorithm>

#include "md/domain/bisection.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/domain/sampling.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

constexpr DecompositionRow kDecompositionMethods[] = {
    {"grid", "equal boxes, one for each rank", false, make_regular_grid},
    {"bisection", "the box halved along its widest axis, the halves again, by equal cost", true,
     make_bisection},
    {"sampling", "slabs, columns and boxes of equal cost, cut by a sample of the particles", true,
     make_sampling},
};

}  // namespace

const Registry<DecompositionRow>& decomposition_methods() {
  static const Registry<DecompositionRow> table("decomposition", std::span(kDecompositionMethods));
  return table;
}

const DecompositionRow& decomposition_method(std::string_view name) {
  return decomposition_methods().get(name);
}

std::vector<double> loads(const comm::Context& context, const Decomposition& decomposition,
                          std::span<const Vec3> points, std::span<const double> weights) {
  std::vector<double> sums(static_cast<std::size_t>(decomposition.rank_count()), 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    sums[static_cast<std::size_t>(decomposition.owner(points[i]))] += weights[i];
  }
  comm::ReductionBatch(context, "loads").sum(sums.data(), sums.size()).run();
  return sums;
}

std::vector<double> fit_planes(std::vector<double> ideal, double lower, double upper,
                               const DecompositionRequest& request,
                               const std::vector<double>* previous) {
  const std::size_t count = ideal.size();
  if (previous != nullptr) {
    for (std::size_t k = 0; k < count; ++k) {
      const double below = (*previous)[k] - (k == 0 ? lower : (*previous)[k - 1]);
      const double above = (k + 1 == count ? upper : (*previous)[k + 1]) - (*previous)[k];
      // A former plane may lie outside the part now; then only the rules below hold.
      const double shift = request.largest_shift * std::min(below, above);
      if (shift <= 0.0) continue;
      ideal[k] = std::clamp(ideal[k], (*previous)[k] - shift, (*previous)[k] + shift);
    }
  }
  const double share = (upper - lower) / static_cast<double>(count + 1);
  // The factor 0.999 leaves a margin, so that rounding in the passes below cannot close the last
  // part.
  const double width = request.least_width <= 0.999 * share ? request.least_width : 0.5 * share;
  const double least = std::max(width, 1e-6 * share);
  double limit = lower;
  for (double& plane : ideal) {
    plane = std::max(plane, limit + least);
    limit = plane;
  }
  limit = upper;
  for (auto plane = ideal.rbegin(); plane != ideal.rend(); ++plane) {
    *plane = std::min(*plane, limit - least);
    limit = *plane;
  }
  return ideal;
}

}  // namespace sterna::md
