#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "md/core/range.hpp"
#include "md/core/units.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// An enum in an `Input`. Its values 0, 1, 2 ... are the choices of its key, in their order.
struct ChoiceTarget {
  void* place;
  std::size_t (*get)(const void* place);
  void (*set)(void* place, std::size_t choice);
};

/// Where a value goes in an `Input`; its type decides what the file may say.
using Target =
    std::variant<UnitSystem*, bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*,
                 std::optional<double>*, Vec3*, std::optional<Vec3>*, std::array<int, 3>*,
                 std::vector<std::string>*, std::vector<double>*, Input::AtomLists*, ChoiceTarget>;

/// The target of any member of an `Input` or of an owner's options.
template <class Value>
Target target_of(Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return ChoiceTarget{&value,
                        [](const void* place) {
                          return static_cast<std::size_t>(*static_cast<const Value*>(place));
                        },
                        [](void* place, std::size_t choice) {
                          *static_cast<Value*>(place) = static_cast<Value>(choice);
                        }};
  } else {
    return &value;
  }
}

/// What a pointer to a member is a member of.
template <class Member>
struct MemberOf;
template <class Value, class Options>
struct MemberOf<Value Options::*> {
  using type = Options;
};

/// The target of a key whose owner keeps its options in the input: `option<&ProfileOptions::bins>`.
template <auto member>
Target option(Input& input, std::size_t) {
  return target_of(input.section<typename MemberOf<decltype(member)>::type>().*member);
}

/// A key has a meaning only where another one has one of these values.
struct Condition {
  std::string_view section, key;
  std::vector<std::string_view> values;
  /// What it is to give the key elsewhere: an error, or a warning that it has no effect.
  Severity severity = Severity::error;
};

/// Of keys that count steps: doubles count exactly up to nine times that.
constexpr double most_steps = 1e15;

enum class Need {
  optional,
  required,         ///< where its condition holds
  with_real_units,  ///< required too, except in reduced units
};

/// One key of the input file. Everything that is said or checked about a key alone is here.
struct KeySchema {
  /// Empty: before the first section. An owner's key does not need it: its section is known.
  std::string_view section = {};
  std::string_view name = {};
  /// `index` counts the tables of a section that may stand several times; those of
  /// [[component.site]] through all components, those in [[molecule]] through all molecules.
  Target (*target)(Input& input, std::size_t index) = nullptr;
  std::string_view description = {};
  Need need = Need::optional;
  std::string_view default_text = {};  ///< what a missing key means, where its value does not say
  Dimension dimension = Dimension::none;
  bool wall_clock = false;  ///< real seconds, whatever the unit system
  std::size_t longest_text = 1024;
  Range range = {};
  std::vector<std::string_view> (*choices)() = nullptr;
  std::optional<Condition> condition = std::nullopt;
  /// Of a key that is needed: whether this table of this input needs it all the same not.
  bool (*unneeded)(const Input& input, std::size_t index) = nullptr;
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  /// Of choices: what `true` and `false` mean, where a file may say that too.
  std::string_view if_true = {}, if_false = {};
};

struct SectionSchema {
  std::string_view name;    ///< "component.site" stands in each "component"
  bool is_array = false;    ///< [[name]], any number of times
  bool may_repeat = false;  ///< [name] once, or [[name]] any number of times
  bool required = false;
  std::string_view description;
  std::vector<std::string_view> aliases = {};
  /// Whether a resumed run with other values in it goes on sampling the same state.
  bool keeps_state = false;
};

/// The table that the reader, the JSON Schema and the reference page are made from.
std::span<const SectionSchema> input_sections();
std::span<const KeySchema> input_keys();

/// An input with one table of each section, so that every target exists.
Input input_with_all_sections();

/// Whether a section stands in another one, as "component.site" does.
bool is_inner(const SectionSchema& section);
/// How many tables of an inner section are in table `outer` of the other one.
std::size_t inner_count(const Input& input, std::string_view section, std::size_t outer);
/// Makes room for so many.
void resize_inner(Input& input, std::string_view section, std::size_t outer, std::size_t count);

const SectionSchema* find_section(std::string_view name);
const KeySchema* find_key(std::string_view section, std::string_view name);

/// The one of these choices that other programs call `value`: "v-rescale" is
/// "stochastic_velocity_rescaling". Empty where none is called so.
std::string_view translated_choice(std::string_view value,
                                   std::span<const std::string_view> choices);

/// What a key may be: "an integer of at least 1", "a time greater than 0".
std::string expectation(const KeySchema& key, const UnitSystem& units);
/// "greater than 0", "at least 1 and at most 1000"; empty where any value will do.
std::string range_text(const Range& range);
/// The value of a missing key as a person reads it; empty for a required one.
std::string default_text(const KeySchema& key);
/// `"sigma" in [[type]]`.
std::string key_label(const KeySchema& key);
/// [run], [[type]].
std::string section_label(const SectionSchema& section);
/// What the file says for the value of an enum.
std::string_view choice_name(const KeySchema& key, const ChoiceTarget& target);
/// "x", "y", "z": the choices of an `Axis`.
std::vector<std::string_view> axis_names();
/// `"a", "b" or "c"`.
std::string choice_list(std::span<const std::string_view> choices);

}  // namespace sterna::md
