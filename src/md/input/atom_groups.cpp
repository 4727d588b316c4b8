#include "md/input/atom_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/core/file_error.hpp"
#include "md/input/read_input.hpp"
#include "md/input/residue_labels.hpp"
#include "md/input/sections/section.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

const std::vector<AtomGroupOptions>& groups_of(const Input& input) {
  return input.section<AtomGroupSections>().all;
}

template <auto member>
Target group_target(Input& input, std::size_t n) {
  return target_of(input.section<AtomGroupSections>().all[n].*member);
}

AtomGroup::Particle particle_of(const Input::Component& component, const UnitSystem& units) {
  AtomGroup::Particle particle{.name = component.name,
                               .type = component.name,
                               .molecule = component.name,
                               .residue = component.name,
                               .mass = 0.0,
                               .charge = 0.0};
  for (const Input::Site& site : component.sites) {
    particle.mass += units.from_internal(site.mass, Dimension::mass);
    particle.charge += units.from_internal(site.charge, Dimension::charge);
  }
  return particle;
}

/// Returns the particles for `AtomGroup`, or nothing if the input, which may have other errors,
/// does not define them.
std::optional<std::vector<AtomGroup::Particle>> particles_of(const Input& input) {
  const UnitSystem& units = input.units;
  std::vector<AtomGroup::Particle> particles;
  for (const Input::Molecule& molecule : input.molecules) {
    if (molecule.atoms.empty()) return std::nullopt;
    for (const Input::MoleculeAtom& atom : molecule.atoms) {
      const auto component =
          std::ranges::find(input.components, atom.type, &Input::Component::name);
      if (component != input.components.end()) {
        AtomGroup::Particle& particle = particles.emplace_back(particle_of(*component, units));
        particle.name = atom.name.empty() ? atom.type : atom.name;
        particle.molecule = molecule.name;
        particle.residue = atom.residue.empty() ? molecule.name : atom.residue;
        continue;
      }
      const auto type = std::ranges::find(input.types, atom.type, &Input::Type::name);
      if (type == input.types.end()) return std::nullopt;
      particles.push_back(
          {.name = atom.name.empty() ? atom.type : atom.name,
           .type = atom.type,
           .molecule = molecule.name,
           .residue = atom.residue.empty() ? molecule.name : atom.residue,
           .mass = units.from_internal(type->mass, Dimension::mass),
           .charge = units.from_internal(atom.charge.value_or(type->charge), Dimension::charge)});
    }
  }
  if (!input.molecules.empty()) return particles;
  for (const Input::Type& type : input.types) {
    particles.push_back({.name = type.name,
                         .type = type.name,
                         .molecule = type.name,
                         .residue = type.name,
                         .mass = units.from_internal(type.mass, Dimension::mass),
                         .charge = units.from_internal(type.charge, Dimension::charge)});
  }
  for (const Input::Component& component : input.components) {
    particles.push_back(particle_of(component, units));
  }
  return particles;
}

/// In larger systems single atoms are not checked for membership in a group.
constexpr double most_looked_at = 1e7;

/// The atoms of an input's molecules, without their interactions. Empty if there are too many
/// atoms.
Topology unbonded_topology(const Input& input) {
  std::vector<Topology::Molecule> molecules;
  std::vector<Topology::Run> runs;
  double atoms = 0.0;
  for (const Input::Molecule& given : input.molecules) {
    atoms += static_cast<double>(given.count) * static_cast<double>(given.atoms.size());
    if (given.count < 1 || atoms > most_looked_at) return {};
    Topology::Run run{static_cast<std::uint32_t>(molecules.size()), given.count};
    try {
      run.residue_numbers = residue_numbers_of(given);
    } catch (const std::invalid_argument&) {
      // `check_molecules` reports this error.
    }
    runs.push_back(std::move(run));
    std::vector<Topology::Atom>& atoms_of_kind = molecules.emplace_back().atoms;
    for (const Input::MoleculeAtom& atom : given.atoms) {
      atoms_of_kind.push_back({.name = atom.name, .type = 0, .charge = 0.0});
      atoms_of_kind.back().residue_number = residue_number_of(atom);
      atoms_of_kind.back().insertion_code = insertion_code_of(atom);
    }
  }
  return Topology(std::move(molecules), std::move(runs), {});
}

/// Whether the group may have atoms, as far as the input tells.
bool selects_any(const AtomGroup& group, const Topology& molecules, std::size_t rows) {
  bool possible = false;
  for (std::size_t row = 0; row < rows; ++row) possible = possible || group.may_contain_row(row);
  if (!possible || group.depends_on_position() || molecules.empty() ||
      static_cast<double>(molecules.atom_count()) > most_looked_at) {
    return possible;
  }
  for (std::int64_t id = 1; id <= molecules.atom_count(); ++id) {
    if (group.contains(id, 0)) return true;
  }
  return false;
}

