#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {

/// The table of all that there is of one thing: thermostats, pair potentials, formats of start files.
/// A row says all that the rest of the engine, the input, the reference pages and the tests know of
/// one of them, and has the way to make it. The rows are in the order of the reference page and stay
/// at their places.
///
/// A row has a `name`, or the `schema` of a section of the input that is called as it is. Rows with a
/// `section` are called by section and name. `aliases` are what other programs call a row.
template <class Row>
class Registry {
 public:
  /// `noun` is what messages call a row: "thermostat". Throws std::logic_error where a row has no
  /// name or that of another one.
  Registry(std::string_view noun, std::vector<Row> rows) : noun_(noun), rows_(std::move(rows)) {
    for (auto row = rows_.begin(); row != rows_.end(); ++row) {
      const bool is_named = !name_of(*row).empty();
      const bool is_other = std::none_of(
          rows_.begin(), row, [&](const Row& other) { return is_called_as(other, *row); });
      if (is_named && is_other) continue;
      throw std::logic_error(
          "the table of each " + std::string(noun_) + " has a row " +
          (is_named ? "twice: " + std::string(name_of(*row)) : "without a name"));
    }
  }
  /// Copies the rows of an array.
  Registry(std::string_view noun, std::span<const Row> rows)
      : Registry(noun, std::vector<Row>(rows.begin(), rows.end())) {}
  // Rows are known by their addresses.
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  static std::string_view name_of(const Row& row) {
    if constexpr (requires { row.schema; }) {
      return row.schema.name;
    } else {
      return row.name;
    }
  }

  std::size_t size() const { return rows_.size(); }
  const Row& operator[](std::size_t number) const { return rows_[number]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  /// The place of one of the rows.
  std::size_t number_of(const Row& row) const {
    return static_cast<std::size_t>(&row - rows_.data());
  }

  /// Null where no row has the name.
  const Row* find(std::string_view name) const
      requires(!requires(const Row& row) { row.section; }) {
    return first_that([&](const Row& row) { return name_of(row) == name; });
  }
  const Row* find(std::string_view section, std::string_view name) const {
    return first_that([&](const Row& row) { return row.section == section && row.name == name; });
  }
  /// Throws std::invalid_argument that tells the nearest name where no row has this one.
  const Row& get(std::string_view name) const {
    if (const Row* const row = find(name)) return *row;
    throw std::invalid_argument(comm::unknown_name_message(noun_, name, names()));
  }
  /// The row that other programs call so; null where there is none.
  const Row* find_alias(std::string_view alias) const {
    return first_that(
        [&](const Row& row) { return std::ranges::find(row.aliases, alias) != row.aliases.end(); });
  }
  /// The name that was most likely meant. Nothing where none is near enough to be a misspelling.
  std::optional<std::string_view> nearest(std::string_view typed) const {
    return comm::nearest_name(typed, names());
  }

  std::vector<std::string_view> names() const {
    return names_that([](const Row&) { return true; });
  }
  /// The names of the rows that have a trait.
  template <class Trait>
  std::vector<std::string_view> names_that(Trait&& has) const {
    std::vector<std::string_view> names;
    for (const Row& row : rows_) {
      if (has(row)) names.push_back(name_of(row));
    }
    return names;
  }

 private:
  static bool is_called_as(const Row& row, const Row& other) {
    if constexpr (requires { row.section; }) {
      if (row.section != other.section) return false;
    }
    return name_of(row) == name_of(other);
  }

  template <class Predicate>
  const Row* first_that(Predicate&& holds) const {
    const auto found = std::ranges::find_if(rows_, holds);
    return found == rows_.end() ? nullptr : &*found;
  }

  std::string_view noun_;
  std::vector<Row> rows_;
};

/// The usual `make` of a row: an object of `Class`, which is a class of `Base` with a constructor that
/// takes these arguments. Who writes another one reads one error. (Of a class that lacks a function
/// the compiler says which.)
template <class Class, class Base, class... Arguments>
std::unique_ptr<Base> made_from(Arguments&&... arguments) {
  constexpr bool is_of_base = std::derived_from<Class, Base>;
  constexpr bool takes_arguments =
      std::is_abstract_v<Class> || std::constructible_from<Class, Arguments...>;
  static_assert(is_of_base, "a row makes a class of the base of its table");
  static_assert(takes_arguments,
                "a row makes a class whose constructor takes what it is made from");
  if constexpr (is_of_base && takes_arguments) {
    return std::make_unique<Class>(std::forward<Arguments>(arguments)...);
  } else {
    return nullptr;
  }
}

}  // namespace sterna::md
