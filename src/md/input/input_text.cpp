#include "md/input/input_text.hpp"
#include "sterna/comm/joined.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace sterna::md {
namespace {

/// A text as a basic string of TOML.
std::string basic_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 32 || c == 127) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// The shortest text that reads as the same value; empty if the value is missing.
struct ValueText {
  std::string operator()(const UnitSystem* units) const { return basic_string(units->name()); }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::int64_t* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::uint64_t* value) const { return fmt::format("{}", *value); }
  std::string operator()(const double* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::string* value) const { return basic_string(*value); }
  std::string operator()(const std::optional<double>* value) const {
    return *value ? fmt::format("{}", **value) : std::string();
  }
  std::string operator()(const Vec3* value) const { return triple(value->x, value->y, value->z); }
  std::string operator()(const std::optional<Vec3>* value) const {
    return *value ? triple((*value)->x, (*value)->y, (*value)->z) : std::string();
  }
  std::string operator()(const std::array<int, 3>* value) const {
    return triple((*value)[0], (*value)[1], (*value)[2]);
  }
  std::string operator()(const std::vector<std::string>* values) const { return list(*values); }
  std::string operator()(const std::vector<double>* values) const {
    return fmt::format("[{}]", comm::joined(*values, ", "));
  }
  std::string operator()(const ChoiceTarget& target) const {
    const std::string_view name = choice_name(target);
    return name.empty() ? std::string() : basic_string(name);
  }
  std::string operator()(const ChoiceListTarget& target) const {
    return list(choice_names(target));
  }
  std::string operator()(const Input::AtomLists* lists) const {
    return fmt::format("[[{}]]", comm::joined(texts(*lists), "], ["));
  }

  static std::vector<std::string> texts(const Input::AtomLists& lists) {
    std::vector<std::string> result;
    for (const auto& atoms : lists) result.push_back(comm::joined(atoms, ", "));
    return result;
  }
  template <class Names>
  static std::string list(const Names& names) {
    std::string text;
    for (const auto& name : names) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", basic_string(name));
    }
    return "[" + text + "]";
  }
  template <class Number>
  static std::string triple(Number x, Number y, Number z) {
    return fmt::format("[{}, {}, {}]", x, y, z);
  }
};

/// Visits everything in `input.places`, in the order of the reference page.
class Walk {
 public:
  using OnSection = std::function<void(const SectionSchema& section, bool several)>;
  using OnKey = std::function<void(GivenKey key)>;
  Walk(const Input& input, OnSection on_section, OnKey on_key)
      : input_(input), on_section_(std::move(on_section)), on_key_(std::move(on_key)) {}

  void go() {
    keys("", "", 0);
    for (const SectionSchema& section : input_sections()) {
      if (is_inner(section)) continue;
      const bool several =
          section.is_array || input_.places.contains(fmt::format("{}[1]", section.name));
      if (!section.is_array && !section.may_repeat) {
        if (input_.places.contains(section.name)) {
          on_section_(section, false);
          keys(section.name, section.name, 0);
        }
        continue;
      }
      for (std::size_t n = 0;; ++n) {
        const std::string place = fmt::format("{}[{}]", section.name, n);
        if (!input_.places.contains(place)) break;
        on_section_(section, several);
        keys(section.name, place, n);
        for (const SectionSchema& inner : input_sections()) {
          if (inner.name.starts_with(fmt::format("{}.", section.name))) inside(inner, place, n);
        }
      }
    }
  }

 private:
  void inside(const SectionSchema& inner, const std::string& outer_place, std::size_t outer) {
    const std::string_view name = inner.name.substr(inner.name.rfind('.') + 1);
    std::size_t& passed = passed_[inner.name];
    for (std::size_t n = 0;; ++n) {
      const std::string place = fmt::format("{}.{}[{}]", outer_place, name, n);
      if (!input_.places.contains(place)) break;
      on_section_(inner, true);
      keys(inner.name, place, passed + n);
    }
    // Sites of published models are in no file, but have to be counted.
    passed += inner.tables.count(input_, outer);
  }

  void keys(std::string_view section, std::string_view place, std::size_t index) {
    for (const KeySchema& key : input_keys()) {
      if (key.section != section) continue;
      const std::string key_place =
          place.empty() ? std::string(key.name) : fmt::format("{}.{}", place, key.name);
      if (!input_.places.contains(key_place)) continue;
      // A target allows writing; here it is only read, so the const_cast is safe.
      const Target target = key.target(const_cast<Input&>(input_), index);
      std::string value = std::visit(ValueText{}, target);
      std::string file = key.names_file ? *std::get<std::string*>(target) : std::string();
      if (!value.empty()) on_key_({key_place, &key, std::move(value), std::move(file)});
    }
  }

  const Input& input_;
  OnSection on_section_;
  OnKey on_key_;
  std::map<std::string_view, std::size_t> passed_;  // number of visited tables, by inner section
};

}  // namespace

std::string input_text(const Input& input) {
  std::string text;
  Walk(
      input,
      [&text](const SectionSchema& section, bool several) {
        text += several ? fmt::format("\n[[{}]]\n", section.name)
                        : fmt::format("\n[{}]\n", section.name);
      },
      [&text](const GivenKey& given) {
        text += fmt::format("{} = {}\n", given.key->name, given.value);
      })
      .go();
  return text;
}

std::vector<GivenKey> given_keys(const Input& input) {
  Input defaults = input_with_all_sections();
  std::vector<GivenKey> keys;
  Walk(
      input, [](const SectionSchema&, bool) {},
      [&](GivenKey given) {
        if (given.value != std::visit(ValueText{}, given.key->target(defaults, 0))) {
          keys.push_back(std::move(given));
        }
      })
      .go();
  return keys;
}

}  // namespace sterna::md