std::string selects_nothing(const AtomGroupOptions& group) {
  return fmt::format("no atom of this input is in the selection {}", quote(group.select));
}

/// The message of an error in a selection, with the part of its text that is wrong.
std::string message_of(const std::string& text, const SelectionExpression::Error& error) {
  const auto width =
      display_characters(std::string_view(text).substr(0, error.column() - 1)).size();
  return fmt::format("column {} of the selection {}: {}", width + 1, quote(text), error.what());
}

}  // namespace

InputSection section::group() {
  const Tables tables{
      .count = [](const Input& input, std::size_t) { return groups_of(input).size(); },
      .resize = [](Input& input, std::size_t,
                   std::size_t count) { input.section<AtomGroupSections>().all.resize(count); }};
  return {
      .schema = {.name = "group",
                 .is_array = true,
                 .tables = tables,
                 .description =
                     "Some of the atoms, or of the rigid molecules, by a name that sections of "
                     "observers refer to; [selections](howto/select-atoms.md) has the language.",
                 .aliases = {"groups", "selection", "index", "atom_group"},
                 .keeps_state = true},
      .keys = {{.name = "name",
                .target = group_target<&AtomGroupOptions::name>,
                .description = "What other sections call it.",
                .need = Need::required,
                .aliases = {"id", "label"}},
               {.name = "select",
                .target = group_target<&AtomGroupOptions::select>,
                .description = "Which atoms: \"molecule peptide and not name H*\".",
                .need = Need::required,
                .longest_text = 1'000'000,
                .aliases = {"selection", "atoms", "where"}}}};
}

void check_groups(const Input& input, const IsGood& is_good, const Report& report) {
  const auto& groups = groups_of(input);
  const auto particles = particles_of(input);
  const Topology molecules = unbonded_topology(input);
  for (std::size_t n = 0; n < groups.size(); ++n) {
    const std::string place = fmt::format("group[{}]", n);
    if (is_good(place + ".name")) {
      const auto earlier = std::ranges::find(groups, groups[n].name, &AtomGroupOptions::name);
      if (groups[n].name.find_first_of(" \t\r\n#") != std::string::npos || groups[n].name.empty()) {
        report(Severity::error, place + ".name",
               "the name of a group heads a column of a file: it needs characters, but neither "
               "spaces nor #");
      } else if (earlier != groups.begin() + static_cast<std::ptrdiff_t>(n)) {
        report(Severity::error, place + ".name",
               fmt::format("there is already a [[group]] with the name {}", quote(groups[n].name)));
      }
    }
    if (!is_good(place + ".select")) continue;
    try {
      const SelectionExpression expression(groups[n].select);
      if (!particles || particles->empty()) continue;
      const AtomGroup group(groups[n].name, expression, molecules, *particles, input.units);
      if (selects_any(group, molecules, particles->size())) continue;
      report(Severity::error, place + ".select", selects_nothing(groups[n]));
    } catch (const SelectionExpression::Error& error) {
      report(Severity::error, place + ".select", message_of(groups[n].select, error));
    }
  }
}

void check_group_names(const Input& input, const IsGood& is_good, const Report& report,
                       std::string_view place, const std::vector<std::string>& names,
                       bool same_in_all_frames) {
  if (!is_good(place)) return;
  const auto& groups = groups_of(input);
  std::vector<std::string_view> known;
  for (const AtomGroupOptions& group : groups) known.push_back(group.name);
  for (auto name = names.begin(); name != names.end(); ++name) {
    const auto group = std::ranges::find(groups, *name, &AtomGroupOptions::name);
    if (group == groups.end()) {
      std::string message = fmt::format("no [[group]] has the name {}", quote(*name));
      if (const auto near = comm::nearest_name(*name, known)) {
        message += fmt::format("; did you mean {}?", quote(*near));
      }
      report(Severity::error, place, message);
      continue;
    }
    if (std::find(names.begin(), name, *name) != name) {
      report(Severity::error, place, fmt::format("the group {} is named twice", quote(*name)));
    }
    if (!same_in_all_frames) continue;
    try {
      if (!SelectionExpression(group->select).depends_on_position()) continue;
      report(Severity::error, place,
             fmt::format("the group {} asks where atoms are, so that it is another one in each "
                         "frame; this section follows its atoms",
                         quote(*name)));
    } catch (const SelectionExpression::Error&) {
      // `check_groups` reports this error.
    }
  }
}

