#include "md/input/value_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "md/core/display_text.hpp"
#include "md/input/meant_names.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

// Limits of numbers. Beyond them powers of a number exceed the range of a double, and no physical
// quantity is so large. If 0 is allowed, numbers may be smaller, because the energy of a repulsion
// alone may be tiny beside a large size.
constexpr double largest_number = 1e15;
constexpr double smallest_number = 1e-15;
constexpr double smallest_beside_zero = 1e-100;
constexpr std::size_t most_texts = 64;  // in a list

/// A number of a TOML document, integer or not; nothing for other nodes.
std::optional<double> plain_number(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* number = node.as_floating_point()) return number->get();
  return std::nullopt;
}

/// A whole number, also when written as 1e6.
std::optional<std::int64_t> whole_number(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return integer->get();
  const auto* number = node.as_floating_point();
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (number == nullptr || !(std::abs(number->get()) <= exact)) return std::nullopt;
  if (std::floor(number->get()) != number->get()) return std::nullopt;
  return static_cast<std::int64_t>(number->get());
}

bool in_range(double value, const Range& range) {
  if (!(value <= range.maximum)) return false;
  return range.exclusive_minimum ? value > range.minimum : value >= range.minimum;
}

/// Parses a duration such as "90 s", "5 min" or "2 h" as seconds.
UnitSystem::Quantity wall_clock(std::string_view text) {
  double number = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (problem == std::errc{} && std::isfinite(number)) {
    if (unit == "s") return {number, {}};
    if (unit == "min") return {number * 60.0, {}};
    if (unit == "h") return {number * 3600.0, {}};
  }
  return {0.0, fmt::format("{} is not a time; expected seconds, or a text with the unit s, min "
                           "or h such as \"5 min\"",
                           quote(text))};
}

}  // namespace

void ValueReader::read(const KeySchema& key, std::size_t index, const toml::node& node,
                       const std::string& place) {
  const std::size_t before = reading_.findings;
  place_ = place;
  std::visit([&](const auto& target) { into(target, key, node); },
             key.target(reading_.input(), index));
  if (reading_.findings > before) reading_.bad.insert(place);
}

void ValueReader::read_units(const toml::node& node) {
  const auto* text = node.as_string();
  const auto units =
      text != nullptr ? UnitSystem::by_name(text->get()) : std::optional<UnitSystem>{};
  if (units) {
    reading_.input().units = *units;
    return;
  }
  reading_.units_unknown = true;
  wrong_value(*find_key("", "units"), node);
}

void ValueReader::wrong_value(const KeySchema& key, const toml::node& node) {
  reading_.error(node.source(), fmt::format("{} is {}; expected {}", key_label(key), found(node),
                                            expectation(key, reading_.input().units)));
}

void ValueReader::wrong_item(const KeySchema& key, const toml::node& item) {
  reading_.error(item.source(), fmt::format("{} holds {}; expected {}", key_label(key), found(item),
                                            expectation(key, reading_.input().units)));
}

const toml::array* ValueReader::triple(const KeySchema& key, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array != nullptr && array->size() == 3) return array;
  wrong_value(key, node);
  return nullptr;
}

const toml::array* ValueReader::filled_list(const KeySchema& key, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array != nullptr && !array->empty()) return array;
  wrong_value(key, node);
  return nullptr;
}

// ---- numbers

std::optional<double> ValueReader::quantity(const KeySchema& key, const toml::node& node) {
  const UnitSystem& units = reading_.input().units;
  double value = 0.0;
  if (const auto number = plain_number(node)) {
    if (!std::isfinite(*number)) {
      wrong_value(key, node);
      return std::nullopt;
    }
    value = units.to_internal(*number, key.wall_clock ? Dimension::none : key.dimension);
  } else if (const auto* text = node.as_string()) {
    // Without a known unit system the unit of a text cannot be checked, and the error is reported
    // already.
    if (reading_.units_unknown) return key.range.maximum >= 1.0 ? 1.0 : key.range.maximum;
    const auto parsed =
        key.wall_clock ? wall_clock(text->get()) : parse_with_unit(text->get(), key.dimension);
    if (!parsed.error.empty()) {
      reading_.error(node.source(), fmt::format("{}: {}", key_label(key), parsed.error));
      return std::nullopt;
    }
    value = parsed.value;
  } else {
    wrong_value(key, node);
    return std::nullopt;
  }
  const double size = std::abs(value);
  if (!in_range(value, key.range)) {
    wrong_value(key, node);
    return std::nullopt;
  }
  const double smallest = in_range(0.0, key.range) ? smallest_beside_zero : smallest_number;
  if (size > largest_number || (size < smallest && size != 0.0)) {
    reading_.error(node.source(),
                   fmt::format("{} is {}, which is beyond all bounds; expected {}", key_label(key),
                               found(node), expectation(key, units)));
    return std::nullopt;
  }
  return value;
}

