#include "md/simulation/external_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "md/forces/external/input/field_section.hpp"
#include "md/forces/external/input/restraint_section.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/forces/external/restraints.hpp"
#include "md/forces/external/uniform_fields.hpp"
#include "md/forces/external/wall_forces.hpp"
#include "md/input/atom_groups.hpp"
#include "md/integrate/reflecting_wall.hpp"
#include "md/simulation/starting/frozen_types.hpp"
#include "md/simulation/starting/reference_file.hpp"

namespace sterna::md {
namespace {

using Potential = WallSection::Potential;
using Side = WallSection::Side;

WallSurface::Side side_of(const WallSection& wall) {
  if (wall.side == Side::both) return WallSurface::Side::both;
  return wall.side == Side::below || wall.side == Side::inside ? WallSurface::Side::below
                                                               : WallSurface::Side::above;
}

WallSurface surface_of(const WallSection& wall, WallSurface::Side side) {
  if (wall.shape == WallSection::Shape::sphere) {
    return WallSurface::sphere(wall.center, wall.radius, side);
  }
  return WallSurface::plane(index_of(wall.axis), wall.position, side);
}

WallPotential::Kind lennard_jones_kind(const WallSection& wall) {
  if (wall.potential == Potential::lj_10_4) return WallPotential::Kind::lj_10_4;
  if (wall.potential == Potential::lj_10_4_3) return WallPotential::Kind::lj_10_4_3;
  return wall.potential == Potential::lj_12_6 ? WallPotential::Kind::lj_12_6
                                              : WallPotential::Kind::lj_9_3;
}

WallPotential potential_of(const WallSection& wall) {
  if (wall.potential == Potential::harmonic) return WallPotential::harmonic(wall.stiffness);
  const double spacing =
      wall.layer_spacing > 0.0 ? wall.layer_spacing : wall.sigma / std::numbers::sqrt2;
  return WallPotential::lennard_jones(lennard_jones_kind(wall), wall.epsilon, wall.sigma,
                                      wall.cutoff, spacing);
}

int type_named(const std::string& component, const std::vector<std::string>& names) {
  if (component.empty()) return -1;
  return static_cast<int>(std::ranges::find(names, component) - names.begin());
}

class Reflecting final : public StepModifier {
 public:
  Reflecting(const comm::Context& context, const WallSection& wall, const MoleculeTable& molecules)
      : StepModifier(context, {.first = 1, .last = 0}, molecules, 0.0),
        wall_(surface_of(wall, WallSurface::Side::above), side_of(wall),
              selection_of(wall.component, wall.lower, wall.upper, molecules)) {}

  bool keeps_momentum() const override { return false; }
  void correct_positions(ParticleStore& particles, const StepContext& now) override {
    wall_.reflect(particles, now.box, now.timestep);
  }

 private:
  ReflectingWall wall_;
};

}  // namespace

std::unique_ptr<ForceTerm> make_walls(const TermRequest& request) {
  const std::vector<std::string> names = request.interaction.names();
  const FrozenTypes frozen(request.input, names, request.interaction.masses());
  MoleculeTable molecules;
  molecules.names = names;
  molecules.frozen = frozen.flags();
  std::vector<WallForces::Wall> walls;
  for (const WallSection& wall : request.input.tables<WallSection>()) {
    if (wall.potential == Potential::reflecting) continue;
    const bool on_sites = wall.acts_on ? wall.acts_on == WallSection::Target::sites
                                       : wall.potential != Potential::harmonic;
    walls.push_back({surface_of(wall, side_of(wall)), potential_of(wall),
                     selection_of(wall.component, wall.lower, wall.upper, molecules), on_sites});
  }
  if (walls.empty()) return nullptr;
  return std::make_unique<WallForces>(request.box, request.interaction.components(),
                                      std::move(walls));
}

std::unique_ptr<ForceTerm> make_fields(const TermRequest& request) {
  const Input& input = request.input;
  if (input.tables<FieldSection>().empty()) return nullptr;
  std::vector<UniformFields::Field> fields;
  for (const FieldSection& field : input.tables<FieldSection>()) {
    fields.push_back({field.force.value_or(Vec3{}), field.acceleration.value_or(Vec3{}),
                      field.electric_field.value_or(Vec3{}),
                      type_named(field.component, request.interaction.names())});
  }
  auto term = std::make_unique<UniformFields>(request.box, request.interaction.components(),
                                              std::sqrt(input.units.coulomb()), fields);
  if (request.places) term->set_topology(request.places->topology());
  return term;
}

std::unique_ptr<ForceTerm> make_restraints(const TermRequest& request) {
  const Input& input = request.input;
  if (input.tables<RestraintSection>().empty()) return nullptr;
  MoleculeTable molecules;
  const std::vector<std::string> names = request.interaction.names();
  molecules.names = names;
  static const Topology no_molecules;
  const Topology& topology = request.places ? request.places->topology() : no_molecules;
  std::vector<Restraints::Restraint> restraints;
  for (std::size_t n = 0; n < input.tables<RestraintSection>().size(); ++n) {
    const RestraintSection& wanted = input.tables<RestraintSection>()[n];
    const auto acts = [&](Axis axis) {
      return std::ranges::find(wanted.axes, axis) != wanted.axes.end();
    };
    const auto virial = wanted.virial.value_or(input.barostat.is_used() ? RestraintVirial::counted
                                                                        : RestraintVirial::ignored);
    Restraints::Restraint& made = restraints.emplace_back();
    made.stiffness = wanted.stiffness;
    made.axes = {acts(Axis::x), acts(Axis::y), acts(Axis::z)};
    made.place = wanted.place;
    made.file = wanted.reference_file;
    if (!wanted.reference_file.empty()) {
      made.read_places = [context = request.context, &input, n,
                          &box = request.box](const Restraints::TakePlaces& take) {
        read_reference_file(context, input,
                            {input.tables<RestraintSection>()[n].reference_file,
                             fmt::format("restraint[{}].reference_file", n)},
                            box, take);
      };
    }
    made.where = selection_of(wanted.component, wanted.lower, wanted.upper, molecules);
    made.groups = groups_from_input(input, topology, wanted.groups);
    made.scaling = wanted.reference_scaling.value_or(ReferenceScaling::none);
    made.has_virial = virial == RestraintVirial::counted;
  }
  return std::make_unique<Restraints>(request.context, request.box, std::move(restraints),
                                      request.interaction.masses());
}

void make_reflecting_walls(const comm::Context& context, const Input& input,
                           const MoleculeTable& molecules,
                           std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  for (const WallSection& wall : input.tables<WallSection>()) {
    if (wall.potential != Potential::reflecting) continue;
    modifiers.push_back(std::make_unique<Reflecting>(context, wall, molecules));
  }
}

}  // namespace sterna::md
