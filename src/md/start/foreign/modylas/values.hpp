#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/start/foreign/modylas/document.hpp"

namespace sterna::md::modylas {

/// Reads values of a document's blocks and collects all mistakes, so that they are reported at
/// once. If a key occurs several times, MODYLAS uses the first.
class Values {
 public:
  explicit Values(const Document& document) : document_(document) {}

  const Document& document() const { return document_; }
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  bool ok() const { return !has_errors(diagnostics_); }
  void error(std::string_view part, std::string message);
  void warning(std::string_view part, std::string message);

  /// The inner block of this name; null if there is none.
  const Block* find(const Block& block, std::string_view name);
  /// As `find`, with an error if there is none.
  const Block* require(const Block& block, std::string_view name);
  std::vector<const Block*> all(const Block& block, std::string_view name);

  /// The value of a key, which does not count as used; empty if the block has none.
  static std::string_view peek(const Block& block, std::string_view key);
  /// The value of a key as a part of the text; empty if the block has none.
  std::string_view word(const Block& block, std::string_view key);
  /// The value of a key as a number in a range; nothing if there is none, or after an error.
  std::optional<double> number(const Block& block, std::string_view key, double smallest,
                               double largest);
  std::optional<double> positive(const Block& block, std::string_view key);
  std::optional<std::int64_t> integer(const Block& block, std::string_view key,
                                      std::int64_t smallest, std::int64_t largest);
  /// The value of a key, which must be "yes" or "no".
  std::optional<bool> yes_or_no(const Block& block, std::string_view key);
  /// The index of the value among the choices.
  std::optional<std::size_t> choice(const Block& block, std::string_view key,
                                    std::initializer_list<std::string_view> choices);

  /// A word as a number, with an error if it is not one.
  std::optional<double> number(std::string_view word);
  std::optional<std::int64_t> integer(std::string_view word, std::int64_t smallest,
                                      std::int64_t largest);

  /// Reports everything in the block that was not asked for and is not in `without_meaning_here`.
  void report_unused(const Block& block, Severity severity, std::string_view consequence,
                     std::initializer_list<std::string_view> without_meaning_here);

 private:
  const Document& document_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sterna::md::modylas
