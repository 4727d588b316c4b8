#pragma once

#include <cmath>

namespace sterna::md {

/// Three Cartesian components in internal units.
struct Vec3 {
  double x = 0.0, y = 0.0, z = 0.0;

  double& operator[](int axis) { return (&x)[axis]; }
  double operator[](int axis) const { return (&x)[axis]; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
  Vec3& operator+=(const Vec3& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  Vec3& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
  friend Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
  friend Vec3 operator*(Vec3 a, double s) { return a *= s; }
  friend Vec3 operator*(double s, Vec3 a) { return a *= s; }
  friend double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend double length(const Vec3& v) { return std::sqrt(dot(v, v)); }
};

}  // namespace sterna::md
