#include "md/system/selection_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "md/core/display_text.hpp"
#include "md/system/residue_order.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

using Step = SelectionExpression::Step;
using Error = SelectionExpression::Error;

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

constexpr Word<SelectionExpression::Text> text_words[] = {
    {"name", SelectionExpression::Text::name},
    {"type", SelectionExpression::Text::type},
    {"resname", SelectionExpression::Text::residue},
    {"moltype", SelectionExpression::Text::molecule},
    {"molecule", SelectionExpression::Text::molecule}};
constexpr Word<SelectionExpression::Number> number_words[] = {
    {"resid", SelectionExpression::Number::residue},
    {"resnum", SelectionExpression::Number::residue},
    {"id", SelectionExpression::Number::id},
    {"bynum", SelectionExpression::Number::id},
    {"index", SelectionExpression::Number::index}};
constexpr Word<SelectionExpression::Property> property_words[] = {
    {"x", SelectionExpression::Property::x},
    {"y", SelectionExpression::Property::y},
    {"z", SelectionExpression::Property::z},
    {"mass", SelectionExpression::Property::mass},
    {"charge", SelectionExpression::Property::charge}};
// Longer operators come first, because "<" is a prefix of "<=".
constexpr Word<SelectionExpression::Comparison> comparison_words[] = {
    {"<=", SelectionExpression::Comparison::less_or_equal},
    {">=", SelectionExpression::Comparison::greater_or_equal},
    {"==", SelectionExpression::Comparison::equal},
    {"!=", SelectionExpression::Comparison::not_equal},
    {"<", SelectionExpression::Comparison::less},
    {">", SelectionExpression::Comparison::greater}};
constexpr std::string_view other_words[] = {"and", "or", "not", "all", "prop", "abs", "to"};
/// Keywords of MDAnalysis that this language lacks.
constexpr std::string_view unsupported_words[] = {
    "around",  "sphlayer", "sphzone",  "isolayer",        "cylayer",     "cyzone",
    "point",   "byres",    "same",     "bonded",          "global",      "group",
    "protein", "backbone", "nucleic",  "nucleicbackbone", "nucleicbase", "nucleicsugar",
    "water",   "smarts",   "aromatic", "segid",           "chainid",     "element",
    "mass",    "charge",   "molnum",   "icode",           "altloc"};

template <class Words>
auto find_word(const Words& words, std::string_view text) {
  const auto found = std::ranges::find_if(words, [&](const auto& w) { return w.text == text; });
  return found == std::end(words) ? nullptr : &*found;
}

