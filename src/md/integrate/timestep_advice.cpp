#include "md/integrate/timestep_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/input/hydrogen_mass.hpp"
#include "md/input/read_input.hpp"
#include "md/input/topology_from_input.hpp"
#include "md/model/contact_distance.hpp"
#include "md/model/largest_sigma.hpp"

namespace sterna::md {
namespace {

constexpr double well_curvature = 57.14628;  // 36 * 2^(2/3)
constexpr double tau = 2.0 * std::numbers::pi;
// Limits of sound time steps: steps in a period of an oscillation in a well, of a bond or angle,
// and of a libration; radians of rotation in a step; sigmas of flight in a step. A bond is nearly
// harmonic, while the wall of a well is steeper than its bottom, so bonds need fewer steps. The
// rule of GROMACS's grompp for bonds is 10 steps in a period, and at least 5. Angles have far
// smaller forces: the proven 4 fs with hydrogen of 3 u (Hopkins et al., J. Chem. Theory Comput. 11,
// 1864 (2015)) are 1/9 to 1/10 of their shortest period. With fewer than pi steps in a period
// velocity Verlet is unstable.
constexpr double steps_of_oscillation = 40.0, steps_of_bond = 10.0, steps_of_libration = 20.0;
constexpr double usual_hydrogen_mass = 3.024;  // ParmEd's: three times hydrogen
constexpr double steps_of_angle = 9.0, least_steps = 5.0;
constexpr double turn_of_step = 0.1, flight_of_step = 0.04;
// If a step is far too short, the suggested longer one is this fraction of the soundness limit.
constexpr double share_of_sound = 0.4;

/// The curvature at the minimum of the Lennard-Jones potential plus c / r, with negative c. 0 if
/// there is no minimum.
double curvature_with_charges(const TypePair& pair, double c) {
  if (!(pair.epsilon > 0.0)) return 0.0;
  const auto force = [&](double r) {
    const double s6 = std::pow(pair.sigma / r, 6);
    return 24.0 * pair.epsilon * (2.0 * s6 * s6 - s6) / r + c / (r * r);
  };
  // At the upper end the Lennard-Jones force is 0 and attraction remains; at the lower end
  // repulsion must be stronger.
  double lower = 1e-3 * pair.sigma, upper = std::pow(2.0, 1.0 / 6.0) * pair.sigma;
  if (!(force(lower) > 0.0)) return 0.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (lower + upper);
    (force(middle) > 0.0 ? lower : upper) = middle;
  }
  const double s6 = std::pow(pair.sigma / lower, 6);
  return 4.0 * pair.epsilon * (156.0 * s6 * s6 - 42.0 * s6) / (lower * lower) +
         2.0 * c / (lower * lower * lower);
}

/// The inverse mass with which the molecule yields to a force at a point: the largest over all
/// directions, overestimated by at most a factor of 2.
double inverse_effective_mass(const Component& component, const Vec3& at) {
  double inverse = 1.0 / component.mass;
  for (int axis = 0; axis < 3; ++axis) {
    const double arm_squared = dot(at, at) - at[axis] * at[axis];
    if (component.inertia[axis] > 0.0) inverse += arm_squared / component.inertia[axis];
  }
  return inverse;
}

double net_charge(const Component& component) {
  double charge = 0.0;
  for (const auto& site : component.charges) charge += site.charge;
  return charge;
}

/// The smallest moment of inertia above 0, without the axes that `skipped` selects.
template <class Skipped>
double smallest_moment(const Component& component, Skipped skipped) {
  double smallest = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double moment = component.inertia[axis];
    if (!(moment > 0.0) || skipped(axis)) continue;
    if (smallest == 0.0 || moment < smallest) smallest = moment;
  }
  return smallest;
}

double dipole_period(const Component& component) {
  const Vec3 dipole = dipole_of(component);
  const double squared = dot(dipole, dipole), sigma = largest_sigma(component);
  if (!(sigma > 0.0) || !(squared > 0.0)) return 0.0;
  const double moment = smallest_moment(
      component, [&](int axis) { return dipole[axis] * dipole[axis] > 0.99 * squared; });
  return tau * std::sqrt(moment / (8.0 * squared / (sigma * sigma * sigma)));
}

