#include "md/forces/coulomb/input/check_electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/core/display_text.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"
#include "md/input/component_frames.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/many_body_input.hpp"

namespace sterna::md {
namespace {

/// What supposes a box that is filled, or repeated.
void check_open_box(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("electrostatics.surroundings") ||
      input.electrostatics.surroundings != ElectrostaticsSurroundings::open) {
    return;
  }
  const ChargeSolverRow* const solver = charge_solver_of(input);
  if (solver != nullptr && !solver->not_in_open_box.empty()) {
    report(Severity::error, "electrostatics.surroundings",
           fmt::format("{}: surroundings = \"open\" needs kind = {}", solver->not_in_open_box,
                       choice_list(charge_solver_table().names_that([](const ChargeSolverRow& row) {
                         return row.not_in_open_box.empty();
                       }))));
  }
  const auto contradicts = [&](const char* place, const char* what) {
    if (is_good(place)) {
      report(Severity::error, place,
             fmt::format("{} contradicts [electrostatics] with surroundings = \"open\"", what));
    }
  };
  if (input.barostat.is_used()) {
    contradicts("barostat.kind", "a barostat, which changes the volume that images fill,");
  }
  if (input.interaction.tail_correction != TailCorrection::none) {
    contradicts("interaction.tail_correction",
                "a correction for what lies beyond the cutoff in a fluid that fills all space");
  }
}

/// What pairs of charges within a cutoff are not there for.
void check_cutoff_charges(const Input& input, const IsGood& is_good, const Report& report) {
  if (!input.electrostatics.ends_at_cutoff()) return;
  const std::string_view kind = input.electrostatics.kind;
  const auto error = [&](std::string message) {
    report(Severity::error, "electrostatics.kind", std::move(message));
  };
  const auto multipolar = std::ranges::find_if(input.components, [](const auto& component) {
    return std::ranges::any_of(component.sites, [](const Input::Site& site) {
      return site.charge != 0.0 || site.moment != 0.0;
    });
  });
  if (multipolar != input.components.end()) {
    error(fmt::format(
        "kind = \"{}\" in [electrostatics] is for atoms, [[type]]s, and the "
        "[[component]] {} has charges, dipoles or quadrupoles; expected {}{}",
        kind, quote(multipolar->name), charge_solver_names(),
        input.types.empty() ? ", or \"electrostatics\" in [interaction], which is \"truncated\" or "
                              "\"reaction_field\""
                            : ""));
  }
  const double cutoff = electrostatics_cutoff(input), start = input.electrostatics.switch_start;
  if (is_good("electrostatics.switch_start") && cutoff > 0.0 && start >= cutoff) {
    report(Severity::error, "electrostatics.switch_start",
           fmt::format("\"switch_start\" in [electrostatics] is {}; expected less than the cutoff "
                       "of charges, which is {}",
                       input.units.text(start, Dimension::length),
                       input.units.text(cutoff, Dimension::length)));
  }
  if (is_good("interaction.potential") &&
      input.interaction.potential != InteractionPotential::lennard_jones) {
    error(
        fmt::format("kind = \"{}\" in [electrostatics] contradicts the potential \"{}\", whose "
                    "list of neighbors has none but bonded ones; expected {}",
                    kind, choice_name(input.interaction.potential), charge_solver_names()));
  }
  for (std::size_t n = 0; n < input.types.size() && has_pairs_besides(input); ++n) {
    const Input::Type& type = input.types[n];
    if (type.charge == 0.0 || many_body_kind(input, n) == ManyBodyKind::none) continue;
    report(
        Severity::error, fmt::format("type[{}].charge", n),
        fmt::format("atoms of type {} have a many-body potential, so their charges cannot end at "
                    "the cutoff of pairs; expected no charge, or kind = {} in [electrostatics]",
                    quote(type.name), charge_solver_names()));
  }
}

/// What a permittivity does not divide.
void check_permittivity(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("electrostatics.permittivity") || input.electrostatics.permittivity == 1.0) return;
  if (input.electrostatics.surroundings == ElectrostaticsSurroundings::vacuum) {
    report(Severity::error, "electrostatics.permittivity",
           "a permittivity between the charges contradicts surroundings = \"vacuum\" in "
           "[electrostatics]: the dipole of the box would be screened as if it were inside");
  }
  for (std::size_t n = 0; n < input.components.size(); ++n) {
    const auto& sites = input.components[n].sites;
    if (std::ranges::none_of(sites, [](const Input::Site& site) {
          return site.kind == SiteKind::quadrupole && site.moment != 0.0;
        })) {
      continue;
    }
    report(
        Severity::error, "electrostatics.permittivity",
        fmt::format("\"permittivity\" in [electrostatics] divides the interactions of charges "
                    "and dipoles; those of the quadrupoles of [[component]] number {} end at the "
                    "cutoff and know of none",
                    n + 1));
  }
}

