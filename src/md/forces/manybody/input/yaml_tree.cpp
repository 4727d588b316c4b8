#include "md/forces/manybody/input/yaml_tree.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

constexpr int deepest_nesting = 50;

class YamlParser {
 public:
  YamlParser(std::string_view text, std::string_view name, std::vector<YamlNode>& nodes)
      : text_(text), name_(name), nodes_(nodes) {}

  void parse() {
    if (text_.size() >= ~std::uint32_t{0}) fail("the file is too large");
    skip_empty();
    if (column() == 1 && text_.substr(at_, 3) == "---" && is_blank_at(at_ + 3)) {
      at_ += 3;
      skip_empty();
    }
    if (at_end()) fail("the file is empty");
    block(-1);
    skip_empty();
    if (!at_end()) fail(fmt::format("{} does not belong to the values above", quote(word())));
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw YamlError(
        fmt::format("{}, line {}, column {}: {}", name_, line_, at_ - line_begin_ + 1, message));
  }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool is_blank_at(std::size_t place) const {
    if (place >= text_.size()) return true;
    const char c = text_[place];
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }
  int column() const { return static_cast<int>(at_ - line_begin_) + 1; }
  std::string_view word() const {
    std::size_t end = at_;
    while (!is_blank_at(end)) ++end;
    return text_.substr(at_, end - at_);
  }
  bool at_line_end() const {
    return at_end() || peek() == '\n' || (peek() == '\r' && (peek(1) == '\n' || peek(1) == '\0'));
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
    if (peek() == '#' && (at_ == line_begin_ || is_blank_at(at_ - 1))) {
      while (!at_end() && peek() != '\n') ++at_;
    }
  }
  /// Skips blanks, comments and line ends.
  void skip_empty() {
    for (;;) {
      skip_blanks();
      if (at_end() || !at_line_end()) return;
      if (peek() == '\r') ++at_;
      if (at_end()) return;
      ++at_;
      ++line_;
      line_begin_ = at_;
    }
  }

  std::uint32_t add(YamlNode::Kind kind) {
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({kind, static_cast<std::uint32_t>(at_), 0, static_cast<std::uint32_t>(line_),
                      static_cast<std::uint32_t>(column()), node + 1});
    return node;
  }
  void close(std::uint32_t node) { nodes_[node].end = static_cast<std::uint32_t>(nodes_.size()); }
  /// Nests the nodes from `first` on in a new one at the place of the first.
  void wrap(std::uint32_t first, YamlNode::Kind kind) {
    YamlNode outer = nodes_[first];
    outer.kind = kind;
    nodes_.insert(nodes_.begin() + first, outer);
    for (std::size_t k = first + 1; k < nodes_.size(); ++k) ++nodes_[k].end;
  }

  struct Deeper {
    explicit Deeper(YamlParser& parser) : of(parser) {
      if (++of.depth_ > deepest_nesting) of.fail("the values are nested too deeply");
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --of.depth_; }
    YamlParser& of;
  };

  bool at_item() const { return peek() == '-' && is_blank_at(at_ + 1); }
  bool at_long_key() const { return peek() == '?' && is_blank_at(at_ + 1); }
  bool at_colon() const { return peek() == ':' && is_blank_at(at_ + 1); }

  /// A value in block style, at the place of its first character. Those of a map or sequence have the
  /// same column, which is larger than `outer`.
  void block(int outer) {
    const Deeper deeper(*this);
    if (at_item()) {
      items(column());
    } else if (at_long_key()) {
      entries(column(), add(YamlNode::Kind::map));
    } else {
      const int begin = column();
      const int begin_line = line_;
      const std::uint32_t node = inline_value();
      skip_same_line();
      if (line_ == begin_line && at_colon()) {
        wrap(node, YamlNode::Kind::map);
        value_of_key(begin, false);
        entries(begin, node);
      } else if (begin <= outer) {
        fail("expected a value with more blanks before it");
      }
    }
  }
  void skip_same_line() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  void items(int begin) {
    const std::uint32_t node = add(YamlNode::Kind::sequence);
    while (!at_end() && column() == begin && at_item()) {
      ++at_;
      nested(begin, true);
      close(node);
      skip_empty();
    }
    check_end_of_block(begin);
  }

  /// The entries of a map from here on. `node`: the map, perhaps with its first entry.
  void entries(int begin, std::uint32_t node) {
    for (;;) {
      close(node);
      skip_empty();
      if (at_end() || column() != begin || at_item()) break;
      const bool is_long = at_long_key();
      if (is_long) {
        ++at_;
        nested(begin, true);
        skip_empty();
        if (column() != begin || !at_colon()) fail("expected \":\" and the value of the key above");
      } else {
        const int key_line = line_;
        inline_value();
        skip_same_line();
        if (line_ != key_line || !at_colon()) fail("expected \":\" behind a key");
      }
      value_of_key(begin, is_long);
    }
    check_end_of_block(begin);
  }
  /// `compact`: whether a block may begin behind the colon, as for a key behind a question mark.
  void value_of_key(int begin, bool compact) {
    ++at_;  // the colon
    nested(begin, compact);
  }
  void check_end_of_block(int begin) const {
    if (!at_end() && column() > begin) {
      fail(fmt::format("{} has more blanks before it than the values above", quote(word())));
    }
  }

