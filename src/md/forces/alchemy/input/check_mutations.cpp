#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/input/changeable_terms.hpp"
#include "md/input/topology_from_input.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

class MutationChecker {
 public:
  MutationChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), of_(input.section<AlchemySection>()), good_(is_good), report_(report) {}

  void check() {
    const auto& mutations = input_.tables<MutationSection>();
    const auto& terms = input_.tables<MutatedTermSection>();
    const auto& constraints = input_.tables<MutatedConstraintSection>();
    const auto& pairs = input_.tables<MutatedPairSection>();
    const bool mutates = of_.is_used() && of_.kind == AlchemyKind::mutation;
    if (!mutates) {
      const std::string_view first = !mutations.empty()     ? "mutation[0]"
                                     : !terms.empty()       ? "mutated_term[0]"
                                     : !constraints.empty() ? "mutated_constraint[0]"
                                     : !pairs.empty()       ? "mutated_pair[0]"
                                                            : "";
      if (!first.empty()) {
        error(first,
              "this section is for kind = \"mutation\" in [alchemy], which names the molecule");
      }
      return;
    }
    if (mutations.empty() && terms.empty() && constraints.empty() && pairs.empty()) {
      error("alchemy.kind",
            "kind = \"mutation\" in [alchemy] needs [[mutation]], [[mutated_term]], "
            "[[mutated_constraint]] or [[mutated_pair]], which say what changes");
    }
    for (std::size_t n = 0; n < mutations.size(); ++n) mutation(mutations, n);
    lists_of_lambdas();
    shares_of_charges();
    for (std::size_t n = 0; n < terms.size(); ++n)
      term(terms[n], fmt::format("mutated_term[{}]", n));
    for (std::size_t n = 0; n < constraints.size(); ++n)
      constraint(constraints[n], fmt::format("mutated_constraint[{}]", n));
    if (lambdas_of_run(input_).change) states_that_change();
    for (std::size_t n = 0; n < pairs.size(); ++n)
      pair(pairs[n], fmt::format("mutated_pair[{}]", n));
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  template <class Names>
  std::string hint(std::string_view name, const Names& known) const {
    const auto near = comm::nearest_name(name, known);
    return near ? fmt::format("; did you mean {}?", quote(*near)) : std::string();
  }

  void mutation(const std::vector<MutationSection>& all, std::size_t n) {
    const MutationSection& one = all[n];
    const std::string place = fmt::format("mutation[{}]", n);
    std::vector<std::string_view> types;
    for (const Input::Type& type : input_.types) types.push_back(type.name);
    for (const auto& [key, name] : {std::pair{".type", one.type}, {".becomes", one.becomes}}) {
      if (name.empty() || !good_(place + key)) continue;
      if (std::ranges::find(types, name) == types.end()) {
        error(place + key,
              fmt::format("no [[type]] has the name {}{}", quote(name), hint(name, types)));
        return;
      }
    }
    if (!good_(place + ".type")) return;
    const std::vector<char> is_alchemical = alchemical_types(input_);
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (types[k] != one.type) continue;
      if (one.mass && input_.types[k].mass == 0.0) {
        error(place + ".mass",
              fmt::format("the type {} has no mass, as virtual sites do, which keep "
                          "none",
                          quote(one.type)));
      }
      moved_masses(one, place);
      if (is_alchemical[k] != 0) continue;
      error(place + ".type", fmt::format("the type {} is not that of atoms of the \"molecules\" of "
                                         "[alchemy]",
                                         quote(one.type)));
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (all[k].type != one.type) continue;
      error(place + ".type", fmt::format("the type {} has two [[mutation]]s", quote(one.type)));
    }
  }

  /// "hydrogen_mass" moves masses of lambda 0 only.
  void moved_masses(const MutationSection& one, const std::string& place) {
    if (!one.mass || !good_(place + ".mass")) return;
    for (const Input::Molecule& molecule : input_.molecules) {
      if (molecule.hydrogen_mass == 0.0) continue;
      if (std::ranges::find(molecule.atoms, one.type, &Input::MoleculeAtom::type) ==
          molecule.atoms.end()) {
        continue;
      }
      error(
          place + ".mass",
          fmt::format("\"hydrogen_mass\" of the molecule {} moves the masses of lambda 0, but not "
                      "those of lambda 1; expected the masses of both in [[type]] and "
                      "[[mutation]], without \"hydrogen_mass\"",
                      quote(molecule.name)));
      return;
    }
  }

  /// What changes by a lambda that [alchemy] does not list stays as it is at lambda 0.
  void lists_of_lambdas() {
    const auto& mutations = input_.tables<MutationSection>();
    const auto& pairs = input_.tables<MutatedPairSection>();
    const auto warn = [&](const std::vector<double>& list, std::string_view key,
                          std::string_view section, const auto& sections, auto&& changes) {
      const auto first = std::ranges::find_if(sections, changes);
      if (!list.empty() || first == sections.end()) return;
      report_(Severity::warning, fmt::format("{}[{}]", section, first - sections.begin()),
              fmt::format("[alchemy] has no list {}, so what [[{}]] changes by it stays as it is "
                          "at lambda 0 in all states",
                          quote(key), section));
    };
    warn(of_.bonded, "bonded", "mutated_term", input_.tables<MutatedTermSection>(),
         [](const MutatedTermSection& term) { return term.from != term.to; });
    warn(of_.charges, "charges", "mutation", mutations,
         [](const MutationSection& one) { return one.charge.has_value(); });
    warn(of_.masses, "masses", "mutation", mutations,
         [](const MutationSection& one) { return one.mass.has_value(); });
    warn(of_.bonded, "bonded", "mutated_constraint", input_.tables<MutatedConstraintSection>(),
         [](const MutatedConstraintSection&) { return true; });
    warn(of_.van_der_waals, "van_der_waals", "mutation", mutations,
         [](const MutationSection& one) { return one.becomes != one.type; });
    warn(of_.charges, "charges", "mutated_pair", pairs, [](const MutatedPairSection& pair) {
      return pair.charge_product != pair.to_charge_product;
    });
    warn(of_.van_der_waals, "van_der_waals", "mutated_pair", pairs,
         [](const MutatedPairSection& pair) {
           return pair.epsilon != pair.to_epsilon || pair.sigma != pair.to_sigma;
         });
  }

  /// 1-4 pairs that follow from types and charges would stay those of lambda 0.
  void shares_of_charges() {
    for (std::size_t m = 0; m < input_.molecules.size(); ++m) {
      const Input::Molecule& molecule = input_.molecules[m];
      if (std::ranges::find(of_.molecules, molecule.name) == of_.molecules.end()) continue;
      const bool has_shares =
          std::ranges::any_of(molecule.special_pairs, [](const Input::MoleculeTerm& pair) {
            return pair.share.has_value() || pair.charge_share.has_value();
          });
      if (molecule.lennard_jones_14 == 0.0 && molecule.coulomb_14 == 0.0 && !has_shares) continue;
      error(
          "alchemy.molecules",
          fmt::format("1-4 pairs of the molecule {} follow from its types and charges, but do not "
                      "change with them; expected [[mutated_pair]]s and exclusions in their place",
                      quote(molecule.name)));
    }
  }

  /// The molecule of a term; null if it is not alchemical.
  const Input::Molecule* molecule(const std::string& name, const std::string& place) {
    if (!good_(place + ".molecule")) return nullptr;
    const auto& names = of_.molecules;
    if (std::ranges::find(names, name) == names.end()) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      error(place + ".molecule", fmt::format("{} is not one of the \"molecules\" of [alchemy]{}",
                                             quote(name), hint(name, known)));
      return nullptr;
    }
    const auto at = std::ranges::find(input_.molecules, name, &Input::Molecule::name);
    return at == input_.molecules.end() ? nullptr : &*at;
  }

  /// Whether lists of atoms are right.
  bool atoms(const Input::AtomLists& lists, std::size_t count, std::size_t size,
             const std::string& place) {
    if (!good_(place + ".atoms")) return false;
    for (const std::vector<int>& atoms : lists) {
      if (atoms.size() != count) {
        error(place + ".atoms",
              fmt::format("expected {} atoms, and there are {}", count, atoms.size()));
        return false;
      }
      for (auto atom = atoms.begin(); atom != atoms.end(); ++atom) {
        if (static_cast<std::size_t>(*atom) > size) {
          error(place + ".atoms",
                fmt::format("there is no atom {}: the molecule has {}", *atom, size));
          return false;
        }
        if (std::find(atoms.begin(), atom, *atom) != atom) {
          error(place + ".atoms", fmt::format("the atom {} stands twice in a list", *atom));
          return false;
        }
      }
    }
    return true;
  }

  void term(const MutatedTermSection& one, const std::string& place) {
    const Input::Molecule* const of = molecule(one.molecule, place);
    if (of == nullptr || !good_(place + ".section") || !good_(place + ".potential")) return;
    const std::vector<std::string_view> sections{"bond", "angle", "torsion", "improper"};
    if (std::ranges::find(sections, one.section) == sections.end()) {
      error(place + ".section", fmt::format("\"section\" is {}; expected \"bond\", \"angle\", "
                                            "\"torsion\" or \"improper\"{}",
                                            quote(one.section), hint(one.section, sections)));
      return;
    }
    const BondedRow* const row = find_changeable_term(one.section, one.potential);
    if (row == nullptr) {
      error(place + ".potential",
            fmt::format("{} is no potential of a {} that can change{}", quote(one.potential),
                        one.section, hint(one.potential, changeable_potentials(one.section))));
      return;
    }
    atoms(one.atoms, static_cast<std::size_t>(row->listed_atoms), of->atoms.size(), place);
    parameters(one, *row, place);
  }

  void parameters(const MutatedTermSection& one, const BondedRow& row, const std::string& place) {
    if (!good_(place + ".parameters") || !good_(place + ".from") || !good_(place + ".to")) return;
    for (const auto& [key, size] : {std::pair{".from", one.from.size()}, {".to", one.to.size()}}) {
      if (size == one.parameters.size()) continue;
      error(place + key,
            fmt::format("there are {} numbers and {} \"parameters\"; expected one for each", size,
                        one.parameters.size()));
      return;
    }
    std::vector<std::string_view> known;
    for (const BondedParameter& parameter : row.parameters) known.push_back(parameter.name);
    for (std::size_t n = 0; n < one.parameters.size(); ++n) {
      const std::string& name = one.parameters[n];
      const auto at = std::ranges::find(known, name);
      if (at == known.end()) {
        error(place + ".parameters",
              fmt::format("the potential {} has no parameter {}{}", quote(one.potential),
                          quote(name), hint(name, known)));
        return;
      }
      const BondedParameter& parameter =
          row.parameters[static_cast<std::size_t>(at - known.begin())];
      for (const auto& [key, value] : {std::pair{".from", one.from[n]}, {".to", one.to[n]}}) {
        const Range& range = parameter.range;
        const bool is_low =
            value < range.minimum || (range.exclusive_minimum && value == range.minimum);
        if (is_low || value > range.maximum || (parameter.whole && value != std::floor(value))) {
          error(place + key, fmt::format("{} is {:g}; expected {}{}", quote(name), value,
                                         parameter.whole ? "an integer, " : "", text_of(range)));
          return;
        }
      }
      if (parameter.whole && one.from[n] != one.to[n]) {
        error(place + ".to", fmt::format("{} must not change", quote(name)));
        return;
      }
    }
    for (const BondedParameter& parameter : row.parameters) {
      if (parameter.required &&
          std::ranges::find(one.parameters, parameter.name) == one.parameters.end()) {
        error(place + ".parameters", fmt::format("the potential {} needs the parameter {}",
                                                 quote(one.potential), quote(parameter.name)));
      }
    }
  }

  static std::string text_of(const Range& range) {
    if (range.exclusive_minimum) return fmt::format("more than {:g}", range.minimum);
    return fmt::format("{:g} to {:g}", range.minimum, range.maximum);
  }

  /// Whether constraints of the molecule fix the distance of two of its atoms.
  bool is_constrained(const Input::Molecule& molecule, int first, int second) const {
    const auto size = static_cast<int>(molecule.atoms.size());
    const auto is_inside = [&](const Input::MoleculeTerm& term) {
      return std::ranges::all_of(term.atoms, [&](const std::vector<int>& atoms) {
        return std::ranges::all_of(atoms, [&](int atom) { return atom >= 1 && atom <= size; });
      });
    };
    // Other checks tell terms that name atoms beyond the molecule.
    if (!std::ranges::all_of(molecule.bonds, is_inside) ||
        !std::ranges::all_of(molecule.constraints, is_inside)) {
      return true;
    }
    const Topology::Pair pair{std::min(first, second) - 1, std::max(first, second) - 1};
    return std::ranges::any_of(
        constraints_of(input_, molecule),
        [&](const Topology::Constraint& constraint) { return constraint.atoms == pair; });
  }

  void constraint(const MutatedConstraintSection& one, const std::string& place) {
    const Input::Molecule* const of = molecule(one.molecule, place);
    if (of == nullptr || !atoms(one.atoms, 2, of->atoms.size(), place)) return;
    for (const std::vector<int>& pair : one.atoms) {
      const auto [first, second] = std::minmax(pair[0], pair[1]);
      if (!constraints_.emplace(one.molecule, first, second).second) {
        error(place + ".atoms",
              fmt::format("the constraint of the atoms {} and {} of the molecule {} stands twice; "
                          "expected one length at lambda 1",
                          first, second, quote(one.molecule)));
        return;
      }
      if (is_constrained(*of, pair[0], pair[1])) continue;
      error(place + ".atoms",
            fmt::format("no constraint of the molecule {} joins the atoms {} and {}; expected a "
                        "[[molecule.constraint]] with their distance at lambda 0",
                        quote(one.molecule), pair[0], pair[1]));
      return;
    }
  }

  /// Masses and constraints of a run stay as they are at its start.
  void states_that_change() {
    const auto differ = [](const std::vector<double>& lambdas) {
      return std::ranges::any_of(lambdas, [&](double x) { return x != lambdas.front(); });
    };
    if (differ(of_.masses) && masses_change(input_)) {
      error("alchemy.masses",
            "[replicas] exchange states that have the same masses; expected equal numbers, since "
            "masses do not change where particles are, or a sweep with a run in each state");
    }
    if (differ(of_.bonded) && !input_.tables<MutatedConstraintSection>().empty()) {
      error(
          "mutated_constraint[0]",
          "[replicas] exchange states that have the same constraints; expected a bond in place of "
          "the constraint, or a sweep with a run in each state");
    }
  }

  void pair(const MutatedPairSection& one, const std::string& place) {
    const Input::Molecule* const of = molecule(one.molecule, place);
    if (of != nullptr) atoms(one.atoms, 2, of->atoms.size(), place);
  }

  const Input& input_;
  const AlchemySection& of_;
  const IsGood& good_;
  const Report& report_;
  std::set<std::tuple<std::string, int, int>> constraints_;  ///< that change
};

}  // namespace

void check_mutations(Input& input, bool, const IsGood& is_good, const Report& report) {
  MutationChecker(input, is_good, report).check();
}

}  // namespace sterna::md