/// Quadrupoles of rigid molecules act on charges of atoms by pairs of types, which must have one
/// charge then.
void check_quadrupoles(const Input& input, const Report& report) {
  const auto quadrupolar = std::ranges::find_if(input.components, [](const auto& component) {
    return std::ranges::any_of(component.sites, [](const Input::Site& site) {
      return site.kind == SiteKind::quadrupole && site.moment != 0.0;
    });
  });
  if (quadrupolar == input.components.end()) return;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (charge_of_atoms(input, n)) continue;
    report(Severity::error, fmt::format("type[{}]", n),
           fmt::format("atoms of type {} have different charges, and the quadrupoles of the "
                       "[[component]] {} know those of types; expected a [[type]] for each charge",
                       quote(input.types[n].name), quote(quadrupolar->name)));
  }
}

/// Atoms of molecules with charges of their own.
void check_charges_of_molecules(const Input& input, const IsGood& is_good, const Report& report) {
  const bool on = input.electrostatics.is_used();
  const bool perhaps =
      input.places.contains("electrostatics.kind") && !is_good("electrostatics.kind");
  bool charged = false;
  for (std::size_t m = 0; m < input.molecules.size(); ++m) {
    const auto& atoms = input.molecules[m].atoms;
    for (std::size_t n = 0; n < atoms.size(); ++n) {
      if (atoms[n].charge.value_or(0.0) == 0.0) continue;
      if (!charged && !on && !perhaps) {
        const std::string place = fmt::format("molecule[{}].atom[{}].charge", m, n);
        report(Severity::error, is_good(place) ? place : fmt::format("molecule[{}]", m),
               fmt::format("\"charge\" in [[molecule.atom]] needs a solver: a section "
                           "[electrostatics] with kind = \"{}\", or \"reaction_field\"",
                           charge_solver_table()[0].name));
      }
      charged = true;
    }
  }
}

}  // namespace

void check_electrostatics(Input& input, bool, const IsGood& is_good, const Report& report) {
  check_charges_of_molecules(input, is_good, report);
  const bool on = input.electrostatics.is_used();
  // A kind that is an error of its own may have been meant to be one.
  const bool perhaps =
      input.places.contains("electrostatics.kind") && !is_good("electrostatics.kind");
  bool charged = std::ranges::any_of(input.components, [](const Input::Component& component) {
    return std::ranges::any_of(component.sites, [](const Input::Site& site) {
      return site.charge != 0.0 || (site.kind == SiteKind::dipole && site.moment != 0.0);
    });
  });
  charged = charged || std::ranges::any_of(input.molecules, [](const Input::Molecule& molecule) {
              return std::ranges::any_of(molecule.atoms, [](const Input::MoleculeAtom& atom) {
                return atom.charge.value_or(0.0) != 0.0;
              });
            });
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (input.types[n].charge == 0.0) continue;
    charged = true;
    const std::string place = fmt::format("type[{}].charge", n);
    if (on || perhaps || !is_good(place)) continue;
    report(Severity::error, place,
           fmt::format("\"charge\" in [[type]] needs a solver: a section [electrostatics] with "
                       "kind = \"{}\", or \"reaction_field\"",
                       charge_solver_table()[0].name));
  }
  if (!on || !is_good("electrostatics.kind")) return;
  check_open_box(input, is_good, report);
  check_cutoff_charges(input, is_good, report);
  check_permittivity(input, is_good, report);
  check_quadrupoles(input, report);
  if (!charged) {
    report(Severity::warning, "electrostatics.kind",
           "[electrostatics] has no effect: nothing has a charge or a dipole");
  }
  if (is_good("interaction.electrostatics") &&
      input.interaction.electrostatics == CutoffElectrostatics::reaction_field) {
    report(Severity::error, "interaction.electrostatics",
           fmt::format("a reaction field contradicts [electrostatics] with kind = \"{}\": expected "
                       "one of the two",
                       input.electrostatics.kind));
  }
  const ChargeSolverRow* const solver = charge_solver_of(input);
  if (solver != nullptr && solver->check != nullptr) solver->check(input, is_good, report);
}

void check_charges_in_box(const Input& input, const Box& box, const Report& report) {
  const ChargeSolverRow* const solver = charge_solver_of(input);
  if (solver != nullptr && solver->check_in_box != nullptr)
    solver->check_in_box(input, box, report);
}

}  // namespace sterna::md