  /// What stands behind "- ", "? " or ":". `compact`: whether a block may begin on the same line.
  void nested(int outer, bool compact) {
    const int begin_line = line_;
    skip_blanks();
    if (!at_line_end()) {
      if (compact) {
        block(outer);
      } else {
        inline_value();
        skip_blanks();
        if (!at_line_end()) fail(fmt::format("{} stands behind a value", quote(word())));
      }
      return;
    }
    skip_empty();
    // A sequence may begin below the key that it belongs to.
    const bool is_within =
        !at_end() && (column() > outer || (!compact && column() == outer && at_item()));
    if (is_within && line_ != begin_line) {
      block(outer);
    } else {
      add(YamlNode::Kind::scalar);  // nothing
    }
  }

  /// A scalar, or a value in flow style. Returns its node.
  std::uint32_t inline_value() {
    if (peek() == '[' || peek() == '{') return flow();
    return scalar(false);
  }

  std::uint32_t flow() {
    const Deeper deeper(*this);
    const bool is_map = peek() == '{';
    const char last = is_map ? '}' : ']';
    const std::uint32_t node = add(is_map ? YamlNode::Kind::map : YamlNode::Kind::sequence);
    ++at_;
    for (;;) {
      skip_empty();
      if (at_end()) fail(fmt::format("the file ends without \"{}\"", last));
      if (peek() == last) break;
      flow_value();
      skip_empty();
      if (is_map) {
        if (peek() == ':') {
          ++at_;
          skip_empty();
          if (peek() == ',' || peek() == last) {
            add(YamlNode::Kind::scalar);
          } else {
            flow_value();
          }
        } else {
          fail("expected \":\" behind a key");
        }
        skip_empty();
      }
      if (peek() == ',') {
        ++at_;
      } else if (peek() != last) {
        fail(at_end() ? fmt::format("the file ends without \"{}\"", last)
                      : fmt::format("expected \",\" or \"{}\"", last));
      }
    }
    ++at_;
    close(node);
    return node;
  }
  void flow_value() {
    if (peek() == '[' || peek() == '{') {
      flow();
    } else {
      scalar(true);
    }
  }

  std::uint32_t scalar(bool in_flow) {
    constexpr std::string_view unknown = "&*!|>%@`";
    const char first = peek();
    if (unknown.find(first) != std::string_view::npos && first != '\0') {
      fail(fmt::format("{} begins with \"{}\", which has a meaning in YAML that is not known here",
                       quote(word()), first));
    }
    const std::uint32_t node = add(YamlNode::Kind::scalar);
    if (first == '"' || first == '\'') {
      quoted(node, first);
      return node;
    }
    const std::size_t begin = at_;
    constexpr std::string_view flow_marks = ",[]{}";
    const auto is_mark = [&](char c) { return flow_marks.find(c) != std::string_view::npos; };
    while (!at_line_end()) {
      const char c = peek();
      if (in_flow && is_mark(c)) break;
      if (c == ':' && (is_blank_at(at_ + 1) || (in_flow && is_mark(peek(1))))) break;
      if (c == '#' && at_ > begin && is_blank_at(at_ - 1)) break;
      ++at_;
    }
    std::size_t end = at_;
    while (end > begin && is_blank_at(end - 1)) --end;
    if (end == begin) fail("expected a value");
    nodes_[node].size = static_cast<std::uint32_t>(end - begin);
    return node;
  }

  void quoted(std::uint32_t node, char quote_mark) {
    ++at_;
    const std::size_t begin = at_;
    while (!at_line_end() && peek() != quote_mark) {
      if (quote_mark == '"' && peek() == '\\') fail("escapes in quotes are not known here");
      ++at_;
    }
    if (peek() != quote_mark) fail(fmt::format("the line ends without {}", quote_mark));
    nodes_[node].begin = static_cast<std::uint32_t>(begin);
    nodes_[node].size = static_cast<std::uint32_t>(at_ - begin);
    ++at_;
  }

  std::string_view text_, name_;
  std::vector<YamlNode>& nodes_;
  std::size_t at_ = 0, line_begin_ = 0;
  int line_ = 1, depth_ = 0;
};

}  // namespace

YamlTree::YamlTree(std::string_view text, std::string_view name) : text_(text), name_(name) {
  YamlParser(text, name, nodes_).parse();
}

std::vector<std::uint32_t> YamlTree::children(std::uint32_t node) const {
  std::vector<std::uint32_t> children;
  for (std::uint32_t k = node + 1; k < nodes_[node].end; k = nodes_[k].end) children.push_back(k);
  return children;
}

void YamlTree::fail(std::uint32_t node, const std::string& message) const {
  throw YamlError(fmt::format("{}, line {}, column {}: {}", name_, nodes_[node].line,
                              nodes_[node].column, message));
}

}  // namespace sterna::md
