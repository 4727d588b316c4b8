// Idea:    the fluid beyond the cutoff is a stack of homogeneous layers. The effect of a layer on a
//          molecule at a distance along the normal is a closed integral over the part of the layer
//          outside of the cutoff sphere.
// Source:  Janecek, J. Phys. Chem. B 110, 6264 (2006); molecules by the angle average of Lustig,
//          Mol. Phys. 65, 175 (1988), as Werth et al., Mol. Phys. 112, 2227 (2014).
// Cost:    slabs^2 for each pair of components and profile.
// Hazards: assumes homogeneous layers and random orientations beyond the cutoff, which a droplet
//          does not have.
// Others:  HomogeneousCorrection where the density is the same everywhere.

#include "md/forces/longrange/planar_correction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace sterna::md {

namespace {

using Values = PlanarCorrection::Values;

/// The effect of a layer of unit density and thickness on a molecule `distance` above it, without
/// pairs closer than the cutoff. With s along the layer, s ds = r dr.
Values of_layer(const AveragedPotential& pair, double distance) {
  using std::numbers::pi;
  const double nearest = std::max(pair.cutoff(), std::fabs(distance));
  const double u = pair.energy(nearest);
  const double moment = pair.first_moment(nearest);
  return {.energy = 2.0 * pi * moment,
          .force = 2.0 * pi * distance * u,
          .virial_normal = 2.0 * pi * distance * distance * u,
          .virial_tangential = pi * ((nearest * nearest - distance * distance) * u + 2.0 * moment)};
}

void add(Values& sum, double factor, const Values& term) {
  sum.energy += factor * term.energy;
  sum.force += factor * term.force;
  sum.virial_normal += factor * term.virial_normal;
  sum.virial_tangential += factor * term.virial_tangential;
}

/// Adds the layers from `low` to `high` below the molecule, by Gauss-Legendre quadrature with five
/// points.
void add_layers(Values& sum, const AveragedPotential& pair, double low, double high) {
  constexpr std::array<double, 3> point{0.0, 0.538469310105683091, 0.906179845938663993};
  constexpr std::array<double, 3> weight{0.568888888888888889, 0.478628670499366468,
                                         0.236926885056189088};
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  for (std::size_t k = 0; k < point.size(); ++k) {
    add(sum, weight[k] * half, of_layer(pair, middle + half * point[k]));
    if (k > 0) add(sum, weight[k] * half, of_layer(pair, middle - half * point[k]));
  }
}

/// Adds a slab. It is divided at the cutoff, where the integrand has a kink.
void add_slab(Values& sum, const AveragedPotential& pair, double low, double high) {
  std::array<double, 4> cuts{low, -pair.cutoff(), pair.cutoff(), high};
  for (double& cut : cuts) cut = std::clamp(cut, low, high);
  for (std::size_t k = 0; k < 3; ++k) {
    if (cuts[k + 1] > cuts[k]) add_layers(sum, pair, cuts[k], cuts[k + 1]);
  }
}

}  // namespace

PlanarCorrection::PlanarCorrection(std::span<const AveragedPotential> pairs, double length,
                                   std::size_t slabs)
    : components_(static_cast<std::size_t>(std::lround(std::sqrt(pairs.size())))),
      slabs_(slabs),
      length_(length),
      width_(length / static_cast<double>(slabs)) {
  if (pairs.empty() || slabs == 0 || !(length > 0.0)) {
    throw std::invalid_argument("a planar correction needs slabs and a length along the normal");
  }
  influence_.resize(components_ * components_ * slabs_);
  density_.assign(components_ * slabs_, 0.0);
  values_.resize(components_ * slabs_);
  // Images of slabs are summed one by one up to this number of cutoffs; beyond, the fluid is taken
  // as homogeneous.
  constexpr double separate_cutoffs = 8.0;
  const int images = 1 + static_cast<int>(separate_cutoffs * pairs[0].cutoff() / length);
  const double rest = (images + 0.5) * length_;
  for (std::size_t a = 0; a < components_; ++a) {
    for (std::size_t b = 0; b < components_; ++b) {
      const AveragedPotential& pair = pairs[a * components_ + b];
      Values* const influence = influence_.data() + (a * components_ + b) * slabs_;
      constexpr double pi = std::numbers::pi;
      const double share = 1.0 / static_cast<double>(slabs_);
      const double far = std::max(rest, pair.cutoff());
      const Values beyond{.energy = 4.0 * pi * pair.first_moment_integral(far),
                          .force = 0.0,
                          .virial_normal = 4.0 * pi * pair.second_moment(far),
                          .virial_tangential = 4.0 * pi * pair.first_moment_integral(far)};
      for (std::size_t k = 0; k < slabs_; ++k) {
        for (int image = -images; image <= images; ++image) {
          // Nearest images come first, and on both sides the sum ends at distance `rest`.
          double distance = static_cast<double>(k) * width_;
          if (distance > 0.5 * length_) distance -= length_;
          distance += image * length_;
          add_slab(influence[k], pair, distance - 0.5 * width_, distance + 0.5 * width_);
        }
        add(influence[k], share, beyond);
      }
    }
  }
}

void PlanarCorrection::set_profile(std::span<const double> density) {
  if (density.size() != density_.size()) {
    throw std::invalid_argument("a profile of " + std::to_string(density.size()) +
                                " values where components times slabs are " +
                                std::to_string(density_.size()));
  }
  std::copy(density.begin(), density.end(), density_.begin());
  std::fill(values_.begin(), values_.end(), Values{});
  for (std::size_t a = 0; a < components_; ++a) {
    for (std::size_t b = 0; b < components_; ++b) {
      const Values* const influence = influence_.data() + (a * components_ + b) * slabs_;
      for (std::size_t source = 0; source < slabs_; ++source) {
        const double there = density_[b * slabs_ + source];
        if (there == 0.0) continue;
        for (std::size_t k = 0; k < slabs_; ++k) {
          const std::size_t offset = k >= source ? k - source : k + slabs_ - source;
          add(value(a, k), there, influence[offset]);
        }
      }
    }
  }
}

PlanarCorrection::Values PlanarCorrection::at(std::size_t component, double z) const {
  // The position in slabs from the middle of slab 0, within the box.
  double place = z / width_ - 0.5;
  place -= std::floor(place / static_cast<double>(slabs_)) * static_cast<double>(slabs_);
  const std::size_t below = std::min(static_cast<std::size_t>(place), slabs_ - 1);
  const double fraction = place - static_cast<double>(below);
  Values result;
  add(result, 1.0 - fraction, value(component, below));
  add(result, fraction, value(component, (below + 1) % slabs_));
  return result;
}

}  // namespace sterna::md
