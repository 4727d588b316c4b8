// Idea:    two multipoles have an energy f(r) h, where h is a polynomial in the cosines of their
//          directions with r and in the product of the directions. Force and torques of all kinds of
//          pairs follow from h and its three derivatives by one rule.
// Source:  Gray and Gubbins, Theory of Molecular Fluids, vol. 1 (1984), eq. 2.180 to 2.184; soft core:
//          Beutler et al., Chem. Phys. Lett. 222, 529 (1994).
// Cost:    100 operations a pair of sites.
// Hazards: multipoles have no soft core, so they must be off where wells let molecules overlap.
// Others:  MolecularForces, for all molecules of a system, whose wells have no soft core.

#include "md/forces/molecular/soft_molecules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/core/cross_product.hpp"

namespace sterna::md {

SoftMolecules::SoftMolecules(MoleculeModel model, const SoftCore& core)
    : model_(std::move(model)), core_(core), range_(model_.cutoff) {
  double extent = 0.0;
  for (const Component& component : model_.components) {
    add_shape(component);
    for (const auto& site : component.lennard_jones) {
      extent = std::max(extent, length(site.position));
    }
    for (const Multipole& site : sites_.back()) {
      extent = std::max(extent, length(shapes_.back()[site.point]));
    }
  }
  if (model_.cutoff_kind == MoleculeModel::Cutoff::site) range_ += 2.0 * extent;
  const std::size_t count = shapes_.size();
  for (std::size_t k = 0; k < count * count; ++k) {
    const std::size_t a = k / count, b = k % count;
    wells_.push_back(wells_between(a, b, core_));
    multipoles_.push_back(multipoles_between(a, b));
  }
}

void SoftMolecules::add_shape(const Component& component) {
  std::vector<Vec3>& vectors = shapes_.emplace_back();
  std::vector<Multipole>& sites = sites_.emplace_back();
  for (const auto& site : component.lennard_jones) vectors.push_back(site.position);
  const auto add = [&](Order order, const Vec3& position, const Vec3& direction, double strength) {
    sites.push_back({order, vectors.size(), vectors.size() + 1, strength});
    vectors.push_back(position);
    vectors.push_back(direction);
  };
  for (const auto& site : component.charges) {
    if (site.charge != 0.0) add(Order::charge, site.position, {}, site.charge);
  }
  for (const auto& site : component.dipoles) add(Order::dipole, site.position, site.moment, 1.0);
  for (const auto& site : component.quadrupoles) {
    add(Order::quadrupole, site.position, site.axis, site.moment);
  }
}

std::vector<SoftMolecules::Well> SoftMolecules::wells_between(std::size_t a, std::size_t b,
                                                              const SoftCore& core) const {
  std::vector<Well> wells;
  const auto& first = model_.components[a].lennard_jones;
  const auto& second = model_.components[b].lennard_jones;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < second.size(); ++j) {
      if (first[i].epsilon == 0.0 || second[j].epsilon == 0.0) continue;
      const auto [epsilon, sigma] = model_.mixed(a, first[i], b, second[j]);
      const double sigma6 = std::pow(sigma, 6);
      const double c6 = 4.0 * epsilon * sigma6, c12 = c6 * sigma6;
      const double end6 = std::pow(model_.lennard_jones_cutoff, -6);
      const bool shifted = model_.shifted[a * model_.components.size() + b] != 0;
      wells.push_back({i, j, c6, c12, shifted ? end6 * (c12 * end6 - c6) : 0.0,
                       std::pow(std::max(sigma, core.least_sigma), 6)});
    }
  }
  return wells;
}

std::vector<SoftMolecules::MultipolePair> SoftMolecules::multipoles_between(std::size_t a,
                                                                            std::size_t b) const {
  using Electrostatics = MoleculeModel::Electrostatics;
  const double epsilon = model_.reaction_field_epsilon;
  const double field =
      model_.electrostatics == Electrostatics::reaction_field
          ? 2.0 * (epsilon - 1.0) / ((2.0 * epsilon + 1.0) * std::pow(model_.cutoff, 3))
          : 0.0;
  std::vector<MultipolePair> pairs;
  for (const Multipole& first : sites_[a]) {
    for (const Multipole& second : sites_[b]) {
      const bool with_quadrupole =
          first.order == Order::quadrupole || second.order == Order::quadrupole;
      // A solver has all charges and dipoles.
      if (model_.electrostatics == Electrostatics::none && !with_quadrupole) continue;
      const bool are_dipoles = first.order == Order::dipole && second.order == Order::dipole;
      pairs.push_back({first, second, are_dipoles ? field : 0.0});
    }
  }
  return pairs;
}

void SoftMolecules::turn(std::size_t kind, const Quaternion& orientation,
                         std::vector<Vec3>& into) const {
  into.clear();
  const auto rows = orientation.matrix();
  for (const Vec3& body : shapes_[kind]) {
    into.push_back({dot(rows[0], body), dot(rows[1], body), dot(rows[2], body)});
  }
}