UnitSystem::Quantity ValueReader::parse_with_unit(const std::string& text, Dimension dimension) {
  const UnitSystem& units = reading_.input().units;
  auto parsed = units.parse(text, dimension);
  if (dimension != Dimension::number_density || parsed.error.empty()) return parsed;
  // The masses that are needed to convert a mass density may follow later in the file.
  const auto mass = units.parse(text, Dimension::mass_density);
  if (!mass.error.empty()) {
    if (!units.is_reduced()) {
      parsed.error +=
          fmt::format("; or a mass density: {}",
                      comm::joined(UnitSystem::unit_names(Dimension::mass_density), ", "));
    }
    return parsed;
  }
  if (mass.value > 0.0) reading_.density_of_mass = true;
  return mass;
}

void ValueReader::into(UnitSystem*, const KeySchema&, const toml::node&) {}  // read by `read_units`

void ValueReader::into(bool* value, const KeySchema& key, const toml::node& node) {
  if (const auto* boolean = node.as_boolean()) {
    *value = boolean->get();
  } else {
    wrong_value(key, node);
  }
}

template <class Integer>
requires std::is_integral_v<Integer>
void ValueReader::into(Integer* value, const KeySchema& key, const toml::node& node) {
  const auto number = whole_number(node);
  if (number && std::in_range<Integer>(*number) &&
      in_range(static_cast<double>(*number), key.range)) {
    *value = static_cast<Integer>(*number);
  } else {
    wrong_value(key, node);
  }
}

void ValueReader::into(double* value, const KeySchema& key, const toml::node& node) {
  if (const auto number = quantity(key, node)) *value = *number;
}

void ValueReader::into(std::optional<double>* value, const KeySchema& key, const toml::node& node) {
  if (const auto number = quantity(key, node)) *value = *number;
}

void ValueReader::into(Vec3* value, const KeySchema& key, const toml::node& node) {
  std::optional<Vec3> vector;
  into(&vector, key, node);
  *value = vector.value_or(*value);
}

void ValueReader::into(std::optional<Vec3>* value, const KeySchema& key, const toml::node& node) {
  const toml::array* array = triple(key, node);
  if (array == nullptr) return;
  Vec3 vector;
  bool good = true;
  for (int axis = 0; axis < 3; ++axis) {
    const auto number = quantity(key, *array->get(static_cast<std::size_t>(axis)));
    good = good && number.has_value();
    vector[axis] = number.value_or(0.0);
  }
  // A component as small as rounding is set to 0, because it is left after a program has rotated
  // the vector.
  const double largest = std::max({std::abs(vector.x), std::abs(vector.y), std::abs(vector.z)});
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(vector[axis]) < 1e-15 * largest) vector[axis] = 0.0;
  }
  if (good) *value = vector;
}

void ValueReader::into(std::array<int, 3>* value, const KeySchema& key, const toml::node& node) {
  const toml::array* array = triple(key, node);
  for (std::size_t axis = 0; array != nullptr && axis < 3; ++axis) {
    const auto number = whole_number(*array->get(axis));
    if (!number || !in_range(static_cast<double>(*number), key.range)) {
      wrong_item(key, *array->get(axis));
    } else {
      (*value)[axis] = static_cast<int>(*number);
    }
  }
}

void ValueReader::into(std::vector<double>* value, const KeySchema& key, const toml::node& node) {
  const toml::array* array = filled_list(key, node);
  if (array == nullptr) return;
  std::vector<double> numbers;
  for (const toml::node& item : *array) {
    const auto number = quantity(key, item);
    if (!number) return;
    numbers.push_back(*number);
  }
  *value = std::move(numbers);
}

// ---- texts

std::optional<std::string> ValueReader::text_of(const KeySchema& key, const toml::node& node) {
  if (const auto* boolean = node.as_boolean(); boolean != nullptr && !key.if_true.empty()) {
    return std::string(boolean->get() ? key.if_true : key.if_false);
  }
  if (const auto* text = node.as_string()) return text->get();
  wrong_value(key, node);
  return std::nullopt;
}

