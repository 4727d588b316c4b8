// Idea:    with a known structure factor S(k) of the system, a molecule with the structure factor
//          s(k) adds 2 Re(S* s) + |s|^2 of each wave: no sum over the system's charges.
// Source:  Ewald, Ann. Phys. 369, 253 (1921); with dipoles Smith, CCP5 Newsletter 46, 18 (1998).
// Cost:    sites times waves, for the system once in a sample and for each inserted molecule. The
//          waves grow with the volume over the cube of the real cutoff.
// Hazards: the cost of a sample grows as the square of the number of charges.
// Others:  local expansions of the multipole method at the places of insertions.

#include "md/forces/coulomb/inserted_charges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

InsertedCharges::InsertedCharges(const comm::Context& context, double accuracy)
    : context_(context), decay_(std::sqrt(-std::log(accuracy))) {}

void InsertedCharges::prepare(const Box& box, double real_cutoff, std::span<const Site> own) {
  kappa_ = decay_ / real_cutoff;
  const Lattice lattice = Lattice::of(box);
  reciprocal_ = lattice.reciprocal();
  choose_waves(2.0 * kappa_ * decay_);
  const std::size_t count = weight_.size();
  for (double& weight : weight_) weight *= 4.0 * std::numbers::pi / lattice.volume();
  real_.assign(count, 0.0);
  imaginary_.assign(count, 0.0);
  for (const Site& site : own) add(site, real_, imaginary_);
  comm::ReductionBatch batch(context_, "insertion");
  batch.sum(real_.data(), count).sum(imaginary_.data(), count).run();
}

void InsertedCharges::choose_waves(double most) {
  rows_.clear();
  weight_.clear();
  constexpr double turn = 2.0 * std::numbers::pi;
  const Lattice edges = reciprocal_.reciprocal();
  // No wave up to `most` has a larger number along an edge, whose length is at least this.
  for (int axis = 0; axis < 3; ++axis) {
    most_[axis] = static_cast<int>(std::floor(most * length(edges[axis]) / turn));
  }
  for (int z = 0; z <= most_[2]; ++z) {
    for (int y = z > 0 ? -most_[1] : 0; y <= most_[1]; ++y) {
      Row row{y, z, 1, 0, weight_.size()};
      for (int x = y == 0 && z == 0 ? 1 : -most_[0]; x <= most_[0]; ++x) {
        const Vec3 k = turn * (x * reciprocal_.a + y * reciprocal_.b + z * reciprocal_.c);
        const double k2 = dot(k, k);
        // The waves of a row that are short enough follow each other.
        if (k2 > most * most) continue;
        if (row.last < row.first) row.first = x;
        row.last = x;
        weight_.push_back(std::exp(-k2 / (4.0 * kappa_ * kappa_)) / k2);
      }
      if (row.last >= row.first) rows_.push_back(row);
    }
  }
}

void InsertedCharges::add(const Site& site, std::vector<double>& real,
                          std::vector<double>& imaginary) {
  constexpr double turn = 2.0 * std::numbers::pi;
  double along[3];
  for (int axis = 0; axis < 3; ++axis) {
    along[axis] = turn * dot(reciprocal_[axis], site.dipole);
    const auto n = static_cast<std::size_t>(most_[axis]);
    std::vector<double>&re = phase_real_[axis], &im = phase_imaginary_[axis];
    re.resize(2 * n + 1);
    im.resize(2 * n + 1);
    const double angle = turn * dot(reciprocal_[axis], site.position);
    for (std::size_t k = 0; k <= n; ++k) {
      re[n + k] = re[n - k] = std::cos(angle * static_cast<double>(k));
      im[n + k] = std::sin(angle * static_cast<double>(k));
      im[n - k] = -im[n + k];
    }
  }
  const bool has_dipole = site.dipole != Vec3{};
  for (const Row& row : rows_) {
    const auto y = static_cast<std::size_t>(most_[1] + row.y);
    const auto z = static_cast<std::size_t>(most_[2] + row.z);
    const double re =
        phase_real_[1][y] * phase_real_[2][z] - phase_imaginary_[1][y] * phase_imaginary_[2][z];
    const double im =
        phase_real_[1][y] * phase_imaginary_[2][z] + phase_imaginary_[1][y] * phase_real_[2][z];
    const double* const x_re = phase_real_[0].data() + most_[0] + row.first;
    const double* const x_im = phase_imaginary_[0].data() + most_[0] + row.first;
    double* const to_re = real.data() + row.begin;
    double* const to_im = imaginary.data() + row.begin;
    const int count = row.last - row.first + 1;
    if (!has_dipole) {
      const double q_re = site.charge * re, q_im = site.charge * im;
      for (int n = 0; n < count; ++n) {
        to_re[n] += q_re * x_re[n] - q_im * x_im[n];
        to_im[n] += q_re * x_im[n] + q_im * x_re[n];
      }
      continue;
    }
    const double rest = row.y * along[1] + row.z * along[2];
    for (int n = 0; n < count; ++n) {
      const double wave = (row.first + n) * along[0] + rest;
      const double w_re = re * x_re[n] - im * x_im[n], w_im = re * x_im[n] + im * x_re[n];
      to_re[n] += site.charge * w_re - wave * w_im;
      to_im[n] += site.charge * w_im + wave * w_re;
    }
  }
}

