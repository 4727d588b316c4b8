#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/start/foreign/modylas/document.hpp"

namespace sterna::md::modylas {

/// Reads values out of the blocks of a document and collects what is wrong with them, so that all
/// mistakes of a file come at once. MODYLAS takes the first of several entries of the same key.
class Values {
 public:
  explicit Values(const Document& document) : document_(document) {}

  const Document& document() const { return document_; }
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  bool ok() const { return !has_errors(diagnostics_); }
  void error(std::string_view part, std::string message);
  void warning(std::string_view part, std::string message);

  /// The inner block of this name; null where there is none.
  const Block* find(const Block& block, std::string_view name);
  /// The same, with an error where there is none.
  const Block* require(const Block& block, std::string_view name);
  std::vector<const Block*> all(const Block& block, std::string_view name);

  /// The value of a key without asking for it: empty where the block has none.
  static std::string_view peek(const Block& block, std::string_view key);
  /// The value of a key, as a word of the text; empty where the block has none.
  std::string_view word(const Block& block, std::string_view key);
  /// The same as a number in a range; nothing where there is none, or after an error.
  std::optional<double> number(const Block& block, std::string_view key, double smallest,
                               double largest);
  std::optional<double> positive(const Block& block, std::string_view key);
  std::optional<std::int64_t> integer(const Block& block, std::string_view key,
                                      std::int64_t smallest, std::int64_t largest);
  /// "yes" or "no".
  std::optional<bool> yes_or_no(const Block& block, std::string_view key);
  /// The number of the value among the choices.
  std::optional<std::size_t> choice(const Block& block, std::string_view key,
                                    std::initializer_list<std::string_view> choices);

  /// A word as a number, an error where it is none.
  std::optional<double> number(std::string_view word);
  std::optional<std::int64_t> integer(std::string_view word, std::int64_t smallest,
                                      std::int64_t largest);

  /// What the block has beside the names that were asked for, and these.
  void report_unused(const Block& block, Severity severity, std::string_view consequence,
                     std::initializer_list<std::string_view> without_meaning_here);

 private:
  const Document& document_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sterna::md::modylas