bool ValueReader::is_good_text(const KeySchema& key, const std::string& text,
                               const toml::node& node) {
  if (text.empty()) {
    reading_.error(node.source(), fmt::format("{} is empty; expected a text", key_label(key)));
  } else if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 32; })) {
    reading_.error(node.source(), fmt::format("{} contains a control character", key_label(key)));
  } else if (text.size() > key.longest_text) {
    reading_.error(node.source(), fmt::format("{} has {} characters; expected at most {}",
                                              key_label(key), text.size(), key.longest_text));
  } else {
    return true;
  }
  return false;
}

std::optional<std::size_t> ValueReader::chosen(const KeySchema& key, const std::string& text,
                                               const toml::node& node) {
  const auto choices = key.choices();
  const auto choice = std::ranges::find(choices, text);
  if (choice != choices.end()) return static_cast<std::size_t>(choice - choices.begin());
  std::string hint;
  if (const auto translated = translated_choice(text, choices); !translated.empty()) {
    hint = fmt::format("; did you mean \"{}\"?", translated);
  } else if (const auto near = comm::nearest_name(text, choices)) {
    hint = fmt::format("; did you mean \"{}\"?", *near);
  } else if (const auto home = sections_with_choice(key.name, text); !home.empty()) {
    hint = fmt::format("; {} belongs in {}", quote(text), home);
  }
  reading_.error(node.source(), fmt::format("{} is {}; expected {}{}", key_label(key), quote(text),
                                            choice_list(choices), hint));
  return std::nullopt;
}

void ValueReader::into(std::string* value, const KeySchema& key, const toml::node& node) {
  const auto text = text_of(key, node);
  if (!text) return;
  if (key.choices != nullptr ? chosen(key, *text, node).has_value()
                             : is_good_text(key, *text, node)) {
    *value = *text;
  }
}

void ValueReader::into(const ChoiceTarget& target, const KeySchema& key, const toml::node& node) {
  const auto text = text_of(key, node);
  if (!text) return;
  if (const auto choice = chosen(key, *text, node)) target.set(target.place, *choice);
}

template <class Take>
bool ValueReader::read_texts(const KeySchema& key, const toml::node& node, Take&& take) {
  const toml::array* array = node.as_array();
  // An empty list is valid for a list of choices, but a list of names must have one.
  const bool names_nothing = array != nullptr && array->empty() && key.choices == nullptr;
  if (array == nullptr || names_nothing || array->size() > most_texts) {
    wrong_value(key, node);
    return false;
  }
  for (const toml::node& item : *array) {
    if (const auto* text = item.as_string()) {
      take(text->get(), item);
    } else {
      wrong_item(key, item);
    }
  }
  return true;
}

void ValueReader::into(std::vector<std::string>* value, const KeySchema& key,
                       const toml::node& node) {
  std::vector<std::string> items;
  const bool read = read_texts(key, node, [&](const std::string& text, const toml::node& item) {
    const bool good = key.choices != nullptr ? chosen(key, text, item).has_value()
                                             : is_good_text(key, text, item);
    if (good) items.push_back(text);
  });
  if (read) *value = std::move(items);
}

void ValueReader::into(const ChoiceListTarget& target, const KeySchema& key,
                       const toml::node& node) {
  std::vector<std::size_t> choices;
  const bool read = read_texts(key, node, [&](const std::string& text, const toml::node& item) {
    if (const auto choice = chosen(key, text, item)) choices.push_back(*choice);
  });
  if (read) target.set(target.place, choices);
}

// ---- lists of atoms

void ValueReader::into(Input::AtomLists* value, const KeySchema& key, const toml::node& node) {
  const toml::array* array = filled_list(key, node);
  if (array == nullptr) return;
  Input::AtomLists lists;
  if (!array->get(0)->is_array()) {
    if (auto atoms = atom_list(key, *array)) lists.push_back(std::move(*atoms));
    *value = std::move(lists);
    return;
  }
  for (const toml::node& item : *array) {
    const toml::array* inner = item.as_array();
    if (inner == nullptr) {
      wrong_item(key, item);
      continue;
    }
    reading_.input().places[fmt::format("{}[{}]", place_, lists.size())] =
        reading_.place_of(item.source());
    auto atoms = atom_list(key, *inner);
    lists.push_back(atoms ? std::move(*atoms) : std::vector<int>());
  }
  *value = std::move(lists);
}

std::optional<std::vector<int>> ValueReader::atom_list(const KeySchema& key,
                                                       const toml::array& array) {
  std::vector<int> atoms;
  for (const toml::node& item : array) {
    const auto number = whole_number(item);
    if (!number || *number < 1 || !std::in_range<int>(*number)) {
      wrong_item(key, item);
      return std::nullopt;
    }
    atoms.push_back(static_cast<int>(*number));
  }
  return atoms;
}

}  // namespace sterna::md
