#include "md/start/foreign/modylas/words.hpp"

#include <algorithm>

#include "md/input/fields.hpp"

namespace sterna::md::modylas {
namespace {

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == ';' || c == ',' || c == '\x7f';
}

}  // namespace

std::string_view next_word(std::string_view line, std::size_t& at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  const std::size_t begin = at;
  if (at == line.size() || line[at] == '#') {
    at = line.size();
    return {};
  }
  if (line[at] == '<') {
    const std::size_t end = line.find_first_of("<>#", at + 1);
    at = end == std::string_view::npos || line[end] != '>' ? std::min(end, line.size()) : end + 1;
    return line.substr(begin, at - begin);
  }
  if (line[at] == '=') {
    ++at;
    return line.substr(begin, 1);
  }
  constexpr std::string_view others = "<=#";
  while (at < line.size() && !is_blank(line[at]) && others.find(line[at]) == others.npos) ++at;
  return line.substr(begin, at - begin);
}

bool is_tag(std::string_view word) {
  return word.starts_with('<');
}

std::string tag_name(std::string_view tag) {
  std::string name;
  if (!tag.ends_with('>')) return name;
  bool blank = false;
  for (const char c : tag.substr(1, tag.size() - 2)) {
    if (is_blank(c)) {
      blank = true;
      continue;
    }
    if (blank && !name.empty() && name != "/") name += ' ';
    blank = false;
    name += c;
  }
  return name;
}

bool parse_fortran_number(std::string_view word, double& value) {
  if (parse_number(word, value)) return true;
  const std::size_t exponent = word.find_first_of("dD");
  if (exponent == std::string_view::npos) return false;
  std::string text(word);
  text[exponent] = 'e';
  return parse_number(text, value);
}

}  // namespace sterna::md::modylas
