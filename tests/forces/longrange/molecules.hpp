#pragma once

// Models of the tests beyond the cutoff.

#include <utility>
#include <vector>

#include "md/model/molecule_model.hpp"

namespace sterna::md::test {

inline MoleculeModel model_of(std::vector<Component> components, double cutoff) {
  MoleculeModel model;
  const std::size_t pairs = components.size() * components.size();
  model.components = std::move(components);
  model.mixing.resize(pairs);
  model.shifted.assign(pairs, 0);
  model.cutoff = model.lennard_jones_cutoff = cutoff;
  return model;
}

/// A bent molecule and one with a site at its center.
inline MoleculeModel mixture(double cutoff) {
  Component bent, straight;
  bent.lennard_jones = {{{0.0, 0.3, 0.0}, 1.0, 1.0}, {{0.4, -0.2, 0.1}, 0.7, 0.9}};
  straight.lennard_jones = {{{}, 0.8, 1.1}, {{0, 0, 0.5}, 0.3, 0.8}, {{0, 0, -0.5}, 0.3, 0.8}};
  MoleculeModel model = model_of({bent, straight}, cutoff);
  model.mixing[1] = model.mixing[2] = {.eta = 0.98, .xi = 0.93};
  return model;
}

}  // namespace sterna::md::test
