#include "md/start/foreign/ls1/xml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <pugixml.hpp>

#include "md/core/display_text.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr int deepest = 100;
constexpr std::size_t largest_file = std::size_t{64} << 20;
constexpr std::size_t most_elements = 10'000'000;  // the limit stops includes that repeat without
                                                   // end

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Diagnostic diagnostic_at(const XmlSource& source, std::size_t offset, std::size_t length,
                         Severity severity, std::string message) {
  const std::string_view text = source.text;
  offset = std::min(offset, text.size());
  // A mistake at the end of the file is shown behind the last text.
  if (offset == text.size()) {
    while (offset > 0 && (text[offset - 1] == '\n' || text[offset - 1] == '\r')) --offset;
  }
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto number = 1 + std::ranges::count(text.substr(0, begin), '\n');
  const std::size_t before = std::min(offset - begin, line.size());
  return diagnostic_in_line(source.path, number, line, text.substr(begin + before, length),
                            severity, std::move(message));
}

/// The text with every closing tag renamed to the element that it closes, as ls1 reads it. Nothing
/// if opening and closing tags are not paired.
std::optional<std::string> with_matching_tags(std::string_view text) {
  std::string result;
  std::vector<std::string_view> open;
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t end) {
    result += text.substr(at, end - at);
    at = end;
  };
  const auto copy_behind = [&](std::string_view mark) {
    const std::size_t found = text.find(mark, at);
    copy_to(found == std::string_view::npos ? text.size() : found + mark.size());
  };
  while (at < text.size()) {
    copy_to(std::min(text.find('<', at), text.size()));
    const std::string_view rest = text.substr(at);
    if (rest.empty()) break;
    if (rest.starts_with("<!--")) {
      copy_behind("-->");
    } else if (rest.starts_with("<![CDATA[")) {
      copy_behind("]]>");
    } else if (rest.starts_with("<?")) {
      copy_behind("?>");
    } else if (rest.starts_with("<!")) {
      copy_behind(">");
    } else if (rest.starts_with("</")) {
      if (open.empty()) return std::nullopt;
      result += fmt::format("</{}>", open.back());
      open.pop_back();
      const std::size_t end = text.find('>', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
    } else {
      const std::string_view name = rest.substr(1, rest.find_first_of(" \t\r\n/>", 1) - 1);
      char quoted = 0;
      std::size_t end = at;
      for (; end < text.size() && (quoted != 0 || text[end] != '>'); ++end) {
        const char c = text[end];
        if (quoted != 0 ? c == quoted : c == '"' || c == '\'') quoted = quoted != 0 ? 0 : c;
      }
      if (end == text.size()) return std::nullopt;
      if (text[end - 1] != '/') open.push_back(name);
      copy_to(end + 1);
    }
  }
  if (!open.empty()) return std::nullopt;
  return result;
}

