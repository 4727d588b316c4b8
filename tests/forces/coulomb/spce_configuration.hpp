#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "forces/coulomb/crystals.hpp"

/// A SPC/E configuration of the NIST reference calculations, lengths in angstrom, charges in e.
/// Empty where ../shared is absent.
inline OwnedCharges read_spce_configuration(int number) {
  const std::filesystem::path file =
      std::filesystem::path(STERNA_SOURCE_DIR) / "../shared/data/nist/spce" /
      ("spce_sample_config_periodic" + std::to_string(number) + ".txt");
  OwnedCharges system;
  std::ifstream in(file);
  sterna::md::Vec3 lengths, position;
  int molecules = 0, index = 0;
  if (!(in >> lengths.x >> lengths.y >> lengths.z >> molecules)) return system;
  system.lattice = sterna::md::Lattice::orthorhombic(lengths);
  std::string element;
  while (in >> index >> position.x >> position.y >> position.z >> element) {
    system.add(position, element == "O" ? -0.8476 : 0.4238,
               static_cast<std::int32_t>(system.positions.size() / 3));
  }
  return system;
}

inline std::vector<sterna::md::Vec3> read_spce_forces(int number) {
  std::ifstream in(std::filesystem::path(STERNA_SOURCE_DIR) / "../shared/data/nist/spce" /
                   ("ref_forces_" + std::to_string(number) + ".txt"));
  std::string comment;
  std::getline(in, comment);
  std::vector<sterna::md::Vec3> forces;
  for (sterna::md::Vec3 force; in >> force.x >> force.y >> force.z;) forces.push_back(force);
  return forces;
}