double quadrupole_period(const Component& component) {
  // The diagonal of the traceless tensor in the principal axes.
  std::array<double, 3> q{};
  for (int a = 0; a < 3; ++a) {
    auto& of_axis = q[static_cast<std::size_t>(a)];
    for (const auto& site : component.charges) {
      const Vec3& r = site.position;
      of_axis += 0.5 * site.charge * (3.0 * r[a] * r[a] - dot(r, r));
    }
    for (const auto& site : component.dipoles) {
      of_axis += 3.0 * site.moment[a] * site.position[a] - dot(site.moment, site.position);
    }
    for (const auto& site : component.quadrupoles) {
      of_axis += 0.5 * site.moment * (3.0 * site.axis[a] * site.axis[a] - 1.0);
    }
  }
  const auto largest = std::ranges::max_element(q, {}, [](double x) { return std::abs(x); });
  const double distance = 0.5 * (largest_sigma(component) + contact_distance(component));
  if (*largest == 0.0 || !(distance > 0.0)) return 0.0;
  const double moment =
      smallest_moment(component, [&](int axis) { return axis == largest - q.begin(); });
  const double stiffness = 56.0 * *largest * *largest / std::pow(distance, 5);
  return tau * std::sqrt(moment / stiffness);
}

std::vector<Component> components_of(const Input& input) {
  std::vector<Component> components;
  for (const Input::Component& component : input.components) {
    components.push_back(component_from_input(component, input.units));
  }
  return components;
}

/// Whether `fastest_motion` and `fastest_turn` cover all motions of the input.
bool all_motions_are_known(const Input& input) {
  if (!input.types.empty() && !input.components.empty()) return false;
  for (std::size_t a = 0; a < input.types.size(); ++a) {
    for (std::size_t b = a; b < input.types.size(); ++b) {
      const bool attract = input.types[a].charge * input.types[b].charge < 0.0;
      if (attract && !(type_pair_from_input(input, a, b).epsilon > 0.0)) return false;
    }
  }
  for (const Component& component : components_of(input)) {
    double largest = 0.0;
    for (const auto& site : component.charges) largest = std::max(largest, std::abs(site.charge));
    if (std::abs(net_charge(component)) > 1e-6 * largest) return false;
    if (!(contact_distance(component) > 0.0) && !component.charges.empty()) return false;
  }
  return input.interaction.potential == InteractionPotential::lennard_jones;
}

/// Keeps the oscillation of this pair if it is faster.
void keep_faster(FastestMotion& fastest, double mass, double stiffness, const std::string& first,
                 const std::string& second) {
  if (!(stiffness > 0.0)) return;
  const double period = tau * std::sqrt(mass / stiffness);
  if (fastest.period == 0.0 || period < fastest.period) fastest = {period, first, second};
}

/// Whether all particles of this type are carried by bonded atoms: virtual sites, or hydrogen in
/// molecules. Their wells and flights do not limit the time step, because they lie within the atoms
/// that carry them.
bool is_carried(const Input& input, const std::string& type) {
  const auto of_type = std::ranges::find(input.types, type, &Input::Type::name);
  if (of_type->mass == 0.0) return true;
  if (input.units.is_reduced()) return false;
  bool bonded = false;
  for (const Input::Molecule& molecule : input.molecules) {
    const auto count = std::ranges::count(molecule.atoms, type, &Input::MoleculeAtom::type);
    if (count > 0 && molecule.atoms.size() == 1) return false;
    bonded = bonded || count > 0;
  }
  return bonded && of_type->mass < heaviest_hydrogen;
}

/// Whether the molecule is three atoms at fixed distances.
bool is_rigid_water(const Input& input, const Input::Molecule& molecule) {
  return molecule.atoms.size() == 3 && constraints_of(input, molecule).size() == 3;
}

/// Masses of the atoms of a molecule, by their numbers from 1.
class Masses {
 public:
  Masses(const Input& input, const Input::Molecule& molecule) : molecule_(molecule) {
    for (const Input::Type& type : input.types) of_type_.emplace(type.name, type.mass);
  }
  double of(int atom) const {
    const auto type = of_type_.find(molecule_.atoms[static_cast<std::size_t>(atom - 1)].type);
    return type == of_type_.end() ? 1.0 : type->second;
  }

