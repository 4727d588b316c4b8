#pragma once

#include <string>

namespace sterna::md {

struct TypeSection {  ///< [[type]]
  std::string name;
  double mass = 1.0;
  double epsilon = 1.0;            ///< energy
  double sigma = 1.0;              ///< length
  double fraction = 1.0;           ///< share of particles in lattice and random starts
  std::string embedded_atom{};     ///< element in the file of the embedded-atom method
  std::string tersoff{};           ///< name of Tersoff parameters; default: the type's name
  std::string snap{};              ///< element in the file of a SNAP potential
  std::string ace{};               ///< element in the file of an ACE potential
  std::string stillinger_weber{};  ///< name of parameters of Stillinger and Weber
  double charge = 0.0;             ///< e; reduced: sqrt(4 pi epsilon_0 sigma epsilon)
};

}  // namespace sterna::md