void note(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

class Builder {
 public:
  Builder(const LoadText& load, std::vector<Diagnostic>* warnings)
      : load_(load), warnings_(warnings) {}

  struct File {
    std::shared_ptr<const XmlSource> source;
    pugi::xml_document document;
  };

  XmlElement build(const std::string& path) {
    const auto file = parse(path, nullptr);
    const pugi::xml_node root = file->document.document_element();
    std::vector<XmlElement> elements;
    open_.push_back(path);
    add(*file, root, 0, elements);
    return std::move(elements.front());
  }

 private:
  /// Reads and parses a file. `place`: the include that names the file.
  std::unique_ptr<File> parse(const std::string& path, const XmlElement* place) {
    std::string text;
    try {
      text = load_(path);
    } catch (const std::runtime_error& error) {
      std::string message = fmt::format("the file {} {}", quote_path(path), error.what());
      if (place != nullptr) place->fail(std::move(message));
      Diagnostic diagnostic;
      diagnostic.file = path;
      diagnostic.message = fmt::format("the input file {}", error.what());
      throw XmlError(std::move(diagnostic));
    }
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    auto file = std::make_unique<File>();
    file->source = std::make_shared<const XmlSource>(XmlSource{path, std::move(text)});
    const pugi::xml_parse_result result = load(*file);
    if (!result) {
      Diagnostic diagnostic = diagnostic_at(
          *file->source, static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), 1,
          Severity::error,
          fmt::format("not well-formed XML: {}", lower_case(result.description())));
      std::optional<std::string> repaired;
      if (result.status == pugi::status_end_element_mismatch) {
        repaired = with_matching_tags(file->source->text);
      }
      if (!repaired) throw XmlError(std::move(diagnostic));
      file->source = std::make_shared<const XmlSource>(XmlSource{path, std::move(*repaired)});
      if (!load(*file)) throw XmlError(std::move(diagnostic));
      diagnostic.severity = Severity::warning;
      diagnostic.message += "; ls1 closes the innermost open element here, whatever its name";
      if (warnings_ != nullptr) warnings_->push_back(std::move(diagnostic));
    }
    if (!file->document.document_element()) {
      throw XmlError(diagnostic_at(*file->source, 0, 1, Severity::error,
                                   "not well-formed XML: there is no element"));
    }
    return file;
  }

  bool loads(const std::string& path) const {
    try {
      load_(path);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  static pugi::xml_parse_result load(File& file) {
    const std::string& content = file.source->text;
    return file.document.load_buffer(content.data(), content.size(), pugi::parse_default,
                                     pugi::encoding_utf8);
  }

  static std::string lower_case(std::string text) {
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
      text[0] = static_cast<char>(text[0] + 32);
    return text;
  }

  void add(const File& file, const pugi::xml_node& node, int depth, std::vector<XmlElement>& to) {
    XmlElement element;
    element.name = node.name();
    element.source = file.source;
    element.offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    if (depth > deepest) {
      element.fail(fmt::format("elements are nested more than {} deep", deepest));
    }
    if (++elements_ > most_elements) {
      element.fail(fmt::format("there are more than {} elements", most_elements));
    }
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      element.attributes.emplace_back(attribute.name(), attribute.value());
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        const std::string_view text = trimmed(child.value());
        if (text.empty()) continue;
        if (!element.text.empty()) element.text += ' ';
        element.text += text;
      }
    }
    const bool is_include = element.name == "include" && !element.attribute("query").empty();
    if (is_include) {
      include(element, depth, to);
      return;
    }
    const bool was_optional = optional_;
    optional_ = optional_ || element.name == "output" || element.name == "NEMD";
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) add(file, child, depth + 1, element.children);
    }
    optional_ = was_optional;
    to.push_back(std::move(element));
  }

  void include(const XmlElement& element, int depth, std::vector<XmlElement>& to) {
    if (element.text.empty()) element.fail("<include> names no file");
    const std::string path = element.resolve(element.text);
    if (std::ranges::find(open_, path) != open_.end()) {
      element.fail(fmt::format("{} is included by itself", quote_path(path)));
    }
    if (optional_ && !loads(path)) return;
    const auto file = parse(path, &element);
    const std::string query(element.attribute("query"));
    std::vector<pugi::xml_node> found;
    try {
      for (const pugi::xpath_node& node : file->document.select_nodes(query.c_str())) {
        if (node.node().type() == pugi::node_element) found.push_back(node.node());
      }
    } catch (const pugi::xpath_exception& error) {
      element.fail(fmt::format("the query {} is no XPath: {}", quote(query),
                               lower_case(error.result().description())));
    }
    if (found.empty()) {
      element.fail(
          fmt::format("the query {} finds no element in {}", quote(query), quote_path(path)));
    }
    open_.push_back(path);
    for (const pugi::xml_node& node : found) add(*file, node, depth + 1, to);
    open_.pop_back();
  }

  const LoadText& load_;
  std::vector<Diagnostic>* warnings_;
  bool optional_ = false;          // inside an element that may be missing
  std::vector<std::string> open_;  // files being read, outermost first
  std::size_t elements_ = 0;
};

}  // namespace

const XmlElement* XmlElement::find(std::string_view path) const {
  const std::size_t slash = path.find('/');
  const std::string_view first = path.substr(0, slash);
  note(lookups.children, first);
  const auto child = std::ranges::find(children, first, &XmlElement::name);
  if (child == children.end()) return nullptr;
  child->lookups.is_read = true;
  return slash == std::string_view::npos ? &*child : child->find(path.substr(slash + 1));
}

std::vector<const XmlElement*> XmlElement::all(std::string_view child_name) const {
  note(lookups.children, child_name);
  std::vector<const XmlElement*> found;
  for (const XmlElement& child : children) {
    if (child.name != child_name) continue;
    child.lookups.is_read = true;
    found.push_back(&child);
  }
  return found;
}

void XmlElement::pass_over(std::initializer_list<std::string_view> names) const {
  for (const std::string_view one : names) {
    attribute(one);
    for (const XmlElement* child : all(one)) child->pass_over();
  }
}

std::string_view XmlElement::attribute(std::string_view attribute_name) const {
  note(lookups.attributes, attribute_name);
  for (const auto& [key, value] : attributes) {
    if (key == attribute_name) return value;
  }
  return {};
}

Diagnostic XmlElement::diagnostic(Severity severity, std::string message) const {
  return diagnostic_at(*source, offset, name.size(), severity, std::move(message));
}

void XmlElement::fail(std::string message) const {
  throw XmlError(diagnostic(Severity::error, std::move(message)));
}

std::string XmlElement::resolve(std::string_view file) const {
  const std::filesystem::path named(file);
  if (named.is_absolute()) return named.string();
  return (std::filesystem::path(source->path).parent_path() / named).lexically_normal().string();
}

std::string load_text(const std::string& path) {
  return comm::read_regular_file(path, largest_file);
}

XmlElement read_xml(const std::string& path, const LoadText& load,
                    std::vector<Diagnostic>* warnings) {
  return Builder(load, warnings).build(path);
}

}  // namespace sterna::md::ls1