 private:
  const Input::Molecule& molecule_;
  std::map<std::string_view, double> of_type_;
};

struct Flight {
  double speed = 0.0, sigma = 1.0;  ///< sqrt(3 kT / m)
  std::string who;
  double per_time() const { return speed / sigma; }
};

Flight fastest_flight(const Input& input, double temperature) {
  Flight fastest;
  const auto look = [&](double mass, double sigma, const std::string& who) {
    const double speed = std::sqrt(3.0 * input.units.boltzmann() * temperature / mass);
    if (speed / sigma > fastest.per_time()) fastest = {speed, sigma, who};
  };
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    const TypePair like = type_pair_from_input(input, n, n);
    if (is_carried(input, input.types[n].name)) continue;
    if (like.epsilon > 0.0) look(input.types[n].mass, like.sigma, input.types[n].name);
  }
  for (const Component& component : components_of(input)) {
    for (const auto& site : component.lennard_jones) {
      if (site.epsilon > 0.0) look(component.mass, site.sigma, component.name);
    }
  }
  return fastest;
}

/// The input with the masses that its types have in the alchemical state of the run.
Input with_masses_of_run(const Input& input) {
  Input of_run = input;
  for (std::size_t type = 0; type < input.types.size(); ++type) {
    of_run.types[type].mass = mass_in_run(input, type);
  }
  return of_run;
}

class TimestepAdviser {
 public:
  TimestepAdviser(const Input& input, double temperature)
      : input_(input),
        temperature_(temperature),
        turn_(fastest_turn(input, temperature)),
        flight_(fastest_flight(input, temperature)) {
    if (input.interaction.potential == InteractionPotential::lennard_jones) {
      motion_ = fastest_motion(input);
      bond_ = fastest_bond(input);
      angle_ = fastest_angle(input);
    }
    const auto at_most = [this](double step) {
      if (step > 0.0) sound_ = std::min(sound_, step);
    };
    at_most(motion_.period / steps_of_oscillation);
    at_most(bond_.period / steps_of_bond);
    at_most(angle_.period / steps_of_angle);
    at_most(turn_.libration_period / steps_of_libration);
    if (turn_.angular_velocity > 0.0) at_most(turn_of_step / turn_.angular_velocity);
    if (flight_.speed > 0.0) at_most(flight_of_step / flight_.per_time());
  }

  std::optional<double> longer() const {
    const double longer = share_of_sound * sound_;
    if (!std::isfinite(sound_) || !(input_.run.timestep > 0.0) || !all_motions_are_known(input_) ||
        longer <= 10.0 * input_.run.timestep) {
      return std::nullopt;
    }
    return longer;
  }

  std::vector<Diagnostic> advise() {
    if (!(input_.run.timestep > 0.0) || !std::isfinite(sound_)) return {};
    oscillation();
    bond();
    angle();
    if (input_.interaction.potential == InteractionPotential::lennard_jones) flight();
    libration();
    turning();
    if (const auto step = longer()) too_short(*step);
    return std::move(advice_);
  }

 private:
  void add(Severity severity, std::string message) {
    advice_.push_back(diagnose(input_, severity,
                               input_.places.contains("run.timestep") ? "run.timestep" : "run",
                               std::move(message)));
  }
  std::string time(double value) const { return input_.units.text(value, Dimension::time); }
  std::string step() const { return time(input_.run.timestep); }
  /// The text of the sound step, with the share of this motion's period if this motion limits the
  /// step.
  std::string sound(double of_motion, std::string_view share) const {
    return of_motion <= sound_ * (1.0 + 1e-12) ? fmt::format("{} ({})", time(sound_), share)
                                               : time(sound_);
  }
  std::string oscillation_text() const {
    return fmt::format(
        "two particles {} and {} oscillate about the minimum of their potential in "
        "{}",
        quote(motion_.first), quote(motion_.second), time(motion_.period));
  }

