#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"
#include "md/system/atom_group.hpp"

namespace sterna::md {

struct AtomGroupOptions {  ///< [[group]]: some of the atoms, by a name
  std::string name, select;
};

/// All of an input: `input.section<AtomGroupSections>()`.
struct AtomGroupSections {
  std::vector<AtomGroupOptions> all;
};

/// What no key of [[group]] alone can tell: names that stand twice, what is wrong in a selection,
/// selections of nothing.
void check_groups(const Input& input, const IsGood& is_good, const Report& report);

/// The key "groups" of a section whose options have `std::vector<std::string> groups`.
template <class Options>
KeySchema groups_key(std::string_view description, std::string_view default_text) {
  return {.name = "groups",
          .target = option<&Options::groups>,
          .description = description,
          .default_text = default_text,
          .aliases = {"group", "selections", "selection", "atoms"}};
}

/// Whether the key at `place` names groups of the input, each once. `same_in_all_frames`: whether
/// these must not ask for positions.
void check_group_names(const Input& input, const IsGood& is_good, const Report& report,
                       std::string_view place, const std::vector<std::string>& names,
                       bool same_in_all_frames);

/// Whether what this section measures is of groups.
bool names_groups(const Input& input, std::string_view section);

/// The groups of a valid input that these names name. `topology`: of that input; it lives as long
/// as they do. FileError, on all ranks alike, where no atom is in one.
std::vector<AtomGroup> groups_from_input(const Input& input, const Topology& topology,
                                         const std::vector<std::string>& names);
/// One for each kind of molecule, with its name.
std::vector<AtomGroup> groups_of_molecules(const Input& input, const Topology& topology);

}  // namespace sterna::md