/// Whether this word ends a list of texts or numbers. Keywords that only MDAnalysis has do not end
/// it, because a molecule may be called water.
bool is_keyword(std::string_view text) {
  return text == "(" || text == ")" || text == "and" || text == "or" || text == "not" ||
         text == "all" || text == "prop" || find_word(text_words, text) != nullptr ||
         find_word(number_words, text) != nullptr;
}

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
      if (is_space(text[i])) {
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      if (text[i] != '(' && text[i] != ')') {
        while (end < text.size() && !is_space(text[end]) && text[end] != '(' && text[end] != ')') {
          ++end;
        }
      }
      tokens_.push_back({text.substr(i, end - i), i + 1});
      i = end;
    }
    end_column_ = text.size() + 1;
    if (tokens_.empty()) throw Error(1, "the selection is empty; \"all\" selects all atoms");
  }

  std::vector<Step> parse() {
    expression(0);
    if (!at_end()) {
      throw Error(column(), fmt::format("expected \"and\", \"or\" or the end{}", instead()));
    }
    return std::move(steps_);
  }

 private:
  struct Token {
    std::string_view text;
    std::size_t column;
  };

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  bool at_end() const { return next_ == tokens_.size(); }
  bool is(std::string_view text) const { return !at_end() && tokens_[next_].text == text; }
  std::size_t column() const { return at_end() ? end_column_ : tokens_[next_].column; }
  /// The end of an error message: the text that was found where something else was expected.
  std::string instead() const {
    return at_end() ? ", but the text ends here"
                    : fmt::format(" instead of {}", quote(tokens_[next_].text));
  }

  void add(Step step) { steps_.push_back(std::move(step)); }

  void expression(int nesting) {
    operand(nesting);
    while (is("and") || is("or")) {
      const auto kind = is("and") ? Step::Kind::both : Step::Kind::either;
      ++next_;
      operand(nesting);
      add({.kind = kind});
    }
  }

  void operand(int nesting) {
    // The depth of the stack grows by at most one with each parenthesis, and the stack has 64 bits.
    if (nesting >= 60) throw Error(column(), "parentheses and \"not\" are nested too deeply");
    if (is("not")) {
      ++next_;
      operand(nesting + 1);
      add({.kind = Step::Kind::negate});
      return;
    }
    if (is("(")) {
      const std::size_t opened = column();
      ++next_;
      expression(nesting + 1);
      if (!is(")")) {
        throw Error(column(),
                    fmt::format("expected \"and\", \"or\" or the \")\" of the \"(\" in column {}{}",
                                opened, instead()));
      }
      ++next_;
      return;
    }
    test();
  }

  void test() {
    if (at_end()) throw Error(column(), fmt::format("expected {}{}", what_begins, instead()));
    const std::string_view word = tokens_[next_].text;
    if (word == "all") {
      ++next_;
      add({.kind = Step::Kind::all});
    } else if (const auto* text = find_word(text_words, word)) {
      ++next_;
      add({.kind = Step::Kind::text, .text = text->value, .patterns = patterns(word)});
    } else if (const auto* number = find_word(number_words, word)) {
      ++next_;
      add({.kind = Step::Kind::number, .number = number->value, .ranges = ranges(word)});
    } else if (word == "prop") {
      ++next_;
      property();
    } else {
      unknown(word);
    }
  }

  [[noreturn]] void unknown(std::string_view word) const {
    if (std::ranges::find(unsupported_words, word) != std::end(unsupported_words)) {
      std::string message = fmt::format("{} is not supported here", quote(word));
      if (word == "mass" || word == "charge") {
        message += fmt::format("; write \"prop {} > 1\"", word);
      }
      throw Error(column(), message);
    }
    std::vector<std::string_view> known(std::begin(other_words), std::end(other_words));
    for (const auto& entry : text_words) known.push_back(entry.text);
    for (const auto& entry : number_words) known.push_back(entry.text);
    std::string message = fmt::format("expected {}{}", what_begins, instead());
    if (const auto near = comm::nearest_name(word, known)) {
      message += fmt::format("; did you mean {}?", quote(*near));
    }
    throw Error(column(), message);
  }

  std::vector<std::string> patterns(std::string_view keyword) {
    std::vector<std::string> all;
    while (!at_end() && !is_keyword(tokens_[next_].text)) {
      std::string_view text = tokens_[next_++].text;
      if (text.starts_with('\\')) text.remove_prefix(1);
      all.emplace_back(text);
    }
    if (all.empty()) {
      throw Error(column(),
                  fmt::format("expected a text or pattern behind {}{}", quote(keyword), instead()));
    }
    return all;
  }

  /// One end of a range in residue order. A `resid` without a letter means the number without
  /// insertion code; a `resnum` includes all insertion codes.
  static std::optional<std::int64_t> range_end(std::string_view keyword, std::string_view text,
                                               bool is_last) {
    const bool is_resid = keyword == "resid", is_resnum = keyword == "resnum";
    if (!is_resid && !is_resnum) return integer_in(text);
    char code = is_resnum && is_last ? std::numeric_limits<char>::max() : char{0};
    if (is_resid && !text.empty() && is_letter(text.back())) {
      code = text.back();
      text.remove_suffix(1);
    }
    const auto number = integer_in(text);
    if (!number) return std::nullopt;
    return residue_order(*number, code);
  }

  std::vector<std::pair<std::int64_t, std::int64_t>> ranges(std::string_view keyword) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    while (!at_end() && !is_keyword(tokens_[next_].text)) {
      const std::size_t place = column();
      std::string_view text = tokens_[next_++].text;
      std::string_view first = text, last = text;
      // The separator is searched from the second character on, because a leading dash is a sign.
      const std::size_t separator = text.find_first_of(":-", 1);
      if (separator != std::string_view::npos) {
        first = text.substr(0, separator), last = text.substr(separator + 1);
      } else if (is("to") || is(":") || is("-")) {
        ++next_;
        if (at_end()) throw Error(column(), "expected the number where the range ends");
        last = tokens_[next_++].text;
      }
      const auto from = range_end(keyword, first, false), to = range_end(keyword, last, true);
      if (!from || !to) {
        throw Error(place, fmt::format("expected whole numbers or ranges such as 1:10 behind {} "
                                       "instead of {}",
                                       quote(keyword), quote(text)));
      }
      if (*from > *to) {
        throw Error(place, fmt::format("the range ends before it begins: {} to {}", first, last));
      }
      all.emplace_back(*from, *to);
    }
    if (all.empty()) {
      throw Error(column(), fmt::format("expected whole numbers or ranges such as 1:10 behind {}{}",
                                        quote(keyword), instead()));
    }
    return all;
  }

  void property() {
    Step step{.kind = Step::Kind::property};
    if (is("abs")) {
      step.absolute = true;
      ++next_;
    }
    // Blanks may separate the property, the comparison and the number.
    const std::size_t place = column();
    std::string text;
    std::string_view name;
    const Word<SelectionExpression::Comparison>* comparison = nullptr;
    while (!at_end() && !is_keyword(tokens_[next_].text)) {
      text += tokens_[next_++].text;
      comparison = nullptr;
      const std::size_t begin = text.find_first_of("<>=!");
      if (begin == std::string::npos) {
        if (find_word(property_words, text) == nullptr) break;
        continue;
      }
      name = std::string_view(text).substr(0, begin);
      const std::string_view rest = std::string_view(text).substr(begin);
      for (const auto& entry : comparison_words) {
        if (comparison == nullptr && rest.starts_with(entry.text)) comparison = &entry;
      }
      if (comparison != nullptr && rest.size() > comparison->text.size()) break;
    }
    const auto* known = find_word(property_words, name.empty() ? std::string_view(text) : name);
    if (known == nullptr) {
      throw Error(place, fmt::format("expected x, y, z, mass or charge behind \"prop\"{}",
                                     text.empty() ? instead() : " instead of " + quote(text)));
    }
    if (comparison == nullptr) {
      throw Error(place, fmt::format("expected <, <=, >, >=, == or != and a number behind \"{}\"",
                                     known->text));
    }
    const std::string_view number =
        std::string_view(text).substr(name.size() + comparison->text.size());
    const auto value = number_in(number);
    if (!value) {
      throw Error(place,
                  fmt::format("expected a number behind \"{} {}\"{}", known->text, comparison->text,
                              number.empty() ? instead() : " instead of " + quote(number)));
    }
    step.property = known->value;
    step.comparison = comparison->value;
    step.value = *value;
    add(std::move(step));
  }

  static constexpr std::string_view what_begins =
      "\"name\", \"type\", \"resname\", \"resid\", \"id\", \"index\", \"prop\", \"all\", \"not\" "
      "or \"(\"";

  std::vector<Token> tokens_;
  std::size_t next_ = 0, end_column_ = 1;
  std::vector<Step> steps_;
};

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  // The position of the last star in the pattern, and the end of the text that it has matched.
  std::size_t star = std::string_view::npos, taken = 0;
  // Whether the pattern's next item matches `c`. `length` is the item's length in the pattern.
  const auto takes = [&](char c, std::size_t& length) {
    length = 1;
    if (pattern[p] == '?') return true;
    if (pattern[p] != '[') return pattern[p] == c;
    const bool negated = p + 1 < pattern.size() && pattern[p + 1] == '!';
    const std::size_t first = p + (negated ? 2 : 1);
    // A closing bracket directly behind the opening one is one of the characters.
    const std::size_t end = pattern.find(']', first + 1);
    if (end == std::string_view::npos) return c == '[';
    length = end - p + 1;
    bool found = false;
    for (std::size_t k = first; k < end; ++k) {
      if (k + 2 < end && pattern[k + 1] == '-') {
        found = found || (pattern[k] <= c && c <= pattern[k + 2]);
        k += 2;
      } else {
        found = found || pattern[k] == c;
      }
    }
    return found != negated;
  };
  while (t < text.size()) {
    std::size_t length = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && takes(text[t], length)) {
      p += length;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool SelectionExpression::Step::matches(std::string_view candidate) const {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return matches_pattern(pattern, candidate); });
}

