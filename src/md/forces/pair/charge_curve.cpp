#include "md/forces/pair/charge_curve.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// The number of intervals. They have 24 KiB of numbers, which stay in the first two caches.
constexpr int intervals_in_all = 512;

}  // namespace

ChargeCurve::ChargeCurve(const std::function<Value(double)>& formula, double bend, double cutoff)
    : bend_(bend), cutoff_(cutoff), near_(intervals_in_all) {
  if (bend < cutoff) {
    near_ = std::clamp(static_cast<int>(std::lround(intervals_in_all * bend / cutoff)), 1,
                       intervals_in_all - 1);
  }
  const int far = intervals_in_all - near_;
  polynomials_.reserve(6u * intervals_in_all);
  for (int k = 0; k < intervals_in_all; ++k) {
    const bool is_near = k < near_;
    const double width = is_near ? bend / near_ : (cutoff - bend) / far;
    const double first = is_near ? k * width : bend + (k - near_) * width;
    // If the formula changes at the bend, it is evaluated on the interval's side of the bend.
    const double inside = 1e-12 * width;
    const Value a = formula(first + inside), b = formula(first + width - inside);
    const double a1 = width * a.slope, b1 = width * b.slope;
    const double a2 = width * width * a.bend, b2 = width * width * b.bend;
    const double rise = b.value - a.value;
    for (const double coefficient :
         {a.value, a1, 0.5 * a2, 10.0 * rise - 6.0 * a1 - 4.0 * b1 - 1.5 * a2 + 0.5 * b2,
          -15.0 * rise + 8.0 * a1 + 7.0 * b1 + 1.5 * a2 - b2,
          6.0 * rise - 3.0 * (a1 + b1) - 0.5 * a2 + 0.5 * b2}) {
      polynomials_.push_back(coefficient);
    }
  }
}

ChargeCurve::Value ChargeCurve::at(double distance) const {
  const bool is_near = distance < bend_;
  const double scale = is_near ? near_ / bend_ : (intervals() - near_) / (cutoff_ - bend_);
  const double place = is_near ? distance * scale : near_ + (distance - bend_) * scale;
  const int interval = std::clamp(static_cast<int>(place), 0, intervals() - 1);
  const double x = place - interval;
  const double* const a = polynomials_.data() + 6 * interval;
  return {a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * (a[4] + x * a[5])))),
          scale * (a[1] + x * (2 * a[2] + x * (3 * a[3] + x * (4 * a[4] + x * 5 * a[5])))),
          scale * scale * (2 * a[2] + x * (6 * a[3] + x * (12 * a[4] + x * 20 * a[5])))};
}

}  // namespace sterna::md
