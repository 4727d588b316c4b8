#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/input/input_schema.hpp"

// What the files of this folder have in common. Each of them declares a section of the input: its
// values in a struct, its keys in a function of this namespace, whose name is in `section_list.inc`.

namespace sterna::md::section {

#define STERNA_INPUT_SECTION(name) InputSection name();
#include "md/input/sections/section_list.inc"
#undef STERNA_INPUT_SECTION

using Names = std::vector<std::string_view>;

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};
constexpr Range not_negative{.minimum = 0.0};

/// The member of a section that is there once: `target_in<&Input::run, &RunSection::steps>`.
template <auto section, auto member>
Target target_in(Input& input, std::size_t) {
  return target_of((input.*section).*member);
}
/// The member of one table of a section: `target_in_table<&Input::walls, &WallSection::side>`.
template <auto tables, auto member>
Target target_in_table(Input& input, std::size_t n) {
  return target_of((input.*tables)[n].*member);
}

/// Those of a section that may stand several times.
template <auto tables>
constexpr Tables tables_in(std::size_t most = Tables().most) {
  return {
      .count = [](const Input& input, std::size_t) { return (input.*tables).size(); },
      .resize = [](Input& input, std::size_t, std::size_t count) { (input.*tables).resize(count); },
      .most = most};
}
/// Those of a section that may stand several times in another one.
template <auto outer_tables, auto tables>
constexpr Tables inner_tables_in(std::size_t most = Tables().most) {
  return {.count = [](const Input& input,
                      std::size_t outer) { return ((input.*outer_tables)[outer].*tables).size(); },
          .resize = [](Input& input, std::size_t outer,
                       std::size_t count) { ((input.*outer_tables)[outer].*tables).resize(count); },
          .most = most};
}
/// One of these, counted through all tables of the outer section.
template <auto outer_tables, auto tables>
auto& nth_inner(Input& input, std::size_t n) {
  auto outer = (input.*outer_tables).begin();
  for (; n >= ((*outer).*tables).size(); ++outer) n -= ((*outer).*tables).size();
  return ((*outer).*tables)[n];
}

/// A schema looks at texts that live for ever.
std::string_view kept(std::string text);

inline void append(std::vector<KeySchema>& keys, std::vector<KeySchema> more) {
  keys.insert(keys.end(), more.begin(), more.end());
}

/// A key has a meaning only where another one has one of these values.
template <class E>
Condition choice_is(std::string_view section, std::string_view key, std::initializer_list<E> values,
                    Severity severity = Severity::error) {
  Condition condition{section, key, {}, severity};
  for (const E value : values) condition.values.push_back(choice_name(value));
  return condition;
}
// Conditions of keys in more than one section.
/// The integrator of [run] is one of these names.
Condition integrator_is(std::vector<std::string_view> names);
/// It minimizes, or moves in time.
Condition minimizes(bool minimizes);
Condition potential_is(InteractionPotential potential, Severity severity = Severity::warning);

}  // namespace sterna::md::section
