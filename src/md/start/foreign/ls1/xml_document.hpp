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

/// An XML file that is not what it should be; `what()` is the rendered diagnostic.
class XmlError : public std::runtime_error {
 public:
  explicit XmlError(Diagnostic diagnostic)
      : std::runtime_error(render(diagnostic)), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// A file's name and text, kept for the places of its elements.
struct XmlSource {
  std::string path;
  std::string text;
};

/// An element with what stands in it. ls1's `<include query="XPATH">FILE</include>` is replaced by
/// the elements of that file that the query finds, each of which remembers where it stands. It also
/// remembers what readers looked for, so that XmlValues::report_unread can tell what nobody read.
struct XmlElement {
  std::string name;
  std::string text;  ///< its own, without blanks at either end
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
  std::shared_ptr<const XmlSource> source;
  std::size_t offset = 0;  ///< of its name, in bytes

  struct Lookups {
    std::vector<std::string> children, attributes;  ///< names that were looked for
    bool is_read = false;                           ///< the element itself was found
    bool is_passed_over = false;                    ///< nothing in it needs to be read
  };
  mutable Lookups lookups;

  /// The first descendant on this path, such as "control/start"; nothing where there is none.
  const XmlElement* find(std::string_view path) const;
  /// All children of this name.
  std::vector<const XmlElement*> all(std::string_view child_name) const;
  /// The value of an attribute; empty where it is not there.
  std::string_view attribute(std::string_view attribute_name) const;
  /// Declares that the element and all in it may stay unread.
  void pass_over() const { lookups.is_read = lookups.is_passed_over = true; }
  /// The same of children and attributes of these names.
  void pass_over(std::initializer_list<std::string_view> names) const;

  /// A finding about this element, at its name.
  Diagnostic diagnostic(Severity severity, std::string message) const;
  /// The same as an exception.
  [[noreturn]] void fail(std::string message) const;
  /// The path of a file that this element's file names relative to its own folder.
  std::string resolve(std::string_view file) const;
};

/// Gives the text of a file, or throws std::runtime_error with the reason.
using LoadText = std::function<std::string(const std::string& path)>;

/// The regular file's text; at most 64 MiB.
std::string load_text(const std::string& path);

/// The root element of an XML file. Throws XmlError with file, line and column where the file
/// cannot be read or is not well-formed, an include leads nowhere or to itself, or elements are
/// nested more than a hundred deep. Inside `<output>` and `<NEMD>` an include whose file is not
/// there is left out, as ls1 does everywhere. A closing tag of another name closes the innermost
/// element, as in ls1, with a warning.
XmlElement read_xml(const std::string& path, const LoadText& load = load_text,
                    std::vector<Diagnostic>* warnings = nullptr);

}  // namespace sterna::md::ls1
