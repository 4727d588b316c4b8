#pragma once

#include <cstddef>
#include <vector>

#include "md/input/input.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// The content of ls1's `<components>`.
struct MoleculeTypes {
  /// The components, with sites in ls1's body frame, whose origin is the center of mass and whose
  /// axes are the principal axes; `inertia` is always set, to ls1's value.
  std::vector<Input::Component> components;
  std::vector<char> shifted;  ///< by component: is its Lennard-Jones energy shifted
  struct Mixing {
    std::size_t first = 0, second = 0;  ///< indices of components
    double eta = 1.0, xi = 1.0;
  };
  std::vector<Mixing> mixing;               ///< the given rules
  std::vector<const XmlElement*> elements;  ///< by component: its element

  /// Whether every component is a single Lennard-Jones site at the origin.
  bool all_atoms() const;
};

/// Reads `<moleculetype>`s and `<mixing>` in the order of their ids; mistakes are reported to
/// `values`. The result points into `components`.
MoleculeTypes read_molecule_types(const XmlElement& components, XmlValues& values);

/// Sum of the sites' masses.
double mass_of(const Input::Component& component);

}  // namespace sterna::md::ls1
