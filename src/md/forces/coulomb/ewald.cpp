#include "md/forces/coulomb/ewald.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

namespace sterna::md {
namespace {

using std::numbers::pi;

double norm(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

/// f(r) and its results after applying -1/r d/dr once, twice and three times.
using Radial = std::array<double, 4>;

/// These values for f = erfc(kappa r)/r.
Radial screened(double kappa, double r) {
  const double x = kappa * r, r2 = r * r;
  double cloud = 2.0 * kappa / std::sqrt(pi) * std::exp(-x * x);
  Radial values{std::erfc(x) / r};
  for (std::size_t n = 1; n < values.size(); ++n) {
    values[n] = ((2.0 * static_cast<double>(n) - 1.0) * values[n - 1] + cloud) / r2;
    cloud *= 2.0 * kappa * kappa;
  }
  return values;
}

/// These values for f = erf(kappa r)/r; smooth at r = 0.
Radial smeared(double kappa, double r) {
  const double x2 = kappa * kappa * r * r;
  Radial values{};
  if (x2 < 1.0) {
    // A series is used here, because the terms of the closed form cancel.
    double prefactor = 2.0 * kappa / std::sqrt(pi);
    for (std::size_t n = 0; n < values.size(); ++n) {
      double power = 1.0;  // (-x^2)^j / j!
      for (int j = 0; j < 24; ++j) {
        values[n] += prefactor * power / (2.0 * (j + static_cast<double>(n)) + 1.0);
        power *= -x2 / (j + 1);
      }
      prefactor *= 2.0 * kappa * kappa;
    }
    return values;
  }
  const Radial outside = screened(kappa, r);
  double whole = 1.0 / r;
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = whole - outside[n];
    whole *= (2.0 * static_cast<double>(n) + 1.0) / (r * r);
  }
  return values;
}

struct Source {
  double charge;
  Vec3 dipole;
};

Source source(const PointCharges& charges, std::size_t i) {
  return {charges.charges[i], charges.dipoles.empty() ? Vec3{} : charges.dipoles[i]};
}

/// The interaction of two charges with dipoles; `connection` points from j to i.
struct PairTerms {
  double energy;
  double potential_i, potential_j;
  Vec3 field_i, field_j;
  Vec3 force_i;  ///< the force on j is the opposite
};
PairTerms pair_terms(const Source& i, const Source& j, const Vec3& connection, const Radial& b) {
  const double along_i = dot(i.dipole, connection), along_j = dot(j.dipole, connection);
  const double both = dot(i.dipole, j.dipole);
  const double slope = j.charge * b[1] + along_j * b[2];
  PairTerms terms;
  terms.potential_i = j.charge * b[0] + along_j * b[1];
  terms.potential_j = i.charge * b[0] - along_i * b[1];
  terms.field_i = connection * slope - j.dipole * b[1];
  terms.field_j = connection * (along_i * b[2] - i.charge * b[1]) - i.dipole * b[1];
  terms.energy = i.charge * terms.potential_i - dot(i.dipole, terms.field_i);
  terms.force_i = terms.field_i * i.charge + i.dipole * slope + j.dipole * (along_i * b[2]) +
                  connection * (both * b[2] - along_i * (j.charge * b[2] + along_j * b[3]));
  return terms;
}

}  // namespace

EwaldSolver::Parameters EwaldSolver::parameters(const Lattice& lattice, double accuracy,
                                                std::size_t count) {
  // erfc(s)/s and the Fourier tail both decay as exp(-s^2) for cutoffs s/kappa and 2 s kappa.
  double s = 1.0;
  while (std::exp(-s * s) / s > accuracy) s += 0.05;
  // The cost of N pairs within r equals that of N vectors within k if kappa^6 = N pi^3 / V^2.
  const double volume = lattice.volume();
  const double kappa = std::sqrt(pi) * std::cbrt(std::sqrt(static_cast<double>(count)) / volume);
  return {kappa, s / kappa, 2.0 * s * kappa};
}

EwaldSolver::EwaldSolver(const Lattice& lattice, const Parameters& parameters)
    : lattice_(lattice),
      reciprocal_(lattice.reciprocal()),
      parameters_(parameters),
      surely_nearest_(0.5 * std::min({lattice.width(0), lattice.width(1), lattice.width(2)})) {}

Vec3 EwaldSolver::nearest(const Vec3& connection) const {
  Vec3 fraction;
  for (int axis = 0; axis < 3; ++axis) {
    const double f = dot(reciprocal_[axis], connection);
    fraction[axis] = f - std::round(f);
  }
  Vec3 best = lattice_.position(fraction);
  if (dot(best, best) < surely_nearest_ * surely_nearest_) return best;
  // In a tilted box a neighboring image may be nearer than the rounded one.
  const Vec3 start = best;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vec3 image = start + lattice_.position({double(x), double(y), double(z)});
        if (dot(image, image) < dot(best, best)) best = image;
      }
  return best;
}

