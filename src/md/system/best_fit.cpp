#include "md/system/best_fit.hpp"

#include <cmath>

namespace sterna::md {

BestFit best_fit(std::span<const double, 9> s) {
  double m[4][4] = {{s[0] + s[4] + s[8], s[5] - s[7], s[6] - s[2], s[1] - s[3]},
                    {s[5] - s[7], s[0] - s[4] - s[8], s[1] + s[3], s[6] + s[2]},
                    {s[6] - s[2], s[1] + s[3], s[4] - s[0] - s[8], s[5] + s[7]},
                    {s[1] - s[3], s[6] + s[2], s[5] + s[7], s[8] - s[0] - s[4]}};
  double vectors[4][4] = {{1.0, 0.0, 0.0, 0.0},
                          {0.0, 1.0, 0.0, 0.0},
                          {0.0, 0.0, 1.0, 0.0},
                          {0.0, 0.0, 0.0, 1.0}};  // in columns
  // Jacobi's rotations converge quadratically; a 4 x 4 matrix takes five or six sweeps.
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0.0, diagonal = 0.0;
    for (int p = 0; p < 4; ++p) {
      diagonal += m[p][p] * m[p][p];
      for (int q = p + 1; q < 4; ++q) off += m[p][q] * m[p][q];
    }
    if (off <= 1e-34 * diagonal) break;
    for (int p = 0; p < 3; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        if (m[p][q] == 0.0) continue;
        const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0), n = t * c;
        for (int k = 0; k < 4; ++k) {
          const double a = m[k][p], b = m[k][q];
          m[k][p] = c * a - n * b;
          m[k][q] = n * a + c * b;
          const double u = vectors[k][p], v = vectors[k][q];
          vectors[k][p] = c * u - n * v;
          vectors[k][q] = n * u + c * v;
        }
        for (int k = 0; k < 4; ++k) {
          const double a = m[p][k], b = m[q][k];
          m[p][k] = c * a - n * b;
          m[q][k] = n * a + c * b;
        }
      }
    }
  }
  int best = 0;
  for (int p = 1; p < 4; ++p) {
    if (m[p][p] > m[best][best]) best = p;
  }
  const auto part = [&](int k) { return vectors[k][best]; };
  return {m[best][best], Quaternion{part(0), part(1), part(2), part(3)}.normalized()};
}

}  // namespace sterna::md