namespace {

/// Named particles, with their groups.
class ParticlesOfGroups {
 public:
  ParticlesOfGroups(const Input& input, const std::vector<AtomGroup::Particle>& particles,
                    const Topology& molecules, const NamedParticles& named)
      : particles_(particles), named_(named) {
    for (const std::string& name : named.groups) {
      const auto group = std::ranges::find(groups_of(input), name, &AtomGroupOptions::name);
      if (group == groups_of(input).end()) continue;  // `check_group_names` reports this error
      groups_.emplace_back(name, SelectionExpression(group->select), molecules, particles,
                           input.units);
    }
  }

  bool are_known_by_row() const {
    return std::ranges::all_of(groups_, &AtomGroup::depends_on_row_only);
  }
  bool may_have_row(std::size_t row) const {
    return has_type_of(row) && (named_.groups.empty() || any_group([&](const AtomGroup& group) {
                                  return group.may_contain_row(row);
                                }));
  }
  /// `row`: of the particle.
  bool may_have(std::int64_t id, std::size_t row) const {
    return has_type_of(row) && (named_.groups.empty() || any_group([&](const AtomGroup& group) {
                                  return group.depends_on_position() ? group.may_contain_row(row)
                                                                     : group.contains(id, 0);
                                }));
  }

 private:
  bool has_type_of(std::size_t row) const {
    return named_.type.empty() || particles_[row].type == named_.type;
  }
  template <class Test>
  bool any_group(Test test) const {
    return std::ranges::any_of(groups_, test);
  }

  const std::vector<AtomGroup::Particle>& particles_;
  NamedParticles named_;
  std::vector<AtomGroup> groups_;
};

}  // namespace

bool may_share_particles(const Input& input, const NamedParticles& a, const NamedParticles& b) {
  const auto particles = particles_of(input);
  if (!particles) return false;
  const Topology molecules = unbonded_topology(input);
  try {
    const ParticlesOfGroups first(input, *particles, molecules, a);
    const ParticlesOfGroups second(input, *particles, molecules, b);
    bool possible = false;
    for (std::size_t row = 0; row < particles->size() && !possible; ++row) {
      possible = first.may_have_row(row) && second.may_have_row(row);
    }
    const bool known_by_row = first.are_known_by_row() && second.are_known_by_row();
    if (!possible || known_by_row || molecules.empty()) return possible;
    std::vector<std::size_t> first_row{0};
    for (const Topology::Molecule& molecule : molecules.molecules()) {
      first_row.push_back(first_row.back() + molecule.atoms.size());
    }
    for (std::int64_t id = 1; id <= molecules.atom_count(); ++id) {
      const Topology::Place place = molecules.place_of(id);
      const std::size_t row = first_row[place.molecule] + static_cast<std::size_t>(place.atom);
      if (first.may_have(id, row) && second.may_have(id, row)) return true;
    }
    return false;
  } catch (const SelectionExpression::Error&) {
    return false;  // `check_groups` reports this error
  }
}

bool names_groups(const Input& input, std::string_view section) {
  return std::ranges::any_of(
      std::array{"groups", "group", "of", "with", "hydrogens", "acceptors"},
      [&](const char* key) { return input.places.contains(fmt::format("{}.{}", section, key)); });
}

std::vector<AtomGroup> groups_from_input(const Input& input, const Topology& topology,
                                         const std::vector<std::string>& names) {
  std::vector<AtomGroup> chosen;
  const auto particles = particles_of(input);
  for (const std::string& name : names) {
    const auto group = std::ranges::find(groups_of(input), name, &AtomGroupOptions::name);
    chosen.emplace_back(name, SelectionExpression(group->select), topology, particles.value(),
                        input.units);
    // Atoms from a molecule's own file may have been unknown to the check of the input, so empty
    // groups are found here.
    if (selects_any(chosen.back(), topology, particles->size())) continue;
    throw FileError(empty_group_message(input, name));
  }
  return chosen;
}

std::string empty_group_message(const Input& input, const std::string& name) {
  const auto& groups = groups_of(input);
  const auto group = std::ranges::find(groups, name, &AtomGroupOptions::name);
  return render(diagnose(input, Severity::error,
                         fmt::format("group[{}].select", group - groups.begin()),
                         selects_nothing(*group)));
}

std::vector<AtomGroup> groups_of_molecules(const Input& input, const Topology& topology) {
  std::vector<AtomGroup> all;
  const auto particles = particles_of(input);
  for (const Input::Molecule& molecule : input.molecules) {
    all.emplace_back(molecule.name, SelectionExpression::of_molecule(molecule.name), topology,
                     particles.value(), input.units);
  }
  return all;
}

}  // namespace sterna::md
