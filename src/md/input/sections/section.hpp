#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/input/input_schema.hpp"

// The common part of the files in this folder. Each declares a section of the input: its values in
// a struct, its keys in a function of this namespace, whose name is in `section_list.inc`.

namespace sterna::md::section {

#define STERNA_INPUT_SECTION(name) InputSection name();
#include "md/input/sections/section_list.inc"
#undef STERNA_INPUT_SECTION

using Names = std::vector<std::string_view>;

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};
constexpr Range not_negative{.minimum = 0.0};

/// The target for a member of a section that occurs once: `target_in<&Input::run,
/// &RunSection::steps>`.
template <auto section, auto member>
Target target_in(Input& input, std::size_t) {
  return target_of((input.*section).*member);
}
/// The target for a member of one table of a section: `target_in_table<&Input::pairs,
/// &PairSection::cutoff>`.
template <auto tables, auto member>
Target target_in_table(Input& input, std::size_t n) {
  return target_of((input.*tables)[n].*member);
}

/// The same of a section whose owner keeps its tables: `target_in_table_of<&WallSection::side>`.
template <auto member>
Target target_in_table_of(Input& input, std::size_t n) {
  using Section = typename MemberOf<decltype(member)>::type;
  return target_of(input.tables<Section>()[n].*member);
}

/// The tables of a section that may be repeated and whose owner keeps them: `tables_of<WallSection>()`.
template <class Section>
constexpr Tables tables_of(std::size_t most = Tables().most) {
  return {.count = [](const Input& input, std::size_t) { return input.tables<Section>().size(); },
          .resize = [](Input& input, std::size_t,
                       std::size_t count) { input.tables<Section>().resize(count); },
          .most = most};
}
/// The tables of a section that may be repeated.
template <auto tables>
constexpr Tables tables_in(std::size_t most = Tables().most) {
  return {
      .count = [](const Input& input, std::size_t) { return (input.*tables).size(); },
      .resize = [](Input& input, std::size_t, std::size_t count) { (input.*tables).resize(count); },
      .most = most};
}
/// The tables of a section that may be repeated inside another one.
template <auto outer_tables, auto tables>
constexpr Tables inner_tables_in(std::size_t most = Tables().most) {
  return {.count = [](const Input& input,
                      std::size_t outer) { return ((input.*outer_tables)[outer].*tables).size(); },
          .resize = [](Input& input, std::size_t outer,
                       std::size_t count) { ((input.*outer_tables)[outer].*tables).resize(count); },
          .most = most};
}
/// A table of an inner section, by its index over all tables of the outer section.
template <auto outer_tables, auto tables>
auto& nth_inner(Input& input, std::size_t n) {
  auto outer = (input.*outer_tables).begin();
  for (; n >= ((*outer).*tables).size(); ++outer) n -= ((*outer).*tables).size();
  return ((*outer).*tables)[n];
}

/// A copy of the text that lives as long as the program, because a schema keeps only views.
std::string_view kept(std::string text);

inline void append(std::vector<KeySchema>& keys, std::vector<KeySchema> more) {
  keys.insert(keys.end(), more.begin(), more.end());
}

/// The condition that another key has one of these values.
template <class E>
Condition choice_is(std::string_view section, std::string_view key, std::initializer_list<E> values,
                    Severity severity = Severity::error) {
  Condition condition{section, key, {}, severity};
  for (const E value : values) condition.values.push_back(choice_name(value));
  return condition;
}
// Conditions of keys in more than one section:
/// The integrator of [run] has one of these names.
Condition integrator_is(std::vector<std::string_view> names);
/// The integrator of [run] is a minimizer, or it is not.
Condition minimizes(bool minimizes);
Condition potential_is(InteractionPotential potential, Severity severity = Severity::warning);

}  // namespace sterna::md::section