void EwaldSolver::add_real(const PointCharges& charges, Part part, Result& result,
                           VirialProducts& virial) const {
  const double kappa = parameters_.splitting, cutoff = parameters_.real_cutoff;
  int range[3];
  for (int axis = 0; axis < 3; ++axis) {
    range[axis] = static_cast<int>(std::ceil(cutoff / lattice_.width(axis) + 0.5));
  }
  std::vector<Vec3> images;
  for (int x = -range[0]; x <= range[0]; ++x)
    for (int y = -range[1]; y <= range[1]; ++y)
      for (int z = -range[2]; z <= range[2]; ++z)
        images.push_back(lattice_.position({double(x), double(y), double(z)}));
  std::ranges::stable_sort(images, {}, norm);

  for (std::size_t i = part.index; i < charges.size(); i += part.count) {
    for (std::size_t j = i; j < charges.size(); ++j) {
      const Vec3 direct = nearest(charges.positions[i] - charges.positions[j]);
      const bool excluded = charges.molecule(i) == charges.molecule(j);
      const Source at_i = source(charges, i), at_j = source(charges, j);
      const double farthest = cutoff + norm(direct);
      for (const Vec3& image : images) {
        // Images are sorted by distance, so all further ones are beyond the cutoff, too.
        if (dot(image, image) > farthest * farthest) break;
        const bool nearest_image = image == Vec3{};
        if (excluded && nearest_image) continue;
        const Vec3 connection = direct + image;
        const double r2 = dot(connection, connection);
        if (r2 >= cutoff * cutoff) continue;
        const PairTerms terms = pair_terms(at_i, at_j, connection, screened(kappa, std::sqrt(r2)));
        const double share = j == i ? 0.5 : 1.0;
        result.energies.real += share * terms.energy;
        add_product(virial, connection, terms.force_i * share);
        result.potentials[i] += terms.potential_i;
        result.fields[i] += terms.field_i;
        if (j == i) continue;
        result.potentials[j] += terms.potential_j;
        result.fields[j] += terms.field_j;
        result.forces[i] += terms.force_i;
        result.forces[j] -= terms.force_i;
      }
    }
  }
}

void EwaldSolver::add_fourier(const PointCharges& charges, Part part, Result& result,
                              VirialProducts& virial) const {
  const std::size_t count = charges.size();
  const double kappa = parameters_.splitting, cutoff = parameters_.reciprocal_cutoff;
  // For |k| below the cutoff, |n| along an edge is at most |k| |edge| / 2 pi.
  int range[3];
  for (int axis = 0; axis < 3; ++axis) {
    range[axis] = static_cast<int>(cutoff * norm(lattice_[axis]) / (2.0 * pi));
  }
  using Complex = std::complex<double>;
  std::array<std::vector<Complex>, 3> phases;  // exp(2 pi i n f) for n = 0 ... range, by charge
  for (int axis = 0; axis < 3; ++axis) {
    phases[axis].resize((range[axis] + 1) * count, 1.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double fraction = dot(reciprocal_[axis], charges.positions[i]);
      for (int n = 1; n <= range[axis]; ++n) {
        phases[axis][n * count + i] = std::polar(1.0, 2.0 * pi * n * fraction);
      }
    }
  }
  const auto phase = [&](int axis, int n, std::size_t i) {
    const Complex value = phases[axis][std::abs(n) * count + i];
    return n < 0 ? std::conj(value) : value;
  };
  std::vector<Complex> terms(count);
  std::size_t vectors = 0;
  // Only half of the vectors are visited, because k and -k give the same contribution.
  for (int x = 0; x <= range[0]; ++x)
    for (int y = -range[1]; y <= range[1]; ++y)
      for (int z = -range[2]; z <= range[2]; ++z) {
        if (x == 0 && (y < 0 || (y == 0 && z <= 0))) continue;
        const Vec3 k =
            2.0 * pi *
            (reciprocal_.a * double(x) + reciprocal_.b * double(y) + reciprocal_.c * double(z));
        const double k2 = dot(k, k);
        if (k2 >= cutoff * cutoff || vectors++ % part.count != part.index) continue;
        Complex structure = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          terms[i] = phase(0, x, i) * phase(1, y, i) * phase(2, z, i);
          const Source at = source(charges, i);
          structure += Complex(at.charge, dot(at.dipole, k)) * terms[i];
        }
        const double weight =
            8.0 * pi / lattice_.volume() * std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
        const double energy = 0.5 * weight * std::norm(structure);
        result.energies.fourier += energy;
        for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += energy;
        add_product(virial, k, k * (-2.0 * energy * (1.0 / k2 + 0.25 / (kappa * kappa))));
        for (std::size_t i = 0; i < count; ++i) {
          const Complex turned = std::conj(terms[i]) * structure;
          const Source at = source(charges, i);
          result.potentials[i] += weight * turned.real();
          result.fields[i] -= k * (weight * turned.imag());
          result.forces[i] +=
              k * (weight * (dot(at.dipole, k) * turned.real() - at.charge * turned.imag()));
          // Straining the waves does not change the dipoles, which gives the virial this additional
          // term.
          add_product(virial, k * (weight * turned.imag()), at.dipole);
        }
      }
}

