// Principal axes of a rigid body.
// Idea: rotate in the plane of the largest off-diagonal element of the inertia tensor until all
// off-diagonal elements vanish; the product of the rotations holds the axes.
// Paper: C. G. J. Jacobi, J. reine angew. Math. 30, 51 (1846); Golub and Van Loan, Matrix
// Computations, 4th ed., section 8.5.
// Cost: a few dozen operations, once for each component.
// Hazards: equal moments do not determine their axes; the order and signs chosen here do, so the
// orientation has no physical meaning there. A moment that should be 0 is rounding error.
// Another wins: for matrices beyond 3 x 3, tridiagonalization and QR.

#include "md/model/body_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "md/core/cross_product.hpp"

namespace sterna::md {
namespace {

using Matrix = std::array<Vec3, 3>;  // rows

constexpr double nothing = 1e-10;  // relative moment below which a moment is rounding error

Matrix inertia_tensor(std::span<const PointMass> masses, const Vec3& center) {
  Matrix tensor{};
  for (const PointMass& point : masses) {
    const Vec3 r = point.position - center;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        tensor[static_cast<std::size_t>(i)][j] +=
            point.mass * ((i == j ? dot(r, r) : 0.0) - r[i] * r[j]);
      }
    }
  }
  return tensor;
}

/// Makes `a` diagonal; the columns of the result are the principal axes.
Matrix diagonalize(Matrix& a) {
  Matrix axes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  constexpr std::array<std::pair<std::size_t, std::size_t>, 3> planes{{{0, 1}, {0, 2}, {1, 2}}};
  constexpr int most_rotations = 100;  // about ten are needed
  for (int rotation = 0; rotation < most_rotations; ++rotation) {
    const auto [p, q] = *std::ranges::max_element(planes, {}, [&](const auto& plane) {
      return std::abs(a[plane.first][static_cast<int>(plane.second)]);
    });
    const int pi = static_cast<int>(p), qi = static_cast<int>(q);
    if (a[p][qi] == 0.0) break;
    const double theta = (a[q][qi] - a[p][pi]) / (2.0 * a[p][qi]);
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
    const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
    const auto turn_columns = [&](Matrix& m) {
      for (Vec3& row : m) {
        const double kept = row[pi];
        row[pi] = c * kept - s * row[qi];
        row[qi] = s * kept + c * row[qi];
      }
    };
    turn_columns(a);
    turn_columns(axes);
    const Vec3 kept = a[p];
    a[p] = c * kept - s * a[q];
    a[q] = s * kept + c * a[q];
    a[p][qi] = a[q][pi] = 0.0;
  }
  return axes;
}

/// The rotation whose matrix has these columns (Shepperd, J. Guid. Control 1, 223 (1978)).
Quaternion from_columns(const std::array<Vec3, 3>& e) {
  const double trace = e[0].x + e[1].y + e[2].z;
  const std::array<double, 4> squares{1 + trace, 1 + 2 * e[0].x - trace, 1 + 2 * e[1].y - trace,
                                      1 + 2 * e[2].z - trace};  // 4 w^2, 4 x^2, 4 y^2, 4 z^2
  const auto largest = std::ranges::max_element(squares) - squares.begin();
  const double twice = std::sqrt(squares[static_cast<std::size_t>(largest)]);
  const double xy = (e[0].y + e[1].x) / twice, xz = (e[0].z + e[2].x) / twice,
               yz = (e[1].z + e[2].y) / twice, wx = (e[1].z - e[2].y) / twice,
               wy = (e[2].x - e[0].z) / twice, wz = (e[0].y - e[1].x) / twice;
  Quaternion q;
  if (largest == 0) {
    q = {twice, wx, wy, wz};
  } else if (largest == 1) {
    q = {wx, twice, xy, xz};
  } else if (largest == 2) {
    q = {wy, xy, twice, yz};
  } else {
    q = {wz, xz, yz, twice};
  }
  return q.normalized();
}

double without_rounding(double moment, double largest) {
  return moment > nothing * largest ? moment : 0.0;
}

}  // namespace

BodyFrame body_frame(std::span<const PointMass> masses, double rounding) {
  double mass = 0.0, radius = 0.0;
  Vec3 center;
  for (const PointMass& point : masses) {
    mass += point.mass;
    center += point.mass * point.position;
    if (point.mass > 0.0) radius = std::max(radius, std::sqrt(dot(point.position, point.position)));
  }
  center *= 1.0 / mass;
  if (std::sqrt(dot(center, center)) <= rounding * radius) center = {};

  Matrix tensor = inertia_tensor(masses, center);
  const double largest = std::max({tensor[0].x, tensor[1].y, tensor[2].z});
  const double mixed =
      std::max({std::abs(tensor[0].y), std::abs(tensor[0].z), std::abs(tensor[1].z)});
  BodyFrame frame{.center = center, .orientation = {}, .inertia = {}};
  if (mixed <= rounding * largest) {
    for (int axis = 0; axis < 3; ++axis) {
      frame.inertia[axis] = without_rounding(tensor[static_cast<std::size_t>(axis)][axis], largest);
    }
    return frame;
  }
  const Matrix columns = diagonalize(tensor);
  std::array<Vec3, 3> axes;
  std::array<bool, 3> taken{};
  for (int axis = 0; axis < 3; ++axis) {
    std::size_t nearest = 3;
    for (std::size_t column = 0; column < 3; ++column) {
      if (taken[column]) continue;
      const auto along = [&](std::size_t c) {
        return std::abs(columns[static_cast<std::size_t>(axis)][static_cast<int>(c)]);
      };
      if (nearest == 3 || along(column) > along(nearest)) nearest = column;
    }
    taken[nearest] = true;
    const int column = static_cast<int>(nearest);
    Vec3 direction{columns[0][column], columns[1][column], columns[2][column]};
    if (direction[axis] < 0.0) direction *= -1.0;
    axes[static_cast<std::size_t>(axis)] = direction;
    frame.inertia[axis] = without_rounding(tensor[nearest][column], largest);
  }
  axes[2] = cross(axes[0], axes[1]);  // right-handed
  frame.orientation = from_columns(axes);
  return frame;
}

}  // namespace sterna::md
