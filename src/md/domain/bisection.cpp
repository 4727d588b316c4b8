// Idea: halve the ranks and, by a plane, the cost; then halve both halves again, down to single
// ranks.
// Paper: Berger and Bokhari, IEEE Trans. Comput. C-36 (1987) 570 (recursive coordinate bisection).
// Cost: log2 P levels, each with four reductions and four passes over the local particles.
// Hazards: a plane of an upper level moves all planes below it; regions may have many neighbors.
// Another wins: `sampling`, if reductions are slow; `grid`, if cost is uniform.
#include "md/domain/bisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The position of a plane is found to 1 in kBins^kRounds of the width of its part.
constexpr std::size_t kBins = 64;
constexpr int kRounds = 3;
/// A part changes its cutting axis only if the cost spreads this many times wider along the other.
constexpr double kAxisHysteresis = 1.3;

/// Sums over the particles of one part.
struct Moments {
  std::array<double, 7> sums{};  ///< weight; weight times position; weight times its square
  double weight() const { return sums[0]; }
  /// Standard deviation of the cost along the axis; without any cost, that of a uniform
  /// distribution.
  double spread(int axis, const Region& region) const {
    if (!(weight() > 0.0)) return (region.upper[axis] - region.lower[axis]) / std::sqrt(12.0);
    const auto k = static_cast<std::size_t>(axis);
    const double mean = sums[1 + k] / weight();
    return std::sqrt(std::max(0.0, sums[4 + k] / weight() - mean * mean));
  }
};

/// The search for one plane, by narrowing an interval.
struct Search {
  double lower, upper;  ///< the plane is between these
  double below = 0.0;   ///< cost below `lower`
  double wanted;        ///< cost that should be below the plane
  std::size_t bin(double position) const {
    const double at = (position - lower) / (upper - lower) * static_cast<double>(kBins);
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(kBins - 1)));
  }
};

int widest_axis(const Moments& moments, const Region& region, double least_width, int present) {
  int best = 0;
  double widest = -1.0;
  for (int axis = 0; axis < 3; ++axis) {
    double spread = moments.spread(axis, region);
    // A part too short to be halved along this axis is cut so only if all axes are too short.
    if (region.upper[axis] - region.lower[axis] < 2.0 * least_width) spread *= 1e-3;
    if (axis == present) spread *= kAxisHysteresis;
    if (spread > widest) {
      widest = spread;
      best = axis;
    }
  }
  return best;
}

/// The moments of the points in each of `count` parts from `first` on. Collective.
std::vector<Moments> moments_of_parts(const comm::Context& context,
                                      const DecompositionRequest& request,
                                      const std::vector<std::size_t>& part_of, std::size_t first,
                                      std::size_t count) {
  std::vector<Moments> moments(count);
  for (std::size_t i = 0; i < request.points.size(); ++i) {
    if (part_of[i] < first) continue;
    auto& sums = moments[part_of[i] - first].sums;
    sums[0] += request.weights[i];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double moment = request.weights[i] * request.points[i][static_cast<int>(axis)];
      sums[1 + axis] += moment;
      sums[4 + axis] += moment * request.points[i][static_cast<int>(axis)];
    }
  }
  comm::ReductionBatch(context, "bisection").sum(moments.front().sums.data(), 7 * count).run();
  return moments;
}

/// Narrows the range of each search to the bin that holds the plane. `cuts` and `searches` are those
/// of the parts from `first` on; a part that is not cut has a cut without ranks. Collective.
void narrow_searches(const comm::Context& context, const DecompositionRequest& request,
                     const std::vector<std::size_t>& part_of, std::size_t first,
                     const std::vector<Cut>& cuts, std::vector<Search>& searches) {
  std::vector<double> histogram(cuts.size() * kBins, 0.0);
  for (std::size_t i = 0; i < request.points.size(); ++i) {
    if (part_of[i] < first || cuts[part_of[i] - first].ranks.empty()) continue;
    const std::size_t k = part_of[i] - first;
    const double position = request.points[i][cuts[k].axis];
    if (position < searches[k].lower || position >= searches[k].upper) continue;
    histogram[k * kBins + searches[k].bin(position)] += request.weights[i];
  }
  comm::ReductionBatch(context, "bisection").sum(histogram.data(), histogram.size()).run();
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    if (cuts[k].ranks.empty()) continue;
    Search& search = searches[k];
    const double* bins = histogram.data() + k * kBins;
    std::size_t bin = 0;
    while (bin + 1 < kBins && search.below + bins[bin] < search.wanted) {
      search.below += bins[bin++];
    }
    const double step = (search.upper - search.lower) / static_cast<double>(kBins);
    search.lower += static_cast<double>(bin) * step;
    search.upper = search.lower + step;
  }
}

}  // namespace

std::unique_ptr<Decomposition> make_bisection(const comm::Context& context,
                                              const DecompositionRequest& request) {
  auto tree = std::make_unique<CutTree>(request.box, context.size());
  const auto* previous = dynamic_cast<const CutTree*>(request.previous);
  const auto& points = request.points;
  std::vector<std::size_t> part_of(points.size(), 0);
  // Whether a part's ancestors were all cut along the same axes as in the previous tree.
  std::vector<bool> comparable{previous != nullptr && previous->rank_count() == context.size()};
  for (auto open = tree->open_parts(); !open.empty(); open = tree->open_parts()) {
    // The open parts of a level are stored last, with the single-rank parts of this level.
    const std::size_t first = open.front();
    const std::size_t count = tree->parts().size() - first;
    const std::vector<Moments> moments = moments_of_parts(context, request, part_of, first, count);
    std::vector<Cut> cuts(count);
    std::vector<Search> searches(count);
    for (const std::size_t part : open) {
      const auto& at = tree->parts()[part];
      const Cut* before = comparable[part] ? &previous->parts()[part].cut : nullptr;
      Cut& cut = cuts[part - first];
      cut.ranks = {at.rank_count / 2, at.rank_count - at.rank_count / 2};
      if (before != nullptr && before->ranks != cut.ranks) comparable[part] = false;
      cut.axis = widest_axis(moments[part - first], at.region, request.least_width,
                             comparable[part] ? before->axis : -1);
      if (before != nullptr && before->axis != cut.axis) comparable[part] = false;
      searches[part - first] = {at.region.lower[cut.axis], at.region.upper[cut.axis], 0.0,
                                moments[part - first].weight() * cut.ranks[0] / at.rank_count};
    }

    for (int round = 0; round < kRounds; ++round) {
      narrow_searches(context, request, part_of, first, cuts, searches);
    }
    for (const std::size_t part : open) {
      const auto at = tree->parts()[part];  // a copy, because cutting reallocates the parts
      Cut& cut = cuts[part - first];
      const Search& search = searches[part - first];
      const double lower = at.region.lower[cut.axis], upper = at.region.upper[cut.axis];
      const double plane = moments[part - first].weight() > 0.0
                               ? 0.5 * (search.lower + search.upper)
                               : lower + (upper - lower) * cut.ranks[0] / at.rank_count;
      cut.planes = fit_planes({plane}, lower, upper, request,
                              comparable[part] ? &previous->parts()[part].cut.planes : nullptr);
      tree->cut(part, cut);
      comparable.resize(tree->parts().size(), comparable[part]);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      part_of[i] = tree->child_at(part_of[i], points[i]);
    }
  }
  return tree;
}

}  // namespace sterna::md
