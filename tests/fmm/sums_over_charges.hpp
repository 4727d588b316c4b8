#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

/// The judges of the multipole method: sums over all pairs, and Ewald's sums, written for these tests
/// alone. They share no line with the engine.
namespace judge {

using Vector = std::array<double, 3>;
using Edges = std::array<Vector, 3>;

inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Charges {
  std::vector<double> positions;  ///< x, y, z of each
  std::vector<double> charges;
  std::size_t size() const { return charges.size(); }
  Vector at(std::size_t i) const {
    return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
  }
  void add(const Vector& place, double charge) {
    positions.insert(positions.end(), place.begin(), place.end());
    charges.push_back(charge);
  }
};

struct Solution {
  double energy = 0.0;
  std::vector<double> potentials, fields;
  explicit Solution(std::size_t count) : potentials(count, 0.0), fields(3 * count, 0.0) {}
  void add(std::size_t i, double potential, const Vector& field) {
    potentials[i] += potential;
    for (std::size_t k = 0; k < 3; ++k) fields[3 * i + k] += field[k];
  }
  void sum_energy(const Charges& system) {
    for (std::size_t i = 0; i < system.size(); ++i) {
      energy += 0.5 * system.charges[i] * potentials[i];
    }
  }
};

/// The charges whose potentials and fields a rank computes: each `step`-th from `first` on.
struct Part {
  std::size_t first = 0, step = 1;
};

/// Without the energy, which needs all potentials.
inline Solution direct(const Charges& system, Part part) {
  Solution all(system.size());
  for (std::size_t i = part.first; i < system.size(); i += part.step) {
    for (std::size_t j = 0; j < system.size(); ++j) {
      if (i == j) continue;
      Vector d;
      for (std::size_t k = 0; k < 3; ++k) d[k] = system.at(i)[k] - system.at(j)[k];
      const double r = std::sqrt(dot(d, d)), slope = system.charges[j] / (r * r * r);
      all.add(i, system.charges[j] / r, {slope * d[0], slope * d[1], slope * d[2]});
    }
  }
  return all;
}

/// Ewald's sums to about 1e-10. `in_vacuum`: with the dipole term. Without the energy. The edges should
/// be the shortest ones of their lattice, or the sums take long.
inline Solution ewald(const Charges& system, const Edges& edges, bool in_vacuum, Part part) {
  constexpr double pi = std::numbers::pi;
  const double volume = std::abs(dot(edges[0], cross(edges[1], edges[2])));
  const double splitting = 2.5 / std::cbrt(volume);
  const double reach = 4.8 / splitting, most = 2.0 * splitting * 4.8;
  const double signed_volume = dot(edges[0], cross(edges[1], edges[2]));
  Edges reciprocal;
  for (std::size_t k = 0; k < 3; ++k) {
    reciprocal[k] = cross(edges[(k + 1) % 3], edges[(k + 2) % 3]);
    for (double& x : reciprocal[k]) x /= signed_volume;
  }
  const std::size_t count = system.size();
  Solution all(count);
  double total = 0.0;
  Vector dipole{};
  for (std::size_t i = 0; i < count; ++i) {
    total += system.charges[i];
    for (std::size_t k = 0; k < 3; ++k) dipole[k] += system.charges[i] * system.at(i)[k];
  }
  for (std::size_t i = part.first; i < count; i += part.step) {
    for (std::size_t j = 0; j < count; ++j) {
      Vector d;
      for (std::size_t k = 0; k < 3; ++k) d[k] = system.at(i)[k] - system.at(j)[k];
      int lower[3], upper[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const double width = reach * std::sqrt(dot(reciprocal[k], reciprocal[k]));
        const double place = dot(reciprocal[k], d);
        lower[k] = static_cast<int>(std::ceil(-place - width));
        upper[k] = static_cast<int>(std::floor(-place + width));
      }
      for (int a = lower[0]; a <= upper[0]; ++a)
        for (int b = lower[1]; b <= upper[1]; ++b)
          for (int c = lower[2]; c <= upper[2]; ++c) {
            Vector r;
            for (std::size_t k = 0; k < 3; ++k) {
              r[k] = d[k] + a * edges[0][k] + b * edges[1][k] + c * edges[2][k];
            }
            const double squared = dot(r, r);
            if (squared > reach * reach || (i == j && squared < 1e-20)) continue;
            const double length = std::sqrt(squared), x = splitting * length;
            const double potential = std::erfc(x) / length;
            const double slope =
                (potential + 2.0 * splitting / std::sqrt(pi) * std::exp(-x * x)) / squared;
            const double q = system.charges[j];
            all.add(i, q * potential, {q * slope * r[0], q * slope * r[1], q * slope * r[2]});
          }
    }
    all.potentials[i] -= 2.0 * splitting / std::sqrt(pi) * system.charges[i];
    all.potentials[i] -= pi * total / (volume * splitting * splitting);
    if (!in_vacuum) continue;
    const double scale = 4.0 * pi / (3.0 * volume);
    all.add(i, scale * dot(system.at(i), dipole),
            {-scale * dipole[0], -scale * dipole[1], -scale * dipole[2]});
  }
  int reach_of_waves[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const double length = std::sqrt(dot(edges[k], edges[k]));
    reach_of_waves[k] = static_cast<int>(std::ceil(most * length / (2.0 * pi)));
  }
  std::vector<double> cosines(count), sines(count);
  for (int a = -reach_of_waves[0]; a <= reach_of_waves[0]; ++a)
    for (int b = -reach_of_waves[1]; b <= reach_of_waves[1]; ++b)
      for (int c = -reach_of_waves[2]; c <= reach_of_waves[2]; ++c) {
        Vector wave;
        for (std::size_t k = 0; k < 3; ++k) {
          wave[k] = 2.0 * pi * (a * reciprocal[0][k] + b * reciprocal[1][k] + c * reciprocal[2][k]);
        }
        const double squared = dot(wave, wave);
        if (squared == 0.0 || squared > most * most) continue;
        const double weight =
            4.0 * pi / volume * std::exp(-squared / (4.0 * splitting * splitting)) / squared;
        double real = 0.0, imaginary = 0.0;
        for (std::size_t j = 0; j < count; ++j) {
          const double phase = dot(wave, system.at(j));
          cosines[j] = std::cos(phase), sines[j] = std::sin(phase);
          real += system.charges[j] * cosines[j];
          imaginary += system.charges[j] * sines[j];
        }
        for (std::size_t i = part.first; i < count; i += part.step) {
          const double slope = weight * (sines[i] * real - cosines[i] * imaginary);
          all.add(i, weight * (cosines[i] * real + sines[i] * imaginary),
                  {slope * wave[0], slope * wave[1], slope * wave[2]});
        }
      }
  return all;
}

/// Root mean square difference of two arrays, and root mean square of one.
inline double rms(const std::vector<double>& a, const std::vector<double>& b, std::size_t width) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / (static_cast<double>(a.size()) / static_cast<double>(width)));
}
inline double rms(const std::vector<double>& a, std::size_t width) {
  return rms(a, std::vector<double>(a.size(), 0.0), width);
}

/// Random charges in a parallelepiped, whose sum is `total`.
inline Charges random(const Edges& edges, std::size_t count, double total, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Charges system;
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    Vector place{};
    for (std::size_t edge = 0; edge < 3; ++edge) {
      const double fraction = uniform(engine);
      for (std::size_t k = 0; k < 3; ++k) place[k] += fraction * edges[edge][k];
    }
    system.add(place, 2.0 * uniform(engine) - 1.0);
    sum += system.charges.back();
  }
  for (double& charge : system.charges) charge += (total - sum) / static_cast<double>(count);
  return system;
}

}  // namespace judge
