#pragma once

#include <string>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// A rigid molecule: sites at fixed positions in a body frame, whose origin is the center of mass
/// and whose axes are the principal axes of inertia. Internal units. Charges and multipoles contain
/// the factor sqrt(1/(4 pi epsilon_0)), so that u = q1 q2 / r is an energy. A type of particle is a
/// component with one Lennard-Jones site at its origin.
struct Component {
  struct LennardJonesSite {
    Vec3 position;
    double epsilon, sigma;
  };
  struct ChargeSite {
    Vec3 position;
    double charge;
  };
  struct DipoleSite {
    Vec3 position;
    Vec3 moment;  ///< points from the negative to the positive charge
  };
  /// A linear quadrupole: its traceless tensor is moment * (3 axis axis - 1) / 2.
  struct QuadrupoleSite {
    Vec3 position;
    Vec3 axis;  ///< unit vector
    double moment;
  };

  std::string name;
  std::vector<LennardJonesSite> lennard_jones;
  std::vector<ChargeSite> charges;
  std::vector<DipoleSite> dipoles;
  std::vector<QuadrupoleSite> quadrupoles;
  double mass = 1.0;
  Vec3 inertia;  ///< principal moments; 0: the body does not rotate about this axis

  int rotational_degrees_of_freedom() const {
    return (inertia.x > 0.0) + (inertia.y > 0.0) + (inertia.z > 0.0);
  }
  bool is_single_lennard_jones() const {
    return lennard_jones.size() == 1 && charges.empty() && dipoles.empty() && quadrupoles.empty() &&
           lennard_jones[0].position == Vec3{};
  }
};

}  // namespace sterna::md
