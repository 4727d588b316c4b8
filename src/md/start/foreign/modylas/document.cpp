#include "md/start/foreign/modylas/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/start/foreign/modylas/words.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md::modylas {

std::string load_text(const std::string& path) {
  constexpr std::size_t largest_file = 1u << 30;
  return comm::read_regular_file(path, largest_file);
}

class Document::Parser {
 public:
  explicit Parser(Document& document) : document_(document) { open_.push_back(&document.root_); }

  void parse() {
    for (std::size_t number = 0; number < document_.line_begins_.size(); ++number) {
      const std::string_view line = document_.line(number);
      std::size_t at = 0;
      for (auto word = next_word(line, at); !word.empty(); word = next_word(line, at)) take(word);
    }
    if (!equals_.empty()) fail(equals_, missing_value());
    if (open_.size() > 1) {
      fail(open_.back()->tag, fmt::format("the block {} is not closed: expected </{}>",
                                          quote(open_.back()->tag), open_.back()->name));
    }
  }

 private:
  void take(std::string_view word) {
    if (!equals_.empty() && (is_tag(word) || word == "=")) fail(equals_, missing_value());
    if (is_tag(word)) {
      take_tag(word);
    } else if (word == "=") {
      if (open_.back()->words.empty() || key_is_value_) fail(word, "a key is missing before \"=\"");
      equals_ = word;
    } else if (!equals_.empty()) {
      open_.back()->entries.push_back({open_.back()->words.back(), word});
      open_.back()->words.pop_back();
      equals_ = {};
      key_is_value_ = true;
      return;
    } else {
      open_.back()->words.push_back(word);
    }
    key_is_value_ = false;
  }

  void take_tag(std::string_view tag) {
    const std::string name = tag_name(tag);
    if (name.empty() || name == "/") fail(tag, "a tag without name or without \">\"");
    if (!name.starts_with('/')) {
      constexpr std::size_t deepest = 20;
      if (open_.size() > deepest) fail(tag, "more than 20 blocks are in each other");
      open_.back()->blocks.push_back({.name = name, .tag = tag});
      open_.push_back(&open_.back()->blocks.back());
      return;
    }
    const Block& block = *open_.back();
    if (open_.size() == 1) fail(tag, fmt::format("{} closes no block", quote(tag)));
    if (name.substr(1) != block.name) {
      fail(tag, fmt::format("{} does not close the block {}: expected </{}>", quote(tag),
                            quote(block.tag), block.name));
    }
    open_.pop_back();
  }

  std::string missing_value() const {
    return fmt::format("the key {} has no value", quote(open_.back()->words.back()));
  }

  [[noreturn]] void fail(std::string_view part, std::string message) const {
    throw DocumentError(document_.diagnostic(part, Severity::error, std::move(message)));
  }

  Document& document_;
  /// Open blocks from the root to the innermost one. Pointers stay valid, because only the last one
  /// gets new blocks.
  std::vector<Block*> open_;
  std::string_view equals_;    ///< the "=" after which a value must follow
  bool key_is_value_ = false;  ///< whether the word before was the value of a key
};

Document::Document(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), line_begins_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(i + 1);
  }
  Parser(*this).parse();
}

std::string_view Document::line(std::size_t number) const {
  const std::size_t begin = line_begins_[number];
  std::size_t end = number + 1 < line_begins_.size() ? line_begins_[number + 1] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Diagnostic Document::diagnostic(std::string_view part, Severity severity,
                                std::string message) const {
  const char* const begin = text_.data();
  // `<` on pointers into different objects is unspecified; std::less is a total order.
  if (std::less<>()(part.data(), begin) || !std::less<>()(part.data(), begin + text_.size())) {
    Diagnostic result;
    result.severity = severity;
    result.file = path_;
    result.message = std::move(message);
    return result;
  }
  const auto offset = static_cast<std::size_t>(part.data() - begin);
  const auto next = std::ranges::upper_bound(line_begins_, offset);
  const auto number = static_cast<std::size_t>(next - line_begins_.begin()) - 1;
  return diagnostic_in_line(path_, static_cast<std::int64_t>(number) + 1, line(number), part,
                            severity, std::move(message));
}

}  // namespace sterna::md::modylas
