#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/input/component_frames.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/many_body_input.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

class AlchemyChecker {
 public:
  AlchemyChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input),
        of_(input.section<AlchemySection>()),
        good_(is_good),
        report_(report),
        has_rigid_(has_alchemical_components(input)) {}

  void check() {
    if (good_("alchemy.molecules")) molecules();
    schedule();
    kinds_of_forces();
    fields();
    if (good_("alchemy.molecules") && good_("alchemy.charges")) charges();
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  void molecules() {
    std::vector<std::string_view> known;
    for (const Input::Molecule& molecule : input_.molecules) known.push_back(molecule.name);
    for (const Input::Component& component : input_.components) known.push_back(component.name);
    const std::string_view section =
        input_.components.empty() ? "[[molecule]]" : "[[molecule]] or [[component]]";
    for (auto name = of_.molecules.begin(); name != of_.molecules.end(); ++name) {
      if (std::ranges::find(known, *name) == known.end()) {
        std::string message = fmt::format("no {} has the name {}", section, quote(*name));
        if (const auto near = comm::nearest_name(*name, known)) {
          message += fmt::format("; did you mean {}?", quote(*near));
        }
        error("alchemy.molecules", message);
      } else if (std::find(of_.molecules.begin(), name, *name) != name) {
        error("alchemy.molecules", fmt::format("the molecule {} is named twice", quote(*name)));
      }
    }
    types();
  }

  bool is_component(std::string_view name) const {
    return std::ranges::find(input_.components, name, &Input::Component::name) !=
           input_.components.end();
  }

  /// Pairs are told by the types of their atoms.
  void types() {
    const std::vector<char> is_alchemical = alchemical_molecules(input_);
    for (std::size_t m = 0; m < input_.molecules.size(); ++m) {
      if (is_alchemical[m] == 0) continue;
      for (const Input::MoleculeAtom& atom : input_.molecules[m].atoms) {
        for (std::size_t n = 0; n < input_.molecules.size(); ++n) {
          if (is_alchemical[n] != 0 ||
              std::ranges::none_of(input_.molecules[n].atoms,
                                   [&](const auto& other) { return other.type == atom.type; })) {
            continue;
          }
          error("alchemy.molecules",
                fmt::format("the type {} is that of atoms of the alchemical molecule {} and of the "
                            "molecule {}; expected a type of its own: copy the [[{}]] with its "
                            "[[pair]]s under another name",
                            quote(atom.type), quote(input_.molecules[m].name),
                            quote(input_.molecules[n].name),
                            is_component(atom.type) ? "component" : "type"));
          return;
        }
      }
    }
  }

  void schedule() {
    if (!value_is_good("van_der_waals") || !value_is_good("charges") || !value_is_good("bonded") ||
        !value_is_good("masses")) {
      return;
    }
    if (of_.state_count() == 0) {
      error("alchemy",
            "[alchemy] has no states; expected \"van_der_waals\" or \"charges\", or both, "
            "with a number for each state");
      return;
    }
    std::optional<std::pair<std::string_view, std::size_t>> first;
    for (const auto& [key, count] :
         {std::pair<std::string_view, std::size_t>{"van_der_waals", of_.van_der_waals.size()},
          {"charges", of_.charges.size()},
          {"bonded", of_.bonded.size()},
          {"masses", of_.masses.size()}}) {
      if (count == 0) continue;
      if (!first) first = {key, count};
      if (count == first->second) continue;
      error(fmt::format("alchemy.{}", key),
            fmt::format("\"{}\" in [alchemy] has {} numbers and \"{}\" has {}; expected one of "
                        "each for each state",
                        key, count, first->first, first->second));
      return;
    }
    if (!of_.bonded.empty() && of_.kind != AlchemyKind::mutation) {
      error("alchemy.bonded",
            "\"bonded\" in [alchemy] is for kind = \"mutation\": no bonded term is switched off");
    }
    if (!of_.masses.empty() && of_.kind != AlchemyKind::mutation) {
      error("alchemy.masses",
            "\"masses\" in [alchemy] is for kind = \"mutation\": no mass is switched off");
    }
    if (value_is_good("state") && of_.state >= static_cast<std::int64_t>(of_.state_count())) {
      error(gives("state") ? "alchemy.state" : "alchemy",
            fmt::format("\"state\" in [alchemy] is {}, but there are {} states, which are counted "
                        "from 0",
                        of_.state, of_.state_count()));
    }
    if (has_charges() && of_.kind != AlchemyKind::mutation) charges_of_open_atoms();
  }

  /// Charges that nothing keeps apart fall into each other.
  void charges_of_open_atoms() {
    bool is_soft = false;
    for (std::size_t k = 0; k < of_.state_count(); ++k) {
      if (of_.charges_of(k) == 1.0) continue;
      const std::string_view place = gives("charges") ? "alchemy.charges" : "alchemy.van_der_waals";
      if (of_.van_der_waals_of(k) == 1.0) {
        error(place, fmt::format("in state {} of [alchemy] there are charges without van der Waals "
                                 "interactions, so that opposite charges meet; expected charges to "
                                 "be 1 where \"van_der_waals\" is 1",
                                 k));
        return;
      }
      is_soft = is_soft || of_.van_der_waals_of(k) > 0.0;
    }
    if (is_soft && of_.soft_core_alpha > 0.0) {
      report_(Severity::warning, "alchemy.van_der_waals",
              "some states have charges while soft cores let atoms come close, which may be "
              "unstable: switch off all charges first, then van der Waals interactions");
    }
  }

  void kinds_of_forces() {
    const std::vector<char> types = alchemical_types(input_);
    const bool has_atoms = std::ranges::count(types, char{1}) > 0;
    if (has_rigid_) rigid_molecules(has_atoms);
    for (std::size_t n = 0; n < types.size(); ++n) {
      if (types[n] == 0 || many_body_kind(input_, n) == ManyBodyKind::none) continue;
      error("alchemy.molecules",
            fmt::format("the type {} has a many-body potential, which cannot be switched off",
                        quote(input_.types[n].name)));
    }
    if (input_.electrostatics.is_used() &&
        input_.electrostatics.surroundings == ElectrostaticsSurroundings::vacuum) {
      error(input_.places.contains("electrostatics.surroundings") ? "electrostatics.surroundings"
                                                                  : "alchemy",
            "[alchemy] does not go with images in vacuum; expected surroundings = \"conductor\" in "
            "[electrostatics]");
    }
    if (input_.interaction.tail_correction == TailCorrection::planar) {
      error("interaction.tail_correction",
            "[alchemy] does not go with a planar tail correction; expected \"homogeneous\" or "
            "\"none\"");
    }
  }

  void rigid_molecules(bool has_atoms) {
    if (has_atoms) {
      error("alchemy.molecules",
            "\"molecules\" in [alchemy] names molecules of atoms and [[component]]s; expected one "
            "of both");
    }
    if (of_.kind == AlchemyKind::mutation) {
      error("alchemy.kind",
            "kind = \"mutation\" in [alchemy] is for molecules of atoms; expected \"decoupling\" "
            "for a [[component]]");
    }
  }

  /// The energies of states have no part of fields that act on charges.
  void fields() {
    if (of_.charges.empty()) return;
    for (std::size_t n = 0; gives_place(fmt::format("field[{}]", n)); ++n) {
      const std::string place = fmt::format("field[{}].electric_field", n);
      if (!gives_place(place)) continue;
      error(place,
            "\"charges\" in [alchemy] do not go with an electric field, whose energy they change");
    }
  }

  double charge_of(const Input::MoleculeAtom& atom) const {
    if (atom.charge) return *atom.charge;
    const auto type = std::ranges::find(input_.types, atom.type, &Input::Type::name);
    return type == input_.types.end() ? 0.0 : type->charge;
  }

  /// Only [[molecule]]s tell before the start how many rigid molecules of a kind there are.
  double count_of_rigid(std::string_view component) const {
    double count = 0.0;
    for (const Input::Molecule& molecule : input_.molecules) {
      const auto of_kind =
          std::ranges::count(molecule.atoms, component, &Input::MoleculeAtom::type);
      count += static_cast<double>(molecule.count) * static_cast<double>(of_kind);
    }
    return count;
  }

  /// What the charge of the system changes by from state to state.
  struct NetCharge {
    double of_known_counts = 0.0;
    std::vector<std::string> of_each;  ///< where counts are not known: texts of kinds
  };

  void add_rigid(NetCharge& net) const {
    const std::vector<char> is_alchemical = alchemical_components(input_);
    for (std::size_t n = 0; n < is_alchemical.size(); ++n) {
      if (is_alchemical[n] == 0) continue;
      const Input::Component& component = input_.components[n];
      double charge = 0.0;
      for (const Input::Site& site : component.sites) {
        if (site.kind == SiteKind::charge) charge += site.charge;
      }
      if (!input_.molecules.empty()) {
        net.of_known_counts += charge * count_of_rigid(component.name);
      } else if (std::abs(charge) >= 1e-6) {
        net.of_each.push_back(
            fmt::format("{:.6g} with each molecule of {}", charge, quote(component.name)));
      }
    }
  }

  NetCharge net_charge() const {
    const bool mutates = of_.kind == AlchemyKind::mutation;
    const std::vector<char> is_alchemical = alchemical_molecules(input_);
    NetCharge net;
    for (std::size_t m = 0; m < input_.molecules.size(); ++m) {
      if (is_alchemical[m] == 0) continue;
      double of_molecule = 0.0;  // in state A minus that in state B
      for (const auto& atom : input_.molecules[m].atoms) {
        const double charge = charge_of(atom);
        of_molecule += charge - (mutates ? mutated_charge(input_, atom.type, charge) : 0.0);
      }
      net.of_known_counts += of_molecule * static_cast<double>(input_.molecules[m].count);
    }
    add_rigid(net);
    return net;
  }

  /// Whether a rigid molecule that is alchemical has charges or multipoles.
  bool has_rigid_charges() const {
    const std::vector<char> is_alchemical = alchemical_components(input_);
    for (std::size_t n = 0; n < is_alchemical.size(); ++n) {
      if (is_alchemical[n] == 0) continue;
      for (const Input::Site& site : input_.components[n].sites) {
        if (site.kind == SiteKind::lennard_jones) continue;
        if (site.kind != SiteKind::charge || site.charge != 0.0) return true;
      }
    }
    return false;
  }

  bool has_charges() const {
    if (has_rigid_) return has_rigid_charges();
    const std::vector<char> is_alchemical = alchemical_molecules(input_);
    for (std::size_t m = 0; m < input_.molecules.size(); ++m) {
      if (is_alchemical[m] == 0) continue;
      for (const auto& atom : input_.molecules[m].atoms) {
        if (charge_of(atom) != 0.0) return input_.electrostatics.is_used();
      }
    }
    return false;
  }

  void charges() {
    if (of_.charges.empty()) return;
    const bool mutates = of_.kind == AlchemyKind::mutation;
    if (!mutates && !has_charges()) {
      report_(Severity::warning, "alchemy.charges",
              "the alchemical molecules have no charges that act: \"charges\" has no effect");
      return;
    }
    if (!input_.electrostatics.is_used()) return;
    const NetCharge net = net_charge();
    const bool changes = std::ranges::any_of(
        of_.charges, [&](double lambda) { return lambda != of_.charges.front(); });
    const bool is_known = net.of_each.empty();
    if (!changes || (is_known && std::abs(net.of_known_counts) < 1e-6)) return;
    report_(Severity::warning, "alchemy.charges",
            fmt::format("the charge of the system changes by {} from state to state{}. A "
                        "homogeneous background and the images of the box have a part in the free "
                        "energy then, which shrinks only as 1 / box length: correct it, or "
                        "let an opposite ion far away change together with the molecule",
                        is_known ? fmt::format("{:.6g}", std::abs(net.of_known_counts))
                                 : fmt::format("{}", fmt::join(net.of_each, " and ")),
                        net.of_each.size() > 1 ? ", unless these cancel" : ""));
  }

  bool gives_place(const std::string& place) const { return input_.places.contains(place); }
  bool gives(std::string_view key) const { return gives_place(fmt::format("alchemy.{}", key)); }
  bool value_is_good(std::string_view key) const {
    return has_value(input_, good_, fmt::format("alchemy.{}", key));
  }

  const Input& input_;
  const AlchemySection& of_;
  const IsGood& good_;
  const Report& report_;
  const bool has_rigid_;  ///< some alchemical molecules are rigid
};

