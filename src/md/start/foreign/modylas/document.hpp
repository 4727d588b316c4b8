#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/diagnostics.hpp"

namespace sterna::md::modylas {

/// A block `<name> ... </name>` with its content. Its texts are views of the document's text.
struct Block {
  struct Entry {  ///< a line "key = value"
    std::string_view key, value;
    mutable bool used = false;
  };
  std::string name;      ///< words separated by one blank
  std::string_view tag;  ///< as in the text, with its brackets
  std::vector<Entry> entries{};
  std::vector<std::string_view> words{};  ///< words outside of entries
  std::vector<Block> blocks{};
  mutable bool used = false;
  mutable std::vector<std::string_view>
      known{};  ///< names of entries and blocks that readers asked for
};

/// Returns the text of a file, or throws std::runtime_error with the reason.
using LoadText = std::function<std::string(const std::string& path)>;
/// The text of a regular file of at most 1 GiB.
std::string load_text(const std::string& path);

/// A text file of MODYLAS: blocks, keys with values, lists of words.
class Document {
 public:
  /// Throws DocumentError with line and column if blocks are not closed in order, or if a key has
  /// no value.
  Document(std::string path, std::string text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const std::string& path() const { return path_; }
  const Block& root() const { return root_; }

  /// A diagnostic at a part of the document's text, or about the whole file if `part` is not in it.
  Diagnostic diagnostic(std::string_view part, Severity severity, std::string message) const;

 private:
  class Parser;
  std::string_view line(std::size_t number) const;

  std::string path_, text_;
  std::vector<std::size_t> line_begins_;
  Block root_;
};

/// A mistake in a document; `what()` is the rendered diagnostic.
class DocumentError : public std::runtime_error {
 public:
  explicit DocumentError(Diagnostic diagnostic)
      : std::runtime_error(render(diagnostic)), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

}  // namespace sterna::md::modylas