void EwaldSolver::add_corrections(const PointCharges& charges, Result& result,
                                  VirialProducts& virial) const {
  const double kappa = parameters_.splitting, volume = lattice_.volume();
  double total = 0.0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const auto [q, dipole] = source(charges, i);
    const double of_dipole = 2.0 * kappa * kappa * kappa / (3.0 * std::sqrt(pi));
    total += q;
    result.energies.self -= kappa / std::sqrt(pi) * q * q + of_dipole * dot(dipole, dipole);
    result.potentials[i] -= 2.0 * kappa / std::sqrt(pi) * q;
    result.fields[i] += dipole * (2.0 * of_dipole);
  }
  result.energies.background = -pi / (2.0 * volume * kappa * kappa) * total * total;
  for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += result.energies.background;
  for (double& potential : result.potentials) potential -= pi / (volume * kappa * kappa) * total;

  std::map<std::int32_t, std::vector<std::size_t>> molecules;
  for (std::size_t i = 0; i < charges.size(); ++i) molecules[charges.molecule(i)].push_back(i);
  for (const auto& [molecule, members] : molecules) {
    for (std::size_t a = 0; a < members.size(); ++a) {
      for (std::size_t b = a + 1; b < members.size(); ++b) {
        const std::size_t i = members[a], j = members[b];
        const Vec3 connection = nearest(charges.positions[i] - charges.positions[j]);
        const PairTerms terms = pair_terms(source(charges, i), source(charges, j), connection,
                                           smeared(kappa, norm(connection)));
        result.energies.intramolecular -= terms.energy;
        result.potentials[i] -= terms.potential_i;
        result.potentials[j] -= terms.potential_j;
        result.fields[i] -= terms.field_i;
        result.fields[j] -= terms.field_j;
        result.forces[i] -= terms.force_i;
        result.forces[j] += terms.force_i;
        add_product(virial, connection, -1.0 * terms.force_i);
      }
    }
  }

  if (parameters_.surroundings == Surroundings::conductor) return;
  Vec3 dipole, of_charges;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    of_charges += charges.charges[i] * charges.positions[i];
    dipole += source(charges, i).dipole;
  }
  dipole += of_charges;
  const double scale = 2.0 * pi / (3.0 * volume);
  result.energies.surface = scale * dot(dipole, dipole);
  for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += result.energies.surface;
  add_product(virial, of_charges, dipole * (-2.0 * scale));
  for (std::size_t i = 0; i < charges.size(); ++i) {
    result.potentials[i] += 2.0 * scale * dot(dipole, charges.positions[i]);
    result.fields[i] -= dipole * (2.0 * scale);
    result.forces[i] -= dipole * (2.0 * scale * charges.charges[i]);
  }
}

EwaldSolver::Result EwaldSolver::solve(const PointCharges& charges, Part part) const {
  Result result;
  result.potentials.assign(charges.size(), 0.0);
  result.forces.assign(charges.size(), {});
  result.fields.assign(charges.size(), {});
  VirialProducts virial{};
  add_real(charges, part, result, virial);
  add_fourier(charges, part, result, virial);
  if (part.index == 0) add_corrections(charges, result, virial);
  if (charges.dipoles.empty()) result.fields.clear();
  result.energy = result.energies.total();
  result.virial = symmetric_part(virial);
  return result;
}

}  // namespace sterna::md