  void oscillation() {
    if (!(motion_.period > 0.0)) return;
    const double steps = motion_.period / input_.run.timestep;
    const std::string safe = sound(motion_.period / steps_of_oscillation, "1/40");
    if (steps < 15.0) {
      add(Severity::warning,
          fmt::format("a time step of {} is only 1/{:.3g} of the fastest motion: {}; below about "
                      "1/15 the integration becomes unstable. At most {} is sound",
                      step(), steps, oscillation_text(), safe));
    } else if (steps < steps_of_oscillation) {
      add(Severity::advice,
          fmt::format("a time step of {} is 1/{:.3g} of the fastest motion: {}. Energy is kept "
                      "well with at most {}",
                      step(), steps, oscillation_text(), safe));
    }
  }

  void bond() {
    if (!(bond_.period > 0.0)) return;
    const double steps = bond_.period / input_.run.timestep;
    if (steps >= steps_of_bond) return;
    add(steps < least_steps ? Severity::warning : Severity::advice,
        fmt::format("a time step of {} is 1/{:.3g} of the fastest bond: {} and {} oscillate about "
                    "its length in {}. At most {} is sound; \"constrained_bonds\" in [[molecule]] "
                    "keeps lengths{}",
                    step(), steps, quote(bond_.first), quote(bond_.second), time(bond_.period),
                    sound(bond_.period / steps_of_bond, "1/10"), with_heavier_hydrogen()));
  }

  void angle() {
    if (!(angle_.period > 0.0)) return;
    const double steps = angle_.period / input_.run.timestep;
    if (steps >= steps_of_angle) return;
    add(steps < least_steps ? Severity::warning : Severity::advice,
        fmt::format("a time step of {} is 1/{:.3g} of the fastest angle: {}, {} and {} bend in {}. "
                    "At most {} is sound{}",
                    step(), steps, quote(angle_.first), quote(angle_.middle), quote(angle_.last),
                    time(angle_.period), sound(angle_.period / steps_of_angle, "1/9"),
                    with_heavier_hydrogen()));
  }

  /// The step that hydrogen of 3.024 u would allow, if there is lighter hydrogen; empty: no longer
  /// step.
  std::string with_heavier_hydrogen() const {
    const auto& mutations = input_.tables<MutationSection>();
    if (std::ranges::any_of(mutations, [](const auto& one) { return one.mass.has_value(); })) {
      return {};  // "hydrogen_mass" does not go with them.
    }
    Input heavier = input_;
    for (Input::Molecule& molecule : heavier.molecules) {
      // Rigid water has no vibration that heavier hydrogen would slow down.
      if (molecule.hydrogen_mass == 0.0 && !is_rigid_water(input_, molecule)) {
        molecule.hydrogen_mass = usual_hydrogen_mass;
      }
    }
    try {
      move_hydrogen_masses(heavier);
    } catch (const HydrogenMassError&) {
      return {};
    }
    double longest = std::numeric_limits<double>::infinity();
    if (const auto bond = fastest_bond(heavier); bond.period > 0.0) {
      longest = bond.period / steps_of_bond;
    }
    if (const auto angle = fastest_angle(heavier); angle.period > 0.0) {
      longest = std::min(longest, angle.period / steps_of_angle);
    }
    if (!std::isfinite(longest) || longest < 1.1 * sound_) return {};
    return fmt::format("; with \"hydrogen_mass\" = {} u in [[molecule]] {} would be",
                       usual_hydrogen_mass, time(longest));
  }

  /// Warns of flights that are too long. At high temperature particles climb far up the repulsion,
  /// so the curvature of the well is no measure.
  void flight() {
    const double share = flight_.per_time() * input_.run.timestep;
    if (!(share > 1.5 * flight_of_step)) return;
    add(Severity::warning,
        fmt::format("at {} particles {} fly {:.2g} sigma in a time step of {}: collisions are "
                    "missed. At most {} keeps it below 0.04 sigma",
                    input_.units.text(temperature_, Dimension::temperature), quote(flight_.who),
                    share, step(), time(sound_)));
  }

