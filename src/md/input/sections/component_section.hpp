#pragma once

#include <optional>
#include <string>
#include <vector>

#include "md/core/vector.hpp"
#include "md/model/site_kind.hpp"

namespace sterna::md {

struct SiteSection {  ///< [[component.site]]
  std::optional<SiteKind> kind;
  Vec3 position;  ///< in any frame that all sites share
  double mass = 0.0;
  double epsilon = 0.0, sigma = 0.0;  ///< lennard_jones
  double charge = 0.0;                ///< charge
  Vec3 axis{0.0, 0.0, 1.0};           ///< dipole (towards the positive charge), quadrupole
  double moment = 0.0;                ///< dipole: charge * length; quadrupole: charge * length^2
};

struct ComponentSection {  ///< [[component]]: a rigid molecule, instead of a [[type]]
  std::string name;
  std::string model;            ///< name of a published model; empty: sites of the file
  std::optional<Vec3> inertia;  ///< about the sites' axes; nothing: from the masses
  double fraction = 1.0;
  std::vector<SiteSection> sites;  ///< those of `model` if it is given
};

}  // namespace sterna::md
