#pragma once

#include <cstddef>

#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

/// A three-dimensional vector for each lane.
struct Triple {
  Vector<double> x{}, y{}, z{};

  /// Loads from three rows, which hold all x, all y and all z.
  template <std::size_t count>
  static Triple load_from(const double (*rows)[count], std::size_t lane) {
    return {load(rows[0] + lane), load(rows[1] + lane), load(rows[2] + lane)};
  }
  template <std::size_t count>
  void store_to(double (*rows)[count], std::size_t lane) const {
    *reinterpret_cast<Vector<double>*>(rows[0] + lane) = x;
    *reinterpret_cast<Vector<double>*>(rows[1] + lane) = y;
    *reinterpret_cast<Vector<double>*>(rows[2] + lane) = z;
  }
};

inline Triple operator+(const Triple& a, const Triple& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Triple operator-(const Triple& a, const Triple& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Triple operator*(const Vector<double>& factor, const Triple& a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}
inline Triple operator*(double factor, const Triple& a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}
inline Vector<double> dot_of(const Triple& a, const Triple& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Triple cross_of(const Triple& a, const Triple& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// The unit vector along `a`; NaN if `a` is 0.
inline Triple unit(const Triple& a) {
  return (1.0 / square_root(dot_of(a, a))) * a;
}

}  // namespace
}  // namespace sterna::md