  void libration() {
    const double period = turn_.libration_period, dt = input_.run.timestep;
    if (!(period > 0.0) || period >= steps_of_libration * dt) return;
    const double steps = period / dt;
    add(steps < 10.0 ? Severity::warning : Severity::advice,
        fmt::format("a time step of {} is 1/{:.3g} of the libration of {}, whose {} swings "
                    "between its neighbors in about {}. At most {} is sound",
                    step(), steps, quote(turn_.librating), turn_.moment, time(period),
                    sound(period / steps_of_libration, "1/20")));
  }

  void turning() {
    const double angle = turn_.angular_velocity * input_.run.timestep;
    if (!(angle > turn_of_step)) return;
    add(angle > 3.0 * turn_of_step ? Severity::warning : Severity::advice,
        fmt::format("at {} molecules {} turn by {:.2g} degrees in a time step of {}. At most {} "
                    "keeps it below 6 degrees",
                    input_.units.text(temperature_, Dimension::temperature), quote(turn_.rotating),
                    angle * 180.0 / std::numbers::pi, step(), time(sound_)));
  }

  void too_short(double longer) {
    add(Severity::advice,
        fmt::format("a time step of {} is very short: {} would be as sound and {:.3g} times faster",
                    step(), time(longer), longer / input_.run.timestep));
  }

  const Input& input_;
  double temperature_;
  FastestMotion motion_, bond_;
  FastestAngle angle_;
  FastestTurn turn_;
  Flight flight_;
  double sound_ = std::numeric_limits<double>::infinity();  ///< over all motions that are known
  std::vector<Diagnostic> advice_;
};

}  // namespace

FastestMotion fastest_motion(const Input& input) {
  FastestMotion fastest;
  const auto look = [&](double mass, double stiffness, const std::string& first,
                        const std::string& second) {
    keep_faster(fastest, mass, stiffness, first, second);
  };
  for (std::size_t a = 0; a < input.types.size(); ++a) {
    for (std::size_t b = a; b < input.types.size(); ++b) {
      const TypePair pair = type_pair_from_input(input, a, b);
      const Input::Type &first = input.types[a], &second = input.types[b];
      if (is_carried(input, first.name) || is_carried(input, second.name)) continue;
      const double charges =
          input.units.coulomb() * first.charge * second.charge / input.electrostatics.permittivity;
      const Input::Pair* own = pair_of_types(input, a, b);
      const double stiffness =
          own != nullptr && !own->is_lennard_jones()
              ? pair_function_from_input(input, a, b).stiffness(std::min(charges, 0.0))
          : charges < 0.0 ? curvature_with_charges(pair, charges)
                          : well_curvature * pair.epsilon / (pair.sigma * pair.sigma);
      const double mass = first.mass * second.mass / (first.mass + second.mass);
      look(mass, stiffness, first.name, second.name);
      for (const PairFunction& added : added_functions_from_input(input, a, b)) {
        look(mass, added.stiffness(std::min(charges, 0.0)), first.name, second.name);
      }
    }
  }
  for (const Component& component : components_of(input)) {
    for (const auto& a : component.lennard_jones) {
      for (const auto& b : component.lennard_jones) {
        const double sigma = 0.5 * (a.sigma + b.sigma), epsilon = std::sqrt(a.epsilon * b.epsilon);
        const double mass = 1.0 / (inverse_effective_mass(component, a.position) +
                                   inverse_effective_mass(component, b.position));
        look(mass, well_curvature * epsilon / (sigma * sigma), component.name, component.name);
      }
    }
  }
  return fastest;
}

FastestMotion fastest_bond(const Input& input) {
  FastestMotion fastest;
  for (const Input::Molecule& molecule : input.molecules) {
    const Masses masses(input, molecule);
    std::set<Topology::Pair> constrained;
    for (const auto& constraint : constraints_of(input, molecule)) {
      constrained.insert(constraint.atoms);
    }
    for (const Input::MoleculeTerm& bond : molecule.bonds) {
      const double alpha = bonded_parameter(bond, "alpha").value_or(0.0);
      const double stiffness =
          bonded_parameter(bond, "stiffness")
              .value_or(2.0 * alpha * alpha * bonded_parameter(bond, "depth").value_or(0.0));
      for (const auto& atoms : bond.atoms) {
        if (constrained.contains(
                {std::min(atoms[0], atoms[1]) - 1, std::max(atoms[0], atoms[1]) - 1})) {
          continue;
        }
        const double first = masses.of(atoms[0]), second = masses.of(atoms[1]);
        keep_faster(fastest, first * second / (first + second), stiffness,
                    molecule.atoms[static_cast<std::size_t>(atoms[0] - 1)].name,
                    molecule.atoms[static_cast<std::size_t>(atoms[1] - 1)].name);
      }
    }
  }
  return fastest;
}

