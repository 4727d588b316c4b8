#include "md/fmm/ewald.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

namespace sterna::md {
namespace {

constexpr double pi = std::numbers::pi;

double norm(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

/// erf(kappa r)/r and its derivative over r, divided by r; smooth at r = 0.
struct Smeared {
  double value;
  double slope;  ///< (d value / d r) / r
};
Smeared smeared(double kappa, double r) {
  const double x = kappa * r;
  if (x < 0.1) {
    // Series, as both terms of the closed form cancel here.
    const double prefactor = 2.0 * kappa / std::sqrt(pi), x2 = x * x;
    return {prefactor * (1 + x2 * (-1.0 / 3 + x2 * (1.0 / 10 + x2 * (-1.0 / 42 + x2 / 216)))),
            prefactor * kappa * kappa *
                (-2.0 / 3 + x2 * (4.0 / 10 + x2 * (-6.0 / 42 + x2 * (8.0 / 216 - x2 / 132))))};
  }
  const double value = std::erf(x) / r;
  return {value, (2.0 * kappa / std::sqrt(pi) * std::exp(-x * x) - value) / (r * r)};
}

}  // namespace

EwaldSolver::Parameters EwaldSolver::parameters(const Lattice& lattice, double accuracy,
                                                std::size_t count) {
  // erfc(s)/s and the Fourier tail both fall as exp(-s^2) for cutoffs s/kappa and 2 s kappa.
  double s = 1.0;
  while (std::exp(-s * s) / s > accuracy) s += 0.05;
  // N pairs within r against N vectors within k: equal where kappa^6 = N pi^3 / V^2.
  const double volume = lattice.volume();
  const double kappa = std::sqrt(pi) * std::cbrt(std::sqrt(static_cast<double>(count)) / volume);
  return {kappa, s / kappa, 2.0 * s * kappa};
}

EwaldSolver::EwaldSolver(const Lattice& lattice, const Parameters& parameters)
    : lattice_(lattice), reciprocal_(lattice.reciprocal()), parameters_(parameters) {}

Vec3 EwaldSolver::nearest(const Vec3& connection) const {
  Vec3 fraction;
  for (int axis = 0; axis < 3; ++axis) {
    const double f = dot(reciprocal_[axis], connection);
    fraction[axis] = f - std::round(f);
  }
  Vec3 best = lattice_.position(fraction);
  // In a skew box a neighboring image may be nearer than the rounded one.
  const Vec3 start = best;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vec3 image = start + lattice_.position({double(x), double(y), double(z)});
        if (dot(image, image) < dot(best, best)) best = image;
      }
  return best;
}

void EwaldSolver::add_real(const PointCharges& charges, Result& result,
                           VirialProducts& virial) const {
  const double kappa = parameters_.splitting, cutoff = parameters_.real_cutoff;
  int reach[3];
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] = static_cast<int>(std::ceil(cutoff / lattice_.width(axis) + 0.5));
  }
  std::vector<Vec3> images;
  for (int x = -reach[0]; x <= reach[0]; ++x)
    for (int y = -reach[1]; y <= reach[1]; ++y)
      for (int z = -reach[2]; z <= reach[2]; ++z)
        images.push_back(lattice_.position({double(x), double(y), double(z)}));

  for (std::size_t i = 0; i < charges.size(); ++i) {
    for (std::size_t j = i; j < charges.size(); ++j) {
      const Vec3 direct = nearest(charges.positions[i] - charges.positions[j]);
      const bool excluded = charges.molecules[i] == charges.molecules[j];
      const double qi = charges.charges[i], qj = charges.charges[j];
      double potential = 0.0;
      Vec3 field;
      for (const Vec3& image : images) {
        const bool nearest_image = image == Vec3{};
        if (excluded && nearest_image) continue;
        const Vec3 connection = direct + image;
        const double r2 = dot(connection, connection);
        if (r2 >= cutoff * cutoff) continue;
        const double r = std::sqrt(r2), x = kappa * r;
        const double value = std::erfc(x) / r;
        potential += value;
        const Vec3 one =
            connection * ((value + 2.0 * kappa / std::sqrt(pi) * std::exp(-x * x)) / r2);
        field += one;
        add_product(virial, connection, one * ((j == i ? 0.5 : 1.0) * qi * qj));
      }
      result.potentials[i] += qj * potential;
      if (j == i) {
        result.energies.real += 0.5 * qi * qi * potential;
        continue;
      }
      result.potentials[j] += qi * potential;
      result.energies.real += qi * qj * potential;
      result.forces[i] += field * (qi * qj);
      result.forces[j] -= field * (qi * qj);
    }
  }
}

