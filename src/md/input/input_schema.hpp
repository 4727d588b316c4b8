#pragma once

#include <algorithm>
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

#include "md/core/choice.hpp"
#include "md/core/range.hpp"
#include "md/core/units.hpp"
#include "md/input/check_input.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

template <class E>
std::vector<std::string_view> choice_names() {
  std::vector<std::string_view> names;
  for (const Choice<E>& choice : choice_table<E>) names.push_back(choice.name);
  return names;
}
template <class E>
std::vector<std::string_view> choice_sentences() {
  std::vector<std::string_view> sentences;
  for (const Choice<E>& choice : choice_table<E>) sentences.push_back(choice.sentence);
  return sentences;
}

/// An enum in an `Input`: one of its choices, by their numbers in `choice_table`. Nothing where the
/// member may be without a value and is.
struct ChoiceTarget {
  void* place;
  std::vector<std::string_view> (*names)();
  std::vector<std::string_view> (*sentences)();
  std::optional<std::size_t> (*get)(const void* place);
  void (*set)(void* place, std::size_t choice);
};
/// A list of such choices.
struct ChoiceListTarget {
  void* place;
  std::vector<std::string_view> (*names)();
  std::vector<std::string_view> (*sentences)();
  std::vector<std::size_t> (*get)(const void* place);
  void (*set)(void* place, std::span<const std::size_t> choices);
};

/// Where a value goes in an `Input`; its type decides what the file may say.
using Target = std::variant<UnitSystem*, bool*, int*, std::int64_t*, std::uint64_t*, double*,
                            std::string*, std::optional<double>*, Vec3*, std::optional<Vec3>*,
                            std::array<int, 3>*, std::vector<std::string>*, std::vector<double>*,
                            Input::AtomLists*, ChoiceTarget, ChoiceListTarget>;

/// The number of a value in the table of its enum.
template <class E>
std::size_t choice_number(E value) {
  const auto& table = choice_table<E>;
  return static_cast<std::size_t>(std::ranges::find(table, value, &Choice<E>::value) -
                                  table.begin());
}

template <class E>
Target choice_target(E& value) {
  return ChoiceTarget{&value, choice_names<E>, choice_sentences<E>,
                      [](const void* place) -> std::optional<std::size_t> {
                        return choice_number(*static_cast<const E*>(place));
                      },
                      [](void* place, std::size_t choice) {
                        *static_cast<E*>(place) = choice_table<E>[choice].value;
                      }};
}
template <class E>
Target choice_target(std::optional<E>& value) {
  return ChoiceTarget{&value, choice_names<E>, choice_sentences<E>,
                      [](const void* place) -> std::optional<std::size_t> {
                        const auto& chosen = *static_cast<const std::optional<E>*>(place);
                        if (!chosen) return std::nullopt;
                        return choice_number(*chosen);
                      },
                      [](void* place, std::size_t choice) {
                        *static_cast<std::optional<E>*>(place) = choice_table<E>[choice].value;
                      }};
}
template <class E>
Target choice_target(std::vector<E>& values) {
  return ChoiceListTarget{&values, choice_names<E>, choice_sentences<E>,
                          [](const void* place) {
                            std::vector<std::size_t> numbers;
                            for (const E value : *static_cast<const std::vector<E>*>(place)) {
                              numbers.push_back(choice_number(value));
                            }
                            return numbers;
                          },
                          [](void* place, std::span<const std::size_t> choices) {
                            auto& chosen = *static_cast<std::vector<E>*>(place);
                            chosen.clear();
                            for (const std::size_t choice : choices) {
                              chosen.push_back(choice_table<E>[choice].value);
                            }
                          }};
}

/// The target of any member of an `Input` or of an owner's options.
template <class Value>
Target target_of(Value& value) {
  if constexpr (std::is_convertible_v<Value*, Target>) {
    return &value;
  } else {
    return choice_target(value);
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
  std::string_view remark = {};  ///< behind what there is to say of the choices of an enum
  Need need = Need::optional;
  std::string_view default_text = {};  ///< what a missing key means, where its value does not say
  Dimension dimension = Dimension::none;
  bool wall_clock = false;  ///< real seconds, whatever the unit system
  std::size_t longest_text = 1024;
  bool names_file = false;  ///< that a run reads, relative to the folder of the input
  Range range = {};
  /// Of texts, where not any will do. Those of an enum are in its table, and `input_keys` puts them
  /// here, their sentences behind the description.
  std::vector<std::string_view> (*choices)() = nullptr;
  std::optional<Condition> condition = std::nullopt;
  /// Of a key that is needed: whether this table of this input needs it all the same not.
  bool (*unneeded)(const Input& input, std::size_t index) = nullptr;
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  /// Of choices: what `true` and `false` mean, where a file may say that too.
  std::string_view if_true = {}, if_false = {};
};

/// The tables of a section that may stand several times, as an `Input` keeps them. `outer` counts the
/// tables of the section that an inner one stands in.
struct Tables {
  std::size_t (*count)(const Input& input, std::size_t outer) = nullptr;
  void (*resize)(Input& input, std::size_t outer, std::size_t count) = nullptr;
  std::size_t most = 256;  ///< pairs of them grow with the square
};

struct SectionSchema {
  std::string_view name;    ///< "component.site" stands in each "component"
  bool is_array = false;    ///< [[name]], any number of times
  bool may_repeat = false;  ///< [name] once, or [[name]] any number of times
  Tables tables = {};       ///< of those that may stand several times
  bool required = false;
  std::string_view description;
  std::vector<std::string_view> aliases = {};
  /// Whether a resumed run with other values in it goes on sampling the same state.
  bool keeps_state = false;
};

/// A section of the input, declared in one file: in `sections/`, or beside its owner.
struct InputSection {
  SectionSchema schema;
  std::vector<KeySchema> keys;  ///< without `section`
  /// Where its owner hands it in (`owner_tables.hpp`): the section that it follows on the reference
  /// page, and what no key can tell alone, as `check_input`.
  std::string_view behind = {};
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
};

/// The table that the reader, the JSON Schema and the reference page are made from.
std::span<const SectionSchema> input_sections();
/// The checks of sections that were handed in.
void check_owners_sections(const Input& input, const IsGood& is_good, const Report& report);
std::span<const KeySchema> input_keys();

/// An input with one table of each section, so that every target exists.
Input input_with_all_sections();

/// Whether a section stands in another one, as "component.site" does.
bool is_inner(const SectionSchema& section);

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
/// What the file says for the value of an enum; empty where it has none.
std::string_view choice_name(const ChoiceTarget& target);
std::vector<std::string_view> choice_names(const ChoiceListTarget& target);
/// `"a", "b" or "c"`.
std::string choice_list(std::span<const std::string_view> choices);

}  // namespace sterna::md
