#pragma once

#include <cstddef>
#include <vector>

#include "md/input/input.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// What stands in ls1's `<components>`.
struct MoleculeTypes {
  /// Sites in ls1's body frame, whose origin is the center of mass and whose axes are principal
  /// ones; `inertia` is always set, to what ls1 computes with.
  std::vector<Input::Component> components;
  std::vector<char> shifted;  ///< by component: the Lennard-Jones energy within it
  struct Mixing {
    std::size_t first = 0, second = 0;  ///< components, from 0
    double eta = 1.0, xi = 1.0;
  };
  std::vector<Mixing> mixing;               ///< the rules that are given
  std::vector<const XmlElement*> elements;  ///< by component, where it stands

  /// Whether all are single Lennard-Jones sites at the origin.
  bool all_atoms() const;
};

/// Reads `<moleculetype>`s and `<mixing>` in the order of their ids; what is wrong goes to
/// `values`. Points into `components`.
MoleculeTypes read_molecule_types(const XmlElement& components, XmlValues& values);

/// Sum of the sites' masses.
double mass_of(const Input::Component& component);

}  // namespace sterna::md::ls1
