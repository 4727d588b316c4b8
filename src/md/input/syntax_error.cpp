#include "md/input/syntax_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/core/lower_case.hpp"

namespace sterna::md {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool begins_number(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

int characters_in(std::string_view text) {
  return static_cast<int>(display_characters(text).size());
}

/// The parser's message without its introduction, beginning with a small letter.
std::string plain(std::string_view description) {
  constexpr std::string_view beginning = "Error while parsing ";
  const std::size_t colon = description.find(": ");
  if (description.starts_with(beginning) && colon != std::string_view::npos) {
    description.remove_prefix(colon + 2);
  }
  std::string text(description);
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && is_letter(text[1])) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

/// The value of a line `key = value # comment`, its position in the line, and the column of "=".
struct BareValue {
  std::string_view text;
  std::size_t begin;
  int equals_column;
};

std::optional<BareValue> bare_value(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t", equals + 1);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view value = line.substr(begin);
  value = value.substr(0, value.find('#'));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  if (value.empty() || value.find_first_of("\"'[]{}=,") != std::string_view::npos) {
    return std::nullopt;
  }
  return BareValue{value, begin, characters_in(line.substr(0, equals)) + 1};
}

/// The mistake of a value without quotes; nothing if the parser's message is better.
std::optional<std::string> why_no_value(std::string_view value) {
  const std::string small = lower_case(value);
  if (is_letter(value.front()) &&
      (small == "true" || small == "false" || small == "inf" || small == "nan")) {
    return fmt::format("{} is no value; write it in small letters: {}", value, small);
  }
  if (small == "yes" || small == "no" || small == "on" || small == "off") {
    return fmt::format("{} is no value; write true or false", value);
  }
  if (is_letter(value.front())) {
    return fmt::format("a text must stand in quotes: {}", quote(value));
  }
  const bool has_unit = std::ranges::any_of(
      value, [](char c) { return is_letter(c) && c != 'e' && c != 'E' && c != 'x'; });
  if (begins_number(value.front()) && has_unit) {
    return fmt::format("a number with a unit must stand in quotes: {}", quote(value));
  }
  return std::nullopt;
}

}  // namespace

SyntaxError explain_syntax_error(Input::Place place, std::string_view description) {
  const std::string_view line = place.source_line.view();
  const int shift = place.source_column - 1;  // begin of a shortened source line
  std::string message = plain(description);
  const auto say = [&](std::string text) {
    return SyntaxError{place, "not valid TOML: " + std::move(text)};
  };
  // The parser reports a repeated key only after it has read the second value.
  constexpr std::string_view twice = "cannot redefine existing ";
  const std::size_t name = message.find('\'');
  if (message.starts_with(twice) && name != std::string::npos) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos) place.column = shift + static_cast<int>(first) + 1;
    return say(fmt::format("{} stands here for the second time",
                           quote(message.substr(name + 1, message.rfind('\'') - name - 1))));
  }
  if (message.find("control characters other than TAB") != std::string::npos &&
      place.column > shift + characters_in(line)) {
    return say("the text does not end on its line; is the closing quote missing?");
  }
  const auto value = bare_value(line);
  if (value && shift == 0 && place.column > value->equals_column) {
    if (auto why = why_no_value(value->text)) {
      place.column = characters_in(line.substr(0, value->begin)) + 1;
      place.length = characters_in(value->text);
      return say(std::move(*why));
    }
  }
  return say(std::move(message));
}

}  // namespace sterna::md
