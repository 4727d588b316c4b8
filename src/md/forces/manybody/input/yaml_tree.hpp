#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// A mistake in a YAML text: "Cu.yace, line 3, column 1: ...".
class YamlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of a YAML text. A map has its keys and values in turn.
struct YamlNode {
  enum class Kind : std::uint8_t { scalar, sequence, map };
  Kind kind;
  std::uint32_t begin, size;   ///< of a scalar's text
  std::uint32_t line, column;  ///< from 1
  std::uint32_t end;           ///< the node behind the last one within
};

/// A YAML text as its nodes, each before those within it. It knows maps and sequences in both styles,
/// also as keys, and scalars of one line, plain or in quotes without escapes; comments and a `---`
/// before the text. All else, such as anchors, tags and blocks of text, is an error.
class YamlTree {
 public:
  /// `text` must outlive the tree. `name`: of the file, for messages. Throws YamlError.
  YamlTree(std::string_view text, std::string_view name);

  const YamlNode& operator[](std::uint32_t node) const { return nodes_[node]; }
  static constexpr std::uint32_t root = 0;
  std::string_view text(std::uint32_t node) const {
    return text_.substr(nodes_[node].begin, nodes_[node].size);
  }
  /// The nodes of a sequence, or keys and values of a map.
  std::vector<std::uint32_t> children(std::uint32_t node) const;
  /// Throws YamlError with the place of the node.
  [[noreturn]] void fail(std::uint32_t node, const std::string& message) const;

 private:
  std::string_view text_;
  std::string name_;
  std::vector<YamlNode> nodes_;
};

}  // namespace sterna::md