void EwaldSolver::add_fourier(const PointCharges& charges, Result& result,
                              VirialProducts& virial) const {
  const std::size_t count = charges.size();
  const double kappa = parameters_.splitting, cutoff = parameters_.reciprocal_cutoff;
  // |n| along an edge is at most |k| |edge| / 2 pi.
  int reach[3];
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] = static_cast<int>(cutoff * norm(lattice_[axis]) / (2.0 * pi));
  }
  using Complex = std::complex<double>;
  std::array<std::vector<Complex>, 3> phases;  // exp(2 pi i n f) for n = 0 to reach, by charge
  for (int axis = 0; axis < 3; ++axis) {
    phases[axis].resize((reach[axis] + 1) * count, 1.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double fraction = dot(reciprocal_[axis], charges.positions[i]);
      for (int n = 1; n <= reach[axis]; ++n) {
        phases[axis][n * count + i] = std::polar(1.0, 2.0 * pi * n * fraction);
      }
    }
  }
  const auto phase = [&](int axis, int n, std::size_t i) {
    const Complex value = phases[axis][std::abs(n) * count + i];
    return n < 0 ? std::conj(value) : value;
  };
  std::vector<Complex> terms(count);
  // Half of the vectors, as k and -k give the same.
  for (int x = 0; x <= reach[0]; ++x)
    for (int y = -reach[1]; y <= reach[1]; ++y)
      for (int z = -reach[2]; z <= reach[2]; ++z) {
        if (x == 0 && (y < 0 || (y == 0 && z <= 0))) continue;
        const Vec3 k =
            2.0 * pi *
            (reciprocal_.a * double(x) + reciprocal_.b * double(y) + reciprocal_.c * double(z));
        const double k2 = dot(k, k);
        if (k2 >= cutoff * cutoff) continue;
        Complex structure = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          terms[i] = phase(0, x, i) * phase(1, y, i) * phase(2, z, i);
          structure += charges.charges[i] * terms[i];
        }
        const double weight =
            8.0 * pi / lattice_.volume() * std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
        const double energy = 0.5 * weight * std::norm(structure);
        result.energies.fourier += energy;
        for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += energy;
        add_product(virial, k, k * (-2.0 * energy * (1.0 / k2 + 0.25 / (kappa * kappa))));
        for (std::size_t i = 0; i < count; ++i) {
          const Complex turned = std::conj(terms[i]) * structure;
          result.potentials[i] += weight * turned.real();
          result.forces[i] -= k * (charges.charges[i] * weight * turned.imag());
        }
      }
}

void EwaldSolver::add_corrections(const PointCharges& charges, Result& result,
                                  VirialProducts& virial) const {
  const double kappa = parameters_.splitting, volume = lattice_.volume();
  double total = 0.0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double q = charges.charges[i];
    total += q;
    result.energies.self -= kappa / std::sqrt(pi) * q * q;
    result.potentials[i] -= 2.0 * kappa / std::sqrt(pi) * q;
  }
  result.energies.background = -pi / (2.0 * volume * kappa * kappa) * total * total;
  for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += result.energies.background;
  for (double& potential : result.potentials) potential -= pi / (volume * kappa * kappa) * total;

  std::map<std::int32_t, std::vector<std::size_t>> molecules;
  for (std::size_t i = 0; i < charges.size(); ++i) molecules[charges.molecules[i]].push_back(i);
  for (const auto& [molecule, members] : molecules) {
    for (std::size_t a = 0; a < members.size(); ++a) {
      for (std::size_t b = a + 1; b < members.size(); ++b) {
        const std::size_t i = members[a], j = members[b];
        const double qi = charges.charges[i], qj = charges.charges[j];
        const Vec3 connection = nearest(charges.positions[i] - charges.positions[j]);
        const Smeared cloud = smeared(kappa, norm(connection));
        result.energies.intramolecular -= qi * qj * cloud.value;
        result.potentials[i] -= qj * cloud.value;
        result.potentials[j] -= qi * cloud.value;
        const Vec3 force = connection * (qi * qj * cloud.slope);
        result.forces[i] += force;
        result.forces[j] -= force;
        add_product(virial, connection, force);
      }
    }
  }

  if (parameters_.surroundings == Surroundings::conductor) return;
  Vec3 dipole;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    dipole += charges.charges[i] * charges.positions[i];
  }
  const double scale = 2.0 * pi / (3.0 * volume);
  result.energies.surface = scale * dot(dipole, dipole);
  for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += result.energies.surface;
  add_product(virial, dipole, dipole * (-2.0 * scale));
  for (std::size_t i = 0; i < charges.size(); ++i) {
    result.potentials[i] += 2.0 * scale * dot(dipole, charges.positions[i]);
    result.forces[i] -= dipole * (2.0 * scale * charges.charges[i]);
  }
}

EwaldSolver::Result EwaldSolver::solve(const PointCharges& charges) const {
  Result result;
  result.potentials.assign(charges.size(), 0.0);
  result.forces.assign(charges.size(), {});
  VirialProducts virial{};
  add_real(charges, result, virial);
  add_fourier(charges, result, virial);
  add_corrections(charges, result, virial);
  result.energy = result.energies.total();
  result.virial = symmetric_part(virial);
  return result;
}

}  // namespace sterna::md
