#pragma once

// The energy of two rigid molecules, straight from the textbook: angles and powers of the
// distance, as in Gray and Gubbins, Theory of Molecular Fluids, vol. 1, eq. 2.180 to 2.184, and
// Stone, The Theory of Intermolecular Forces. No line of it is shared with the kernels.

#include <cmath>

#include "md/core/quaternion.hpp"
#include "md/model/molecule_model.hpp"

namespace sterna::md::test {

struct Molecule {
  std::size_t component;
  Vec3 center;
  Quaternion orientation;
  Vec3 at(const Vec3& body) const { return center + orientation.to_lab(body); }
};

struct PairEnergy {
  double total = 0.0, reaction_field = 0.0;
};

/// `in_place` decides what is inside the cutoff: where `first` is before a small displacement.
inline PairEnergy pair_energy(const MoleculeModel& model, const Molecule& first,
                              const Molecule& second, const Molecule& in_place) {
  const Component& a = model.components[first.component];
  const Component& b = model.components[second.component];
  const bool by_site = model.cutoff_kind == MoleculeModel::Cutoff::site;
  PairEnergy energy;
  // Calls term(r, n) with n from the site of `second` to that of `first`.
  const auto between = [&](const Vec3& x, const Vec3& y, double cutoff, auto&& term) {
    const Vec3 d = first.at(x) - second.at(y);
    const double r = length(d);
    const double decisive =
        by_site ? length(in_place.at(x) - second.at(y)) : length(in_place.center - second.center);
    if (decisive < cutoff) energy.total += term(r, (1.0 / r) * d);
  };
  const MoleculeModel::Mixing mixing = first.component == second.component
                                           ? MoleculeModel::Mixing{}
                                           : model.mix(first.component, second.component);
  const bool shifted =
      model.shifted[first.component * model.components.size() + second.component] != 0;
  for (const auto& i : a.lennard_jones) {
    for (const auto& j : b.lennard_jones) {
      const double sigma = mixing.eta * (i.sigma + j.sigma) / 2.0;
      const double epsilon = mixing.xi * std::sqrt(i.epsilon * j.epsilon);
      const auto u = [&](double r) {
        return 4.0 * epsilon * (std::pow(sigma / r, 12) - std::pow(sigma / r, 6));
      };
      const double cutoff = model.lennard_jones_cutoff;
      between(i.position, j.position, cutoff,
              [&](double r, const Vec3&) { return u(r) - (shifted ? u(cutoff) : 0.0); });
    }
  }
  const double cutoff = model.cutoff;
  const auto q_q = [](double q1, double q2, double r) { return q1 * q2 / r; };
  // Angles against n, which points from the second site to the first: a charge sees the field of a
  // multipole along n, and a multipole on the first molecule sees the charge along -n.
  for (const auto& i : a.charges) {
    for (const auto& j : b.charges) {
      if (model.electrostatics == MoleculeModel::Electrostatics::none) continue;
      between(i.position, j.position, cutoff,
              [&](double r, const Vec3&) { return q_q(i.charge, j.charge, r); });
    }
    for (const auto& j : b.dipoles) {
      if (model.electrostatics == MoleculeModel::Electrostatics::none) continue;
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        return i.charge * dot(second.orientation.to_lab(j.moment), n) / std::pow(r, 2);
      });
    }
    for (const auto& j : b.quadrupoles) {
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        const double c = dot(second.orientation.to_lab(j.axis), n);
        return 0.5 * i.charge * j.moment * (3.0 * c * c - 1.0) / std::pow(r, 3);
      });
    }
  }
  const auto dipole_quadrupole = [](double mu, double q, double c_mu, double c_q, double c_12,
                                    double r) {
    // Both angles against the axis from the dipole to the quadrupole.
    return 1.5 * mu * q / std::pow(r, 4) * (c_mu * (5.0 * c_q * c_q - 1.0) - 2.0 * c_q * c_12);
  };
  for (const auto& i : a.dipoles) {
    const Vec3 moment = first.orientation.to_lab(i.moment);
    const double mu = length(moment);
    for (const auto& j : b.charges) {
      if (model.electrostatics == MoleculeModel::Electrostatics::none) continue;
      between(i.position, j.position, cutoff,
              [&](double r, const Vec3& n) { return -j.charge * dot(moment, n) / std::pow(r, 2); });
    }
    for (const auto& j : b.dipoles) {
      if (model.electrostatics == MoleculeModel::Electrostatics::none) continue;
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        const Vec3 other = second.orientation.to_lab(j.moment);
        const double c1 = dot(moment, n) / mu, c2 = dot(other, n) / length(other);
        const double c12 = dot(moment, other) / (mu * length(other));
        double field = 0.0;
        if (model.electrostatics == MoleculeModel::Electrostatics::reaction_field) {
          const double e = model.reaction_field_epsilon;
          field =
              -2.0 * (e - 1.0) / (2.0 * e + 1.0) / std::pow(cutoff, 3) * mu * length(other) * c12;
        }
        energy.reaction_field += field;
        return mu * length(other) * (c12 - 3.0 * c1 * c2) / std::pow(r, 3) + field;
      });
    }
    for (const auto& j : b.quadrupoles) {
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        const Vec3 axis = second.orientation.to_lab(j.axis);
        return dipole_quadrupole(mu, j.moment, -dot(moment, n) / mu, -dot(axis, n),
                                 dot(moment, axis) / mu, r);
      });
    }
  }
  for (const auto& i : a.quadrupoles) {
    const Vec3 axis = first.orientation.to_lab(i.axis);
    for (const auto& j : b.charges) {
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        const double c = dot(axis, n);
        return 0.5 * j.charge * i.moment * (3.0 * c * c - 1.0) / std::pow(r, 3);
      });
    }
    for (const auto& j : b.dipoles) {
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        const Vec3 moment = second.orientation.to_lab(j.moment);
        const double mu = length(moment);
        return dipole_quadrupole(mu, i.moment, dot(moment, n) / mu, dot(axis, n),
                                 dot(moment, axis) / mu, r);
      });
    }
    for (const auto& j : b.quadrupoles) {
      between(i.position, j.position, cutoff, [&](double r, const Vec3& n) {
        const Vec3 other = second.orientation.to_lab(j.axis);
        const double c1 = dot(axis, n), c2 = dot(other, n);
        // sin sin cos of the dihedral angle
        const double s = dot(axis, other) - c1 * c2;
        return 0.75 * i.moment * j.moment / std::pow(r, 5) *
               (1.0 - 5.0 * (c1 * c1 + c2 * c2) - 15.0 * c1 * c1 * c2 * c2 +
                2.0 * std::pow(s - 4.0 * c1 * c2, 2));
      });
    }
  }
  return energy;
}

}  // namespace sterna::md::test