double InsertedCharges::of_pair(const Site& a, const Site& b, const Vec3& d, const Factors& by) {
  const double of_a = dot(a.dipole, d), of_b = dot(b.dipole, d);
  return a.charge * b.charge * by[0] +
         (a.charge * of_b - b.charge * of_a + dot(a.dipole, b.dipole)) * by[1] -
         of_a * of_b * by[2];
}

double InsertedCharges::near(const Site& a, const Site& b, const Vec3& d) const {
  const double r2 = dot(d, d), r = std::sqrt(r2), x = kappa_ * r;
  const double gauss = 2.0 * kappa_ * std::numbers::inv_sqrtpi * std::exp(-x * x);
  const double first = std::erfc(x) / r;
  const double second = (first + gauss) / r2;
  const double third = (3.0 * second + 2.0 * kappa_ * kappa_ * gauss) / r2;
  return of_pair(a, b, d, {first, second, third});
}

InsertedCharges::Factors InsertedCharges::smooth(double r2) const {
  const double k2 = kappa_ * kappa_, x2 = k2 * r2;
  const double unit = 2.0 * kappa_ * std::numbers::inv_sqrtpi;
  if (x2 > 1.0) {
    const double r = std::sqrt(r2), gauss = unit * std::exp(-x2);
    const double first = std::erf(kappa_ * r) / r;
    const double second = (first - gauss) / r2;
    return {first, second, (3.0 * second - 2.0 * k2 * gauss) / r2};
  }
  // The power series of erf(x) / x and its derivatives by x^2.
  Factors sums{};
  double power = 1.0;  // (-1)^n x^(2n) / n!
  for (int n = 0; n < 24; ++n) {
    sums[0] += power / (2.0 * n + 1.0);
    sums[1] += power * 2.0 / (2.0 * n + 3.0);
    sums[2] += power * 4.0 / (2.0 * n + 5.0);
    power *= -x2 / (n + 1.0);
  }
  return {unit * sums[0], unit * k2 * sums[1], unit * k2 * k2 * sums[2]};
}

double InsertedCharges::far(std::span<const Site> molecule) {
  own_real_.assign(weight_.size(), 0.0);
  own_imaginary_.assign(weight_.size(), 0.0);
  for (const Site& site : molecule) add(site, own_real_, own_imaginary_);
  double energy = 0.0;
  for (std::size_t k = 0; k < weight_.size(); ++k) {
    energy += weight_[k] * ((2.0 * real_[k] + own_real_[k]) * own_real_[k] +
                            (2.0 * imaginary_[k] + own_imaginary_[k]) * own_imaginary_[k]);
  }
  const Factors at_once = smooth(0.0);
  for (std::size_t a = 0; a < molecule.size(); ++a) {
    energy -= 0.5 * of_pair(molecule[a], molecule[a], {}, at_once);
    for (std::size_t b = 0; b < a; ++b) {
      const Vec3 d = molecule[a].position - molecule[b].position;
      energy -= of_pair(molecule[a], molecule[b], d, smooth(dot(d, d)));
    }
  }
  return energy;
}

}  // namespace sterna::md
