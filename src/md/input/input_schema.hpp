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

/// An enum in an `Input`, read and set by the index of its choice in `choice_table`. `get` returns
/// nothing if the member is an empty optional.
struct ChoiceTarget {
  void* place;
  std::vector<std::string_view> (*names)();
  std::vector<std::string_view> (*sentences)();
  std::optional<std::size_t> (*get)(const void* place);
  void (*set)(void* place, std::size_t choice);
};
/// A list of enum values, read and set by their indices in `choice_table`.
struct ChoiceListTarget {
  void* place;
  std::vector<std::string_view> (*names)();
  std::vector<std::string_view> (*sentences)();
  std::vector<std::size_t> (*get)(const void* place);
  void (*set)(void* place, std::span<const std::size_t> choices);
};

/// The member of an `Input` to which a value is written. Its type decides which values the file may
/// have.
using Target = std::variant<UnitSystem*, bool*, int*, std::int64_t*, std::uint64_t*, double*,
                            std::string*, std::optional<double>*, Vec3*, std::optional<Vec3>*,
                            std::array<int, 3>*, std::vector<std::string>*, std::vector<double>*,
                            Input::AtomLists*, ChoiceTarget, ChoiceListTarget>;

/// The index of a value in the table of its enum.
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

/// The target for any member of an `Input` or of an owner's options.
template <class Value>
Target target_of(Value& value) {
  if constexpr (std::is_convertible_v<Value*, Target>) {
    return &value;
  } else {
    return choice_target(value);
  }
}

/// The struct that a pointer to member belongs to.
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

/// A condition under which a key has a meaning: another key has one of these values.
struct Condition {
  std::string_view section, key;
  std::vector<std::string_view> values;
  /// The severity of giving the key otherwise: an error, or a warning that it has no effect.
  Severity severity = Severity::error;
};

/// Largest value of keys that count steps. Doubles are exact up to nine times this number.
constexpr double most_steps = 1e15;

enum class Need {
  optional,
  required,         ///< if its condition holds
  with_real_units,  ///< if its condition holds, except in reduced units
};

/// A key of the input file, with everything that is said or checked about a single key.
struct KeySchema {
  /// Empty: the key stands before the first section. Keys of an owner leave it empty, because their
  /// section is known.
  std::string_view section = {};
  std::string_view name = {};
  /// The target of the key. `index` counts the tables of a section that may be repeated: those of
  /// [[component.site]] over all components, those in [[molecule]] over all molecules.
  Target (*target)(Input& input, std::size_t index) = nullptr;
  std::string_view description = {};
  std::string_view remark = {};  ///< follows the descriptions of an enum's choices
  Need need = Need::optional;
  std::string_view default_text = {};  ///< meaning of a missing key, if its value does not say it
  Dimension dimension = Dimension::none;
  bool wall_clock = false;  ///< in real seconds, in every unit system
  std::size_t longest_text = 1024;
  bool names_file = false;  ///< a file to read, relative to the input's folder
  Range range = {};
  /// The allowed texts, if not all are allowed. `input_keys` sets them from the enum's table, and
  /// appends their sentences to the description.
  std::vector<std::string_view> (*choices)() = nullptr;
  std::optional<Condition> condition = std::nullopt;
  /// For a required key: whether this table of the input does not need it.
  bool (*unneeded)(const Input& input, std::size_t index) = nullptr;
  std::vector<std::string_view> aliases = {};  ///< names in other programs; only suggested
  /// For choices: the values that `true` and `false` stand for, if a file may use them.
  std::string_view if_true = {}, if_false = {};
};

/// How an `Input` keeps the tables of a section that may be repeated. `outer` is the index of the
/// table of the outer section.
struct Tables {
  std::size_t (*count)(const Input& input, std::size_t outer) = nullptr;
  void (*resize)(Input& input, std::size_t outer, std::size_t count) = nullptr;
  std::size_t most = 256;  ///< limits pairs of tables, which grow quadratically
};

struct SectionSchema {
  std::string_view name;    ///< "component.site" is in each "component"
  bool is_array = false;    ///< [[name]], any number of times
  bool may_repeat = false;  ///< [name] once, or [[name]] any number of times
  Tables tables = {};       ///< for sections that may be repeated
  bool required = false;
  std::string_view description;
  std::vector<std::string_view> aliases = {};
  /// Whether a resumed run with changed values of the section samples the same state.
  bool keeps_state = false;
};

/// A section of the input, declared in one file in `sections/` or beside its owner.
struct InputSection {
  SectionSchema schema;
  std::vector<KeySchema> keys;  ///< without `section`
  /// For a section of an owner (`owner_tables.hpp`): the section that it follows on the reference
  /// page (empty: the one before it in the owner's row), and a check of several keys together, as in
  /// `check_input`.
  std::string_view behind = {};
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
};

/// The table from which the reader, the JSON Schema and the reference page are made.
std::span<const SectionSchema> input_sections();
/// The checks of sections that were handed in.
void check_owners_sections(const Input& input, const IsGood& is_good, const Report& report);
std::span<const KeySchema> input_keys();

/// An input with one table of each section, so that every target exists.
Input input_with_all_sections();

/// Whether a section is inside another one, such as "component.site".
bool is_inner(const SectionSchema& section);

const SectionSchema* find_section(std::string_view name);
const KeySchema* find_key(std::string_view section, std::string_view name);

/// The choice that other programs call `value`: "stochastic_velocity_rescaling" for "v-rescale".
/// Empty if there is none.
std::string_view translated_choice(std::string_view value,
                                   std::span<const std::string_view> choices);

/// The expected value of a key: "an integer of at least 1", "a time greater than 0".
std::string expectation(const KeySchema& key, const UnitSystem& units);
/// "greater than 0", "at least 1 and at most 1000"; empty if any value is allowed.
std::string range_text(const Range& range);
/// The default value of a key in the form that users read; empty for a required key.
std::string default_text(const KeySchema& key);
/// The key with its section, such as `"sigma" in [[type]]`.
std::string key_label(const KeySchema& key);
/// [run], [[type]].
std::string section_label(const SectionSchema& section);
/// The text of an enum's value in the file; empty if it has none.
std::string_view choice_name(const ChoiceTarget& target);
std::vector<std::string_view> choice_names(const ChoiceListTarget& target);
/// The choices as a text, `"a", "b" or "c"`.
std::string choice_list(std::span<const std::string_view> choices);

}  // namespace sterna::md
