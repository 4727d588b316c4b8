// Idea:    the average of r^m over the positions of two sites, each anywhere on a sphere around its
//          center, is a series in the radii of the spheres. All of its terms have the same sign, so
//          no digits are lost, and sites at the center are no special case.
// Source:  Lustig, Mol. Phys. 65, 175 (1988), whose closed forms are this series summed.
// Cost:    once for a model: some tens of terms for each pair of sites.
// Hazards: the average assumes that orientations are random beyond the cutoff.
// Others:  a lattice sum of the dispersion (none here), if the surface is smaller than the cutoff.

#include "md/forces/longrange/averaged_potential.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sterna::md {

namespace {

/// Sites that are alike, and their number.
struct LikeSites {
  Component::LennardJonesSite site;
  double count;
};

/// The sites of a component. Where their places do not matter, sites with the same parameters are
/// one entry, because a nanoparticle has thousands.
std::vector<LikeSites> like_sites(const Component& component, bool at_any_place) {
  std::vector<LikeSites> result;
  std::map<std::pair<double, double>, std::size_t> known;
  for (const auto& site : component.lennard_jones) {
    if (at_any_place) {
      const auto [found, is_new] = known.try_emplace({site.epsilon, site.sigma}, result.size());
      if (!is_new) {
        result[found->second].count += 1.0;
        continue;
      }
    }
    result.push_back({site, 1.0});
  }
  return result;
}

}  // namespace

AveragedPotential::AveragedPotential(const MoleculeModel& model, std::size_t a, std::size_t b)
    : cutoff_(model.lennard_jones_cutoff) {
  if (model.are_atoms(a, b) || model.shifted[a * model.components.size() + b] != 0) return;
  const bool by_site = model.cutoff_kind == MoleculeModel::Cutoff::site;
  for (const auto& [i, count_a] : like_sites(model.components[a], by_site)) {
    for (const auto& [j, count_b] : like_sites(model.components[b], by_site)) {
      const auto [epsilon, sigma] = model.mixed(a, i, b, j);
      if (epsilon == 0.0) continue;
      const double radius_a = by_site ? 0.0 : std::sqrt(dot(i.position, i.position)) / cutoff_;
      const double radius_b = by_site ? 0.0 : std::sqrt(dot(j.position, j.position)) / cutoff_;
      if (radius_a + radius_b >= 1.0) {
        throw std::invalid_argument(
            fmt::format("no long-range correction: sites of \"{}\" and \"{}\" reach {} from their "
                        "centers together, and the cutoff is {}",
                        model.components[a].name, model.components[b].name,
                        (radius_a + radius_b) * cutoff_, cutoff_));
      }
      const double s6 = std::pow(sigma / cutoff_, 6);
      const double strength = 4.0 * epsilon * s6 * count_a * count_b;
      add(-strength, 6, radius_a, radius_b);
      add(strength * s6, 12, radius_a, radius_b);
    }
  }
}

AveragedPotential::AveragedPotential(double c6, double c12, double cutoff)
    : cutoff_(cutoff),
      coefficient_{-c6 * std::pow(cutoff, -6), 0.0, 0.0, c12 * std::pow(cutoff, -12)} {}

std::vector<AveragedPotential> averaged_potentials(const MoleculeModel& model) {
  std::vector<AveragedPotential> pairs;
  for (std::size_t a = 0; a < model.components.size(); ++a) {
    for (std::size_t b = 0; b < model.components.size(); ++b) pairs.emplace_back(model, a, b);
  }
  return pairs;
}

std::vector<AveragedPotential> averaged_potentials(const LennardJones& potential) {
  std::vector<AveragedPotential> pairs;
  for (std::size_t k = 0; k < potential.c6().size(); ++k) {
    pairs.emplace_back(potential.c6()[k], potential.c12()[k], potential.cutoff());
  }
  return pairs;
}

/// Adds the average of strength r^-power; lengths are in units of the cutoff. With s and d the sum
/// and the difference of the radii, the average is
///   sum over n of R^(-power - 2n) q_n h_n,   h_n = sum over k of s^2k d^(2n - 2k),
///   q_n = 2 (power - 1) power ... (power + 2n - 2) / (2n + 2)!
/// It follows from averages of the Laplacian: the average of r^m over a sphere of radius t is the
/// sum over k of t^2k / (2k + 1)! times the k-th Laplacian of r^m.
void AveragedPotential::add(double strength, int power, double radius_a, double radius_b) {
  const double s2 = (radius_a + radius_b) * (radius_a + radius_b);
  const double d2 = (radius_a - radius_b) * (radius_a - radius_b);
  double q = 1.0, h = 1.0, d_power = 1.0;
  double total = 0.0;
  for (int n = 0;; ++n) {
    if (n > 0) {
      q *= (power + 2.0 * n - 3.0) * (power + 2.0 * n - 2.0) / ((2.0 * n + 1.0) * (2.0 * n + 2.0));
      d_power *= d2;
      h = s2 * h + d_power;
    }
    const double term = q * h;
    const auto place = static_cast<std::size_t>((power - 6) / 2 + n);
    if (coefficient_.size() <= place) coefficient_.resize(place + 1, 0.0);
    coefficient_[place] += strength * term;
    total += term;
    // Terms may grow at first, but the integrals give later terms less weight.
    const double ratio = s2 * (1.0 + power / (n + 1.0));
    if (term < 1e-17 * total && ratio < 1.0) return;
  }
}

template <class Weight>
double AveragedPotential::sum(double distance, Weight&& weight) const {
  const double x2 = std::pow(cutoff_ / distance, 2);
  double power = x2 * x2 * x2, result = 0.0;
  for (std::size_t n = 0; n < coefficient_.size(); ++n, power *= x2) {
    result += coefficient_[n] * power * weight(6.0 + 2.0 * static_cast<double>(n));
  }
  return result;
}

double AveragedPotential::energy(double distance) const {
  return sum(distance, [](double) { return 1.0; });
}
double AveragedPotential::slope(double distance) const {
  return sum(distance, [](double p) { return -p; });
}
double AveragedPotential::first_moment(double distance) const {
  return distance * distance * sum(distance, [](double p) { return 1.0 / (p - 2.0); });
}
double AveragedPotential::second_moment(double distance) const {
  return std::pow(distance, 3) * sum(distance, [](double p) { return 1.0 / (p - 3.0); });
}
double AveragedPotential::first_moment_integral(double distance) const {
  return std::pow(distance, 3) *
         sum(distance, [](double p) { return 1.0 / ((p - 2.0) * (p - 3.0)); });
}

}  // namespace sterna::md
