#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sterna::md {

/// A value that an input chooses by name. All values of an enum stand in one table, beside the
/// enum. The reader of inputs, its errors, the JSON Schema and the reference page all use this
/// table.
template <class E>
struct Choice {
  std::string_view name;
  E value;
  std::string_view sentence{};  ///< for the reference page, if the key does not explain it
};

/// The table of an enum, in the order of the reference page. Each enum specializes it.
template <class E>
inline constexpr std::array<Choice<E>, 0> choice_table{};

template <class E>
constexpr std::string_view choice_name(E value) {
  for (const Choice<E>& choice : choice_table<E>) {
    if (choice.value == value) return choice.name;
  }
  return {};
}

/// The value with this name, or nothing if there is none.
template <class E>
constexpr std::optional<E> choice_by_name(std::string_view name) {
  for (const Choice<E>& choice : choice_table<E>) {
    if (choice.name == name) return choice.value;
  }
  return std::nullopt;
}

}  // namespace sterna::md