BodyPairSums SoftMolecules::van_der_waals(std::size_t a, std::size_t b, const Vec3& d,
                                          std::span<const Vec3> of_a, std::span<const Vec3> of_b,
                                          double lambda) const {
  BodyPairSums sums;
  const double cutoff = model_.lennard_jones_cutoff;
  const bool by_sites = model_.cutoff_kind == MoleculeModel::Cutoff::site;
  if (!by_sites && dot(d, d) >= cutoff * cutoff) return sums;
  const double on = 1.0 - lambda;
  for (const Well& well : wells(a, b)) {
    const Vec3 r = d + of_a[well.point_a] - of_b[well.point_b];
    const SoftCore::Distance s = core_.at(dot(r, r), well.sigma6, lambda);
    if (by_sites && s.softened >= cutoff) continue;
    const double inverse2 = 1.0 / (s.softened * s.softened);
    const double inverse6 = inverse2 * inverse2 * inverse2;
    const double energy = inverse6 * (well.c12 * inverse6 - well.c6) - well.shift;
    // -u' of the softened distance
    const double pull =
        inverse6 * (12.0 * well.c12 * inverse6 - 6.0 * well.c6) * inverse2 * s.softened;
    sums.energy += on * energy;
    sums.by_lambda -= energy + on * pull * s.by_lambda;
    const Vec3 force = (on * pull * s.by_square) * r;
    sums.force += force;
    sums.torque_a += cross(of_a[well.point_a], force);
    sums.torque_b -= cross(of_b[well.point_b], force);
  }
  return sums;
}

SoftMolecules::Form SoftMolecules::form_of(const MultipolePair& pair, double cosine_a,
                                           double cosine_b, double product) {
  const double ca = cosine_a, cb = cosine_b, g = product;
  const double both = pair.a.strength * pair.b.strength;
  switch (pair.a.order) {
    case Order::charge:
      switch (pair.b.order) {
        case Order::charge:
          return {both, 1, 1.0, 0.0, 0.0, 0.0};
        case Order::dipole:
          return {both, 2, cb, 0.0, 1.0, 0.0};
        case Order::quadrupole:
          return {0.5 * both, 3, 3.0 * cb * cb - 1.0, 0.0, 6.0 * cb, 0.0};
      }
      break;
    case Order::dipole:
      switch (pair.b.order) {
        case Order::charge:
          return {both, 2, -ca, -1.0, 0.0, 0.0};
        case Order::dipole:
          return {both, 3, g - 3.0 * ca * cb, -3.0 * cb, -3.0 * ca, 1.0};
        case Order::quadrupole:
          return {1.5 * both,
                  4,
                  2.0 * cb * g + ca * (1.0 - 5.0 * cb * cb),
                  1.0 - 5.0 * cb * cb,
                  2.0 * g - 10.0 * ca * cb,
                  2.0 * cb};
      }
      break;
    case Order::quadrupole:
      switch (pair.b.order) {
        case Order::charge:
          return {0.5 * both, 3, 3.0 * ca * ca - 1.0, 6.0 * ca, 0.0, 0.0};
        case Order::dipole:
          return {1.5 * both,
                  4,
                  -2.0 * ca * g - cb * (1.0 - 5.0 * ca * ca),
                  -2.0 * g + 10.0 * ca * cb,
                  -(1.0 - 5.0 * ca * ca),
                  -2.0 * ca};
        case Order::quadrupole:
          return {0.75 * both,
                  5,
                  1.0 + 2.0 * g * g - 5.0 * (ca * ca + cb * cb + 4.0 * g * ca * cb) +
                      35.0 * ca * ca * cb * cb,
                  -10.0 * ca - 20.0 * g * cb + 70.0 * ca * cb * cb,
                  -10.0 * cb - 20.0 * g * ca + 70.0 * ca * ca * cb,
                  4.0 * g - 20.0 * ca * cb};
      }
      break;
  }
  return {};
}

BodyPairSums SoftMolecules::electrostatic(std::size_t a, std::size_t b, const Vec3& d,
                                          std::span<const Vec3> of_a,
                                          std::span<const Vec3> of_b) const {
  BodyPairSums sums;
  const double cutoff_squared = model_.cutoff * model_.cutoff;
  const bool by_sites = model_.cutoff_kind == MoleculeModel::Cutoff::site;
  if (!by_sites && dot(d, d) >= cutoff_squared) return sums;
  for (const MultipolePair& pair : multipoles(a, b)) {
    const Vec3 r = d + of_a[pair.a.point] - of_b[pair.b.point];
    const double r_squared = dot(r, r);
    if (by_sites && r_squared >= cutoff_squared) continue;
    const double inverse = 1.0 / std::sqrt(r_squared);
    const Vec3 n = inverse * r;
    const Vec3 &along_a = of_a[pair.a.direction], &along_b = of_b[pair.b.direction];
    const double ca = dot(along_a, n), cb = dot(along_b, n), g = dot(along_a, along_b);
    const Form form = form_of(pair, ca, cb, g);
    double fall = form.factor;
    for (int k = 0; k < form.power; ++k) fall *= inverse;
    sums.energy += fall * form.value - pair.field * g;
    sums.reaction_field -= pair.field * g;
    const Vec3 across =
        form.by_a * along_a + form.by_b * along_b - (form.by_a * ca + form.by_b * cb) * n;
    const Vec3 force = (fall * inverse) * (form.power * form.value * n - across);
    const double by_product = fall * form.by_product - pair.field;
    const Vec3 on_a = -1.0 * (fall * form.by_a * n + by_product * along_b);
    const Vec3 on_b = -1.0 * (fall * form.by_b * n + by_product * along_a);
    sums.force += force;
    sums.torque_a += cross(of_a[pair.a.point], force) + cross(along_a, on_a);
    sums.torque_b += cross(along_b, on_b) - cross(of_b[pair.b.point], force);
  }
  return sums;
}

}  // namespace sterna::md
