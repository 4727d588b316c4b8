#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/input/diagnostics.hpp"

namespace sterna::md::ls1 {

/// An invalid XML file; `what()` is the rendered diagnostic.
class XmlError : public std::runtime_error {
 public:
  explicit XmlError(Diagnostic diagnostic)
      : std::runtime_error(render(diagnostic)), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// The name and text of a file, kept for the places of its elements.
struct XmlSource {
  std::string path;
  std::string text;
};

/// An element with its content. ls1's `<include query="XPATH">FILE</include>` is replaced by the
/// elements of that file that the query finds; each of them knows its own file. An element also
/// records the names that readers looked for, so that XmlValues::report_unread can report the rest.
struct XmlElement {
  std::string name;
  std::string text;  ///< trimmed, without children's text
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
  std::shared_ptr<const XmlSource> source;
  std::size_t offset = 0;  ///< of its name, in bytes

  struct Lookups {
    std::vector<std::string> children, attributes;  ///< names that were looked for
    bool is_read = false;                           ///< the element itself was found
    bool is_passed_over = false;                    ///< its content may stay unread
  };
  mutable Lookups lookups;

  /// The first descendant on this path, such as "control/start"; null if there is none.
  const XmlElement* find(std::string_view path) const;
  /// All children of this name.
  std::vector<const XmlElement*> all(std::string_view child_name) const;
  /// The value of an attribute; empty if it is missing.
  std::string_view attribute(std::string_view attribute_name) const;
  /// Declares that the element and its content may stay unread.
  void pass_over() const { lookups.is_read = lookups.is_passed_over = true; }
  /// Declares that children and attributes of these names may stay unread.
  void pass_over(std::initializer_list<std::string_view> names) const;

  /// A diagnostic about this element, at its name.
  Diagnostic diagnostic(Severity severity, std::string message) const;
  /// Throws such a diagnostic as an error.
  [[noreturn]] void fail(std::string message) const;
  /// The path of a file that is named relative to the folder of this element's file.
  std::string resolve(std::string_view file) const;
};

/// Returns the text of a file, or throws std::runtime_error with the reason.
using LoadText = std::function<std::string(const std::string& path)>;

/// The text of a regular file of at most 64 MiB.
std::string load_text(const std::string& path);

/// The root element of an XML file. Throws XmlError with file, line and column if the file cannot
/// be read or is not well-formed. Other errors are an include that leads nowhere or to itself, and
/// elements that are nested more than a hundred deep. Inside `<output>` and `<NEMD>` an include of a missing file is
/// left out, as ls1 does everywhere. A closing tag with another name closes the innermost element,
/// as in ls1, with a warning.
XmlElement read_xml(const std::string& path, const LoadText& load = load_text,
                    std::vector<Diagnostic>* warnings = nullptr);

}  // namespace sterna::md::ls1
