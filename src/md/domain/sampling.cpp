// Idea: sample particles in proportion to their cost; cut the sample into slabs, columns, boxes.
// Paper: Ishiyama, Fukushige, Makino, PASJ 61 (2009) 1319; Iwasawa et al., PASJ 68 (2016) 54.
// Cost: each rank sends a few thousand sampled positions to one rank, which returns cuts: two
// latencies.
// Hazards: one rank sorts the whole sample, so beyond 500 ranks each rank may send fewer positions.
// Another wins: `bisection`, if there are many ranks; `grid`, if cost is uniform.
#include "md/domain/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

constexpr double kSamplesPerRank = 4000.0;
constexpr double kMostSamples = 2e6;
/// Another arrangement of slabs and columns is taken if its surface is below this share of the old.
constexpr double kSurfaceHysteresis = 0.8;

/// Takes one position per `stride` of cost, in the order of the store. This is the order of the
/// cells, so the sample is as evenly distributed as the particles.
std::string sample(const DecompositionRequest& request, double stride) {
  std::string bytes;
  double next = 0.5 * stride, sum = 0.0;
  for (std::size_t i = 0; i < request.points.size(); ++i) {
    sum += request.weights[i];
    for (; next < sum; next += stride) {
      bytes.append(reinterpret_cast<const char*>(&request.points[i]), sizeof(Vec3));
    }
  }
  return bytes;
}

/// `total` divided into `count` parts that differ by at most one.
std::vector<int> share_out(int total, int count) {
  std::vector<int> shares;
  for (int k = 0; k < count; ++k) shares.push_back(total / count + (k < total % count ? 1 : 0));
  return shares;
}

Vec3 spread(const std::vector<Vec3>& points, const Vec3& length) {
  Vec3 mean, square, result;
  for (const Vec3& p : points) {
    for (int axis = 0; axis < 3; ++axis) {
      mean[axis] += p[axis];
      square[axis] += p[axis] * p[axis];
    }
  }
  const auto n = static_cast<double>(points.size());
  for (int axis = 0; axis < 3; ++axis) {
    const double variance =
        n > 0.0 ? square[axis] / n - mean[axis] / n * (mean[axis] / n) : length[axis] / 12.0;
    result[axis] = std::sqrt(std::max(variance, 1e-6 * length[axis] * length[axis]));
  }
  return result;
}

/// The mean number of parts along x, y and z. The area of all cuts is proportional to the sum of
/// parts over spread, if the particles have this spread.
Vec3 parts_per_axis(const CutTree& tree) {
  Vec3 cuts, parts;
  for (const auto& part : tree.parts()) {
    if (!part.is_cut()) continue;
    cuts[part.cut.axis] += 1.0;
    parts[part.cut.axis] += static_cast<double>(part.cut.ranks.size());
  }
  for (int axis = 0; axis < 3; ++axis) parts[axis] = cuts[axis] > 0 ? parts[axis] / cuts[axis] : 1;
  return parts;
}

double surface(const Vec3& parts, const Vec3& spread) {
  return parts.x / spread.x + parts.y / spread.y + parts.z / spread.z;
}

int rounded(double parts, int most) {
  return static_cast<int>(std::clamp(std::round(parts), 1.0, static_cast<double>(most)));
}

/// Cuts all open parts on rank 0, level by level: with the shape of the previous tree, or else by
/// the spread of the particles.
class Cutter {
 public:
  Cutter(const DecompositionRequest& request, int ranks, std::vector<Vec3> points)
      : request_(request), points_(std::move(points)), tree_(request.box, ranks) {}

