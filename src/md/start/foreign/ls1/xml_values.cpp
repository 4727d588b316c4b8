#include "md/start/foreign/ls1/xml_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "md/core/display_text.hpp"
#include "md/core/lower_case.hpp"
#include "md/input/fields.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::size_t most_warnings = 100;  // more would not be read

std::string found(const XmlElement& element) {
  return element.text.empty() ? "empty" : quote(element.text);
}

/// The choices as a text, `"a", "b" or "c"`.
std::string list_of(std::initializer_list<std::string_view> choices) {
  std::string text;
  for (const std::string_view& choice : choices) {
    if (!text.empty()) text += &choice + 1 == choices.end() ? " or " : ", ";
    text += fmt::format("\"{}\"", choice);
  }
  return text;
}

}  // namespace

void XmlValues::add(Diagnostic diagnostic) {
  if (diagnostic.severity != Severity::error) {
    if (warnings_ > most_warnings) return;
    if (++warnings_ > most_warnings) {
      diagnostic.message = fmt::format(
          "there are more than {} warnings: those from here on are "
          "not shown",
          most_warnings);
    }
  }
  diagnostics_.push_back(std::move(diagnostic));
}

bool XmlValues::has_plain_unit(const XmlElement& element) {
  const std::string_view unit = element.attribute("unit");
  if (unit.empty() || unit == "reduced") return true;
  error(element, fmt::format("<{}> has the unit {}; expected \"reduced\" or none: ls1 applies no "
                             "units and takes any other for 0",
                             element.name, quote(unit)));
  return false;
}

std::optional<double> XmlValues::number(const XmlElement& element) {
  if (!has_plain_unit(element)) return std::nullopt;
  double value = 0.0;
  if (parse_number(element.text, value)) return value;
  error(element, fmt::format("<{}> is {}; expected a number", element.name, found(element)));
  return std::nullopt;
}

std::optional<double> XmlValues::positive(const XmlElement& element) {
  const auto value = number(element);
  if (!value || *value > 0.0) return value;
  error(element,
        fmt::format("<{}> is {}; expected a number greater than 0", element.name, found(element)));
  return std::nullopt;
}

std::optional<std::int64_t> XmlValues::integer(const XmlElement& element, std::int64_t smallest,
                                               std::int64_t largest) {
  element.attribute("unit");  // ls1 ignores the unit of a count
  double value = 0.0;
  // Counts may be written as 1e6.
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (parse_number(element.text, value) && std::abs(value) <= exact && std::floor(value) == value) {
    const auto whole = static_cast<std::int64_t>(value);
    if (whole >= smallest && whole <= largest) return whole;
  }
  error(element, fmt::format("<{}> is {}; expected a whole number from {} to {}", element.name,
                             found(element), smallest, largest));
  return std::nullopt;
}

std::optional<bool> XmlValues::boolean(const XmlElement& element) {
  const std::string text = lower_case(element.text);
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  error(element, fmt::format("<{}> is {}; expected true or false", element.name, found(element)));
  return std::nullopt;
}

std::optional<Vec3> XmlValues::vector(const XmlElement& element, const Vec3& otherwise) {
  Vec3 result = otherwise;
  bool good = true;
  constexpr std::string_view names[3] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    const XmlElement* component = element.find(names[axis]);
    if (component == nullptr) continue;
    const auto value = number(*component);
    good = good && value.has_value();
    result[axis] = value.value_or(0.0);
  }
  return good ? std::optional<Vec3>(result) : std::nullopt;
}

std::optional<std::string> XmlValues::text(const XmlElement& element) {
  if (!element.text.empty()) return element.text;
  error(element, fmt::format("<{}> is empty", element.name));
  return std::nullopt;
}

const XmlElement* XmlValues::require(const XmlElement& parent, std::string_view path) {
  const XmlElement* place = &parent;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view first = path.substr(0, slash);
    const XmlElement* child = place->find(first);
    if (child == nullptr) {
      error(*place, fmt::format("<{}> lacks <{}>", place->name, first));
      return nullptr;
    }
    if (slash == std::string_view::npos) return child;
    place = child;
    path.remove_prefix(slash + 1);
  }
}

void XmlValues::report_unread(const XmlElement& element) {
  if (element.lookups.is_passed_over) return;
  report_unread_attributes(element);
  const bool has_text_value = element.lookups.children.empty();
  if (!has_text_value && !element.text.empty() && ok()) {
    warning(element, fmt::format("the text {} in <{}> means nothing and is ignored",
                                 quote(element.text), element.name));
  }
  for (const XmlElement& child : element.children) {
    if (child.lookups.is_read) {
      report_unread(child);
    } else {
      report_unread_child(element, child);
    }
  }
}

void XmlValues::report_unread_child(const XmlElement& parent, const XmlElement& child) {
  const std::vector<std::string>& known = parent.lookups.children;
  if (std::ranges::find(known, child.name) != known.end()) {
    // For elements that hold lists, ls1 reads all elements of the name.
    constexpr std::string_view lists[] = {"components", "mixing",  "options",
                                          "output",     "regions", "targets"};
    if (std::ranges::find(lists, child.name) != std::end(lists)) {
      error(child, fmt::format("there is already a <{0}> in <{1}>, and ls1 reads both; put what "
                               "stands in this one into the first <{0}>",
                               child.name, parent.name));
    } else {
      warning(child, fmt::format("there is already a <{}> in <{}>, which is taken; this one is "
                                 "ignored, as in ls1",
                                 child.name, parent.name));
    }
    return;
  }
  std::vector<std::string_view> missing;
  for (const std::string& name : known) {
    if (std::ranges::find(parent.children, name, &XmlElement::name) == parent.children.end()) {
      missing.push_back(name);
    }
  }
  const auto near = comm::nearest_name(child.name, missing);
  if (!near && !ok()) return;
  warning(child, fmt::format("<{}> means nothing in <{}> and is ignored{}", child.name, parent.name,
                             near ? fmt::format("; did you mean <{}>?", *near) : ""));
}

void XmlValues::report_unread_attributes(const XmlElement& element) {
  const std::vector<std::string>& known = element.lookups.attributes;
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const auto& [name, value] : element.attributes) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = comm::nearest_name(name, names);
    if (!near && !ok()) continue;
    warning(element,
            fmt::format("the attribute {} of <{}> means nothing and is ignored{}", quote(name),
                        element.name, near ? fmt::format("; did you mean {}?", quote(*near)) : ""));
  }
}

std::optional<std::size_t> XmlValues::choice(const XmlElement& element, std::string_view attribute,
                                             std::initializer_list<std::string_view> choices) {
  const std::string_view value = element.attribute(attribute);
  const auto* chosen = std::ranges::find(choices, value);
  if (chosen != choices.end()) return static_cast<std::size_t>(chosen - choices.begin());
  error(element, value.empty() ? fmt::format("<{}> lacks the attribute \"{}\"; expected {}",
                                             element.name, attribute, list_of(choices))
                               : fmt::format("<{}> has {} = {}; expected {}", element.name,
                                             attribute, quote(value), list_of(choices)));
  return std::nullopt;
}

}  // namespace sterna::md::ls1