bool SelectionExpression::Step::contains(std::int64_t candidate) const {
  return std::ranges::any_of(ranges, [&](const auto& range) {
    return range.first <= candidate && candidate <= range.second;
  });
}

bool SelectionExpression::Step::holds(double candidate) const {
  if (absolute) candidate = std::abs(candidate);
  switch (comparison) {
    case Comparison::less:
      return candidate < value;
    case Comparison::less_or_equal:
      return candidate <= value;
    case Comparison::greater:
      return candidate > value;
    case Comparison::greater_or_equal:
      return candidate >= value;
    case Comparison::equal:
      return std::abs(candidate - value) <= 1e-5 * std::abs(value);
    case Comparison::not_equal:
      return candidate != value;
  }
  return false;
}

SelectionExpression::SelectionExpression(std::string_view text) {
  steps_ = Parser(text).parse();
}

SelectionExpression SelectionExpression::of_molecule(std::string_view name) {
  Step step{.kind = Step::Kind::text, .text = Text::molecule};
  std::string& pattern = step.patterns.emplace_back();
  for (const char c : name) {
    const bool special = c == '*' || c == '?' || c == '[';
    pattern += special ? std::string{'[', c, ']'} : std::string{c};
  }
  SelectionExpression expression;
  expression.steps_.push_back(std::move(step));
  return expression;
}

bool SelectionExpression::depends_on_position() const {
  return std::ranges::any_of(steps_, [](const Step& step) {
    return step.kind == Step::Kind::property &&
           (step.property == Property::x || step.property == Property::y ||
            step.property == Property::z);
  });
}

}  // namespace sterna::md
