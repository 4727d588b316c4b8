#include "md/input/component_frames.hpp"

#include <algorithm>
#include <vector>

namespace sterna::md {
namespace {

struct AtomsByPlace {
  std::vector<Vec3> places;
  std::vector<std::size_t> of_sites;
};

AtomsByPlace atoms_by_place(const Input::Component& component) {
  const BodyFrame frame = body_frame_of(component);
  double size = 0.0;
  for (const Input::Site& site : component.sites) {
    size = std::max(size, length(frame.from_points(site.position)));
  }
  const double same_place = 1e-9 * size;
  AtomsByPlace atoms;
  for (const Input::Site& site : component.sites) {
    const Vec3 place = frame.from_points(site.position);
    const auto known = std::ranges::find_if(atoms.places, [&](const Vec3& other) {
      const Vec3 d = other - place;
      return length(d) <= same_place;
    });
    atoms.of_sites.push_back(static_cast<std::size_t>(known - atoms.places.begin()));
    if (known == atoms.places.end()) atoms.places.push_back(place);
  }
  return atoms;
}

}  // namespace

BodyFrame body_frame_of(const Input::Component& component) {
  std::vector<PointMass> masses;
  for (const Input::Site& site : component.sites) masses.push_back({site.position, site.mass});
  BodyFrame frame = body_frame(masses);
  if (component.inertia) {
    frame.orientation = {};
    frame.inertia = *component.inertia;
  }
  return frame;
}

std::vector<Vec3> atom_places(const Input::Component& component) {
  return atoms_by_place(component).places;
}

std::vector<std::size_t> atoms_of_sites(const Input::Component& component) {
  return atoms_by_place(component).of_sites;
}

std::vector<std::vector<Vec3>> atom_places_of_particles(const Input& input) {
  if (input.components.empty()) return {};
  std::vector<std::vector<Vec3>> places(input.types.size(), {Vec3{}});
  for (const Input::Component& component : input.components) {
    places.push_back(atom_places(component));
  }
  return places;
}

std::vector<Vec3> inertia_of_particles(const Input& input) {
  if (input.components.empty()) return {};
  std::vector<Vec3> inertia(input.types.size());
  for (const Input::Component& component : input.components) {
    inertia.push_back(body_frame_of(component).inertia);
  }
  return inertia;
}

std::optional<double> charge_of_atoms(const Input& input, std::size_t type) {
  const Input::Type& given = input.types[type];
  if (input.molecules.empty()) return given.charge;
  std::optional<double> charge;
  for (const Input::Molecule& molecule : input.molecules) {
    for (const Input::MoleculeAtom& atom : molecule.atoms) {
      if (atom.type != given.name) continue;
      const double of_atom = atom.charge.value_or(given.charge);
      if (charge && *charge != of_atom) return std::nullopt;
      charge = of_atom;
    }
  }
  return charge.value_or(0.0);
}

}  // namespace sterna::md
