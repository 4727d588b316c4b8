#include "md/io/input_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "md/io/input_schema.hpp"

namespace sterna::md {
namespace {

/// A basic string of TOML.
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

/// The shortest text that reads as the same number; empty where the value is not there.
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
  std::string operator()(const std::vector<std::string>* values) const {
    std::string text;
    for (const std::string& value : *values) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", basic_string(value));
    }
    return "[" + text + "]";
  }

  template <class Number>
  static std::string triple(Number x, Number y, Number z) {
    return fmt::format("[{}, {}, {}]", x, y, z);
  }
};

class Writer {
 public:
  explicit Writer(const Input& input) : input_(input) {}

  std::string text() {
    keys("", "", 0);
    for (const SectionSchema& section : input_sections()) {
      if (section.name.find('.') != std::string_view::npos) continue;  // stands in another one
      const bool several =
          section.is_array || input_.places.contains(fmt::format("{}[1]", section.name));
      if (!section.is_array && !section.may_repeat) {
        if (input_.places.contains(section.name)) {
          text_ += fmt::format("\n[{}]\n", section.name);
          keys(section.name, section.name, 0);
        }
        continue;
      }
      for (std::size_t n = 0;; ++n) {
        const std::string place = fmt::format("{}[{}]", section.name, n);
        if (!input_.places.contains(place)) break;
        text_ += several ? fmt::format("\n[[{}]]\n", section.name)
                         : fmt::format("\n[{}]\n", section.name);
        keys(section.name, place, n);
        if (section.name == "component") sites(place);
      }
    }
    return std::move(text_);
  }

 private:
  void sites(const std::string& component_place) {
    for (std::size_t n = 0;; ++n, ++sites_) {
      const std::string place = fmt::format("{}.site[{}]", component_place, n);
      if (!input_.places.contains(place)) break;
      text_ += "\n[[component.site]]\n";
      keys("component.site", place, sites_);
    }
  }

  void keys(std::string_view section, std::string_view place, std::size_t index) {
    for (const KeySchema& key : input_keys()) {
      if (key.section != section) continue;
      const std::string key_place =
          place.empty() ? std::string(key.name) : fmt::format("{}.{}", place, key.name);
      if (!input_.places.contains(key_place)) continue;
      // A target gives a way to write; here it is only read.
      const std::string value =
          std::visit(ValueText{}, key.target(const_cast<Input&>(input_), index));
      if (!value.empty()) text_ += fmt::format("{} = {}\n", key.name, value);
    }
  }

  const Input& input_;
  std::size_t sites_ = 0;  // of the components that have been written
  std::string text_;
};

}  // namespace

std::string input_text(const Input& input) {
  return Writer(input).text();
}

}  // namespace sterna::md
