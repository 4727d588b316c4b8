#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/start/foreign/ls1/xml_document.hpp"

namespace sterna::md::ls1 {

/// The largest number of steps that is accepted from a file.
inline constexpr std::int64_t most_steps = 1'000'000'000'000'000;

/// Reads values of elements and collects all mistakes, so that they are reported at once. ls1
/// converts no units, so numbers are used unchanged, and any unit but "reduced" is an error (ls1
/// would use 0 instead of the number).
class XmlValues {
 public:
  void error(const XmlElement& element, std::string message) {
    add(element.diagnostic(Severity::error, std::move(message)));
  }
  void warning(const XmlElement& element, std::string message) {
    add(element.diagnostic(Severity::warning, std::move(message)));
  }
  void add(Diagnostic diagnostic);
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  bool ok() const { return !has_errors(diagnostics_); }

  /// The element's text as a finite number; nothing after a mistake.
  std::optional<double> number(const XmlElement& element);
  /// As `number`, and greater than 0.
  std::optional<double> positive(const XmlElement& element);
  std::optional<std::int64_t> integer(const XmlElement& element, std::int64_t smallest,
                                      std::int64_t largest);
  /// The element's text as true, yes, on, 1 or their opposites, in any case.
  std::optional<bool> boolean(const XmlElement& element);
  /// `<x>`, `<y>` and `<z>` of the element; missing ones are taken from `otherwise`.
  std::optional<Vec3> vector(const XmlElement& element, const Vec3& otherwise = {});
  /// The element's text; an empty one is a mistake.
  std::optional<std::string> text(const XmlElement& element);

  /// The descendant on this path; null, with an error, if it is missing.
  const XmlElement* require(const XmlElement& parent, std::string_view path);
  /// Warns of every child, attribute and text below this element that no reader looked for, with
  /// the nearest known name. After errors only names that resemble a missing one are reported,
  /// because readers end early then. Must be called after everything was read.
  void report_unread(const XmlElement& element);
  /// The index of the element's attribute among the choices; nothing after a mistake.
  std::optional<std::size_t> choice(const XmlElement& element, std::string_view attribute,
                                    std::initializer_list<std::string_view> choices);

 private:
  bool has_plain_unit(const XmlElement& element);
  void report_unread_child(const XmlElement& parent, const XmlElement& child);
  void report_unread_attributes(const XmlElement& element);

  std::vector<Diagnostic> diagnostics_;
  std::size_t warnings_ = 0;
};

}  // namespace sterna::md::ls1