/// The distance of centers up to which alchemical molecules and atoms act on others. Without rigid
/// molecules no site is away from its center.
double range_of(const Input& input) {
  const double range = longest_cutoff(input);
  if (input.interaction.molecular_cutoff != MolecularCutoff::site) return range;
  double extent = 0.0;
  for (const Input::Component& component : input.components) {
    const BodyFrame frame = body_frame_of(component);
    for (const Input::Site& site : component.sites) {
      extent = std::max(extent, length(frame.from_points(site.position)));
    }
  }
  return range + 2.0 * extent;
}

}  // namespace

void check_alchemy(Input& input, bool, const IsGood& is_good, const Report& report) {
  if (!input.places.contains("alchemy") && !input.section<AlchemySection>().is_used()) return;
  AlchemyChecker(input, is_good, report).check();
}

void check_alchemy_in_box(const Input& input, const Box& box, const Report& report) {
  if (!input.section<AlchemySection>().is_used()) return;
  const double range = range_of(input), height = box.least_height();
  if (2.0 * range <= height) return;
  const std::string_view wide = range == longest_cutoff(input)
                                    ? "two cutoffs wide"
                                    : "two cutoffs and four times the reach of sites wide";
  report(Severity::error, "alchemy",
         fmt::format("[alchemy] needs a box that is at least {}, which is {}; here it is {}", wide,
                     input.units.text(2.0 * range, Dimension::length),
                     input.units.text(height, Dimension::length)));
}

}  // namespace sterna::md