  std::vector<Cut> cut() {
    const Vec3 width = spread(points_, request_.box.length);
    const auto* previous = dynamic_cast<const CutTree*>(request_.previous);
    if (previous != nullptr && previous->rank_count() != tree_.rank_count()) previous = nullptr;
    const double one = std::cbrt(tree_.rank_count() / (width.x * width.y * width.z));
    const int slabs = rounded(one * width.x, tree_.rank_count());
    const auto columns = [&](int ranks) {
      return rounded(std::sqrt(ranks * width.y / width.z), ranks);
    };
    const double in_slab = static_cast<double>(tree_.rank_count()) / slabs;
    const double ny = columns(static_cast<int>(std::ceil(in_slab)));
    if (previous != nullptr && kSurfaceHysteresis * surface(parts_per_axis(*previous), width) >
                                   surface({static_cast<double>(slabs), ny, in_slab / ny}, width)) {
      previous = nullptr;
    }
    std::vector<int> axis_of{0};  // the axis along which each part is cut
    spans_ = {{0, points_.size()}};
    for (std::size_t part = 0; part < tree_.parts().size(); ++part) {
      const int ranks = tree_.parts()[part].rank_count;
      if (ranks == 1) continue;
      if (previous != nullptr) {
        const Cut& before = previous->parts()[part].cut;
        divide(part, before.axis, before.ranks, &before.planes);
      } else {
        int axis = axis_of[part];
        int count = axis == 0 ? slabs : axis == 1 ? columns(ranks) : ranks;
        while (count == 1) {
          ++axis;
          count = axis == 1 ? columns(ranks) : ranks;
        }
        divide(part, axis, share_out(ranks, count), nullptr);
        axis_of.resize(tree_.parts().size(), axis + 1);
      }
    }
    return tree_.cuts();
  }

 private:
  void divide(std::size_t part, int axis, const std::vector<int>& ranks,
              const std::vector<double>* previous) {
    const auto at = tree_.parts()[part];  // a copy, because cutting reallocates the parts
    const auto [begin, end] = spans_[part];
    const auto first = points_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = points_.begin() + static_cast<std::ptrdiff_t>(end);
    std::sort(first, last, [&](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    const double lower = at.region.lower[axis], upper = at.region.upper[axis];
    std::vector<double> planes;
    double share = 0.0;
    for (std::size_t k = 0; k + 1 < ranks.size(); ++k) {
      share += static_cast<double>(ranks[k]) / at.rank_count;
      const auto place = static_cast<std::size_t>(std::round(share * double(end - begin)));
      planes.push_back(place == 0 || begin + place >= end
                           ? lower + share * (upper - lower)
                           : 0.5 *
                                 (points_[begin + place - 1][axis] + points_[begin + place][axis]));
    }
    Cut cut{axis, ranks, fit_planes(std::move(planes), lower, upper, request_, previous)};
    tree_.cut(part, cut);
    auto from = first;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const auto to = k < cut.planes.size()
                          ? std::lower_bound(from, last, cut.planes[k],
                                             [&](const Vec3& p, double x) { return p[axis] < x; })
                          : last;
      spans_.emplace_back(from - points_.begin(), to - points_.begin());
      from = to;
    }
  }

  const DecompositionRequest& request_;
  std::vector<Vec3> points_;
  CutTree tree_;
  std::vector<std::pair<std::size_t, std::size_t>> spans_;  ///< of the sample, for each part
};

template <class T>
void append_raw(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T>
T take(const char*& bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  bytes += sizeof(T);
  return value;
}

}  // namespace

std::unique_ptr<Decomposition> make_sampling(const comm::Context& context,
                                             const DecompositionRequest& request) {
  double total = std::accumulate(request.weights.begin(), request.weights.end(), 0.0);
  comm::ReductionBatch(context, "sampling").sum(total).run();
  const double samples = std::min(kSamplesPerRank * context.size(), kMostSamples);
  const auto all =
      comm::gather(context, 0, total > 0.0 ? sample(request, total / samples) : std::string());
  std::string bytes;
  if (context.rank() == 0) {
    std::vector<Vec3> points;
    for (const std::string& text : all) {
      const std::size_t before = points.size();
      points.resize(before + text.size() / sizeof(Vec3));
      if (!text.empty()) std::memcpy(points.data() + before, text.data(), text.size());
    }
    for (const Cut& cut : Cutter(request, context.size(), std::move(points)).cut()) {
      append_raw(bytes, cut.axis);
      append_raw(bytes, cut.ranks.size());
      for (const int ranks : cut.ranks) append_raw(bytes, ranks);
      for (const double plane : cut.planes) append_raw(bytes, plane);
    }
  }
  comm::broadcast(context, 0, bytes);
  std::vector<Cut> cuts;
  const char* const end = bytes.data() + bytes.size();
  for (const char* at = bytes.data(); at < end;) {
    Cut cut;
    cut.axis = take<int>(at);
    cut.ranks.resize(take<std::size_t>(at));
    for (int& ranks : cut.ranks) ranks = take<int>(at);
    cut.planes.resize(cut.ranks.size() - 1);
    for (double& plane : cut.planes) plane = take<double>(at);
    cuts.push_back(std::move(cut));
  }
  return std::make_unique<CutTree>(request.box, context.size(), cuts);
}

}  // namespace sterna::md