FastestAngle fastest_angle(const Input& input) {
  FastestAngle fastest;
  for (const Input::Molecule& molecule : input.molecules) {
    const Masses masses(input, molecule);
    std::map<Topology::Pair, double> constrained, lengths;
    for (const auto& constraint : constraints_of(input, molecule)) {
      constrained.emplace(constraint.atoms, constraint.distance);
    }
    lengths = constrained;
    const auto pair = [](int a, int b) -> Topology::Pair {
      return {std::min(a, b) - 1, std::max(a, b) - 1};
    };
    for (const Input::MoleculeTerm& bond : molecule.bonds) {
      const auto r0 = bonded_parameter(bond, "r0");
      if (!r0) continue;
      for (const auto& atoms : bond.atoms) lengths.emplace(pair(atoms[0], atoms[1]), *r0);
    }
    for (const Input::MoleculeTerm& angle : molecule.angles) {
      const auto stiffness = bonded_parameter(angle, "bending_stiffness");
      const auto theta0 = bonded_parameter(angle, "theta0");
      if (!stiffness || !theta0 || !(*stiffness > 0.0)) continue;
      for (const auto& atoms : angle.atoms) {
        const auto first = lengths.find(pair(atoms[0], atoms[1]));
        const auto last = lengths.find(pair(atoms[2], atoms[1]));
        // An angle is fixed if its two bonds and the distance of their ends are constrained.
        const bool is_kept = constrained.contains(pair(atoms[0], atoms[1])) &&
                             constrained.contains(pair(atoms[2], atoms[1])) &&
                             constrained.contains(pair(atoms[0], atoms[2]));
        if (is_kept || first == lengths.end() || last == lengths.end()) continue;
        const double a = 1.0 / first->second, b = 1.0 / last->second;
        const double cosine = std::cos(*theta0 * std::numbers::pi / 180.0);
        const double inverse = a * a / masses.of(atoms[0]) + b * b / masses.of(atoms[2]) +
                               (a * a + b * b - 2.0 * a * b * cosine) / masses.of(atoms[1]);
        const double period = tau / std::sqrt(*stiffness * inverse);
        if (fastest.period > 0.0 && period >= fastest.period) continue;
        const auto name = [&](int atom) {
          return molecule.atoms[static_cast<std::size_t>(atom - 1)].name;
        };
        fastest = {period, name(atoms[0]), name(atoms[1]), name(atoms[2])};
      }
    }
  }
  return fastest;
}

FastestTurn fastest_turn(const Input& input, double temperature) {
  FastestTurn fastest;
  for (const Component& component : components_of(input)) {
    const auto librates = [&](double period, const char* moment) {
      if (!(period > 0.0)) return;
      if (fastest.libration_period > 0.0 && period >= fastest.libration_period) return;
      fastest.libration_period = period;
      fastest.librating = component.name;
      fastest.moment = moment;
    };
    librates(dipole_period(component), "dipole");
    librates(quadrupole_period(component), "quadrupole");
    const double moment = smallest_moment(component, [](int) { return false; });
    if (!(moment > 0.0)) continue;
    const double speed = std::sqrt(input.units.boltzmann() * temperature / moment);
    if (speed <= fastest.angular_velocity) continue;
    fastest.angular_velocity = speed;
    fastest.rotating = component.name;
  }
  return fastest;
}

std::optional<double> longer_timestep(const Input& input, double temperature) {
  return TimestepAdviser(with_masses_of_run(input), temperature).longer();
}

std::vector<Diagnostic> timestep_advice(const Input& input, double temperature) {
  return TimestepAdviser(with_masses_of_run(input), temperature).advise();
}

}  // namespace sterna::md
