#include "md/integrate/check_constrained_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/integrate/limit_section.hpp"

namespace sterna::md {
namespace {

class ConstrainedMotionChecker {
 public:
  ConstrainedMotionChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    if (std::ranges::none_of(input_.molecules, has_constraints)) return;
    if (good_("run.constraint_algorithm") && input_.barostat.is_used() &&
        input_.run.constraint_algorithm == ConstraintAlgorithm::conjugate_gradients) {
      error("run.constraint_algorithm",
            "a [barostat] moves the centers of mass of atoms that constraints join, which one rank "
            "must know; expected \"auto\" or \"shake\"");
    }
    for (std::size_t n = 0; n < input_.thermostats.size(); ++n) thermostat(n);
    for (std::size_t n = 0; n < input_.tables<LimitSection>().size(); ++n) {
      error(fmt::format("limit[{}]", n), "a [[limit]] of single atoms does not keep constraints");
    }
    for (std::size_t n = 0; n < input_.tables<WallSection>().size(); ++n) {
      const std::string place = fmt::format("wall[{}].potential", n);
      if (input_.tables<WallSection>()[n].potential != WallSection::Potential::reflecting ||
          !good_(place)) {
        continue;
      }
      error(place,
            "a reflecting wall turns the velocities of single atoms and does not keep "
            "constraints; expected a wall with a potential");
    }
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  static bool has_constraints(const Input::Molecule& molecule) {
    return molecule.constrained_bonds != ConstrainedBonds::none || !molecule.constraints.empty();
  }

  void thermostat(std::size_t n) {
    using Constraints = ThermostatRow::Constraints;
    const Input::Thermostat& thermostat = input_.thermostats[n];
    const ThermostatRow* const kind = row_of(thermostat);
    const std::string place = fmt::format("thermostat[{}]", n);
    if (kind == nullptr || !good_(place + ".kind")) return;
    const auto& parts = thermostat.options<ThermostatParts>();
    if (parts.motion == ThermalMotion::rotation) return;
    if (kind->constraints == Constraints::violated) {
      const auto others = thermostat_rows().names_that(
          [](const ThermostatRow& other) { return other.constraints != Constraints::violated; });
      error(place + ".kind",
            fmt::format("\"kind\" in [thermostat] is {}, which does not keep constraints; expected "
                        "{}",
                        quote(thermostat.kind), choice_list(others)));
    } else if (kind->constraints != Constraints::projected && acts_on_a_part(thermostat) &&
               !moves_all(thermostat, *kind) && acts_on_constrained_atoms(thermostat)) {
      error(place,
            fmt::format("a thermostat {} of some atoms does not keep constraints; expected one of "
                        "all, without \"component\", \"groups\", \"motion\", \"lower\" and "
                        "\"upper\", one that acts on no constrained molecule, or kind = "
                        "\"langevin\"",
                        quote(thermostat.kind)));
    } else if (kind->constraints == Constraints::kept) {
      if (const std::string frozen = frozen_in_constraints(); !frozen.empty()) {
        error(place + ".kind",
              fmt::format("\"kind\" in [thermostat] is {}, which scales the velocities of all "
                          "atoms, but those of the type {}, which is in a [[molecule]] with "
                          "constraints, are frozen; expected kind = \"langevin\"",
                          quote(thermostat.kind), quote(frozen)));
      }
    }
  }

  /// Whether it acts on the translation of all molecules alike, and counts their degrees of freedom.
  static bool moves_all(const Input::Thermostat& thermostat, const ThermostatRow& kind) {
    return kind.takes_groups && !thermostat.is_partial() &&
           thermostat.options<ThermostatParts>().groups.empty();
  }

  bool acts_on_constrained_atoms(const Input::Thermostat& thermostat) const {
    const NamedParticles own{thermostat.component, thermostat.options<ThermostatParts>().groups};
    for (const Input::Molecule& molecule : input_.molecules) {
      if (!has_constraints(molecule)) continue;
      for (const Input::MoleculeAtom& atom : molecule.atoms) {
        if (may_share_particles(input_, own, {atom.type, {}})) return true;
      }
    }
    return false;
  }

  /// The first type of [[freeze]] in a molecule with constraints; empty: there is none.
  std::string frozen_in_constraints() const {
    for (const Input::Freeze& freeze : input_.freezes) {
      const auto has_it = [&](const Input::Molecule& molecule) {
        return has_constraints(molecule) &&
               std::ranges::find(molecule.atoms, freeze.component, &Input::MoleculeAtom::type) !=
                   molecule.atoms.end();
      };
      if (std::ranges::any_of(input_.molecules, has_it)) return freeze.component;
    }
    return {};
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_constrained_motion(const Input& input, const IsGood& is_good, const Report& report) {
  ConstrainedMotionChecker(input, is_good, report).check();
}

}  // namespace sterna::md
