#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"
#include "md/system/atom_group.hpp"

namespace sterna::md {

struct AtomGroupOptions {  ///< [[group]]: a named set of atoms
  std::string name, select;
};

/// All groups of an input: `input.section<AtomGroupSections>()`.
struct AtomGroupSections {
  std::vector<AtomGroupOptions> all;
};

/// Checks of [[group]] that need more than one key: duplicate names, mistakes in a selection,
/// selections that match no atom.
void check_groups(const Input& input, const IsGood& is_good, const Report& report);

/// The key "groups" of a section. Its `Options` must have `std::vector<std::string> groups`.
template <class Options>
KeySchema groups_key(std::string_view description, std::string_view default_text) {
  return {.name = "groups",
          .target = option<&Options::groups>,
          .description = description,
          .default_text = default_text,
          .aliases = {"group", "selections", "selection", "atoms"}};
}

/// Checks that the key at `place` names groups of the input, each once. `same_in_all_frames`:
/// whether their selections must not depend on positions.
void check_group_names(const Input& input, const IsGood& is_good, const Report& report,
                       std::string_view place, const std::vector<std::string>& names,
                       bool same_in_all_frames);

/// The particles that a section names: those of a type or component that are in any of some groups.
/// An empty name, or no group, means all.
struct NamedParticles {
  std::string_view type;
  std::span<const std::string> groups;
};
/// Whether some particle may belong to both, as far as the input tells.
bool may_share_particles(const Input& input, const NamedParticles& a, const NamedParticles& b);

/// Whether this section measures groups.
bool names_groups(const Input& input, std::string_view section);

/// The groups of a valid input with these names. `topology`: of that input; must outlive them.
/// Throws FileError, on all ranks alike, if a group has no atom.
std::vector<AtomGroup> groups_from_input(const Input& input, const Topology& topology,
                                         const std::vector<std::string>& names);
/// What to say of a group with this name that has no atom: its place in the input, and its selection.
std::string empty_group_message(const Input& input, const std::string& name);
/// A group for each kind of molecule, with its name.
std::vector<AtomGroup> groups_of_molecules(const Input& input, const Topology& topology);

}  // namespace sterna::md
