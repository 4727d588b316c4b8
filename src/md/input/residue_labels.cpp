#include "md/input/residue_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

constexpr std::int64_t largest_residue_number = 1'000'000'000;

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r,";
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(blanks); begin != text.npos;
       begin = text.find_first_not_of(blanks, begin)) {
    const auto end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::optional<std::int64_t> residue_number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < -largest_residue_number || number > largest_residue_number) return std::nullopt;
  return number;
}

void check_count(std::string_view key, std::string_view what, std::int64_t found,
                 std::int64_t expected) {
  if (found == expected) return;
  throw std::invalid_argument(
      fmt::format("\"{}\" in [[molecule]] has {} {}; expected one for each of its {} molecules",
                  key, found, what, expected));
}

}  // namespace

std::vector<Topology::Numbers> residue_numbers_of(const Input::Molecule& molecule) {
  std::vector<Topology::Numbers> all;
  std::int64_t found = 0;
  for (const std::string_view word : words_of(molecule.residue_numbers)) {
    const auto colon = word.find(':');
    std::string_view code;
    if (colon == word.npos && is_insertion_code(word.substr(word.size() - 1))) {
      code = word.substr(word.size() - 1);
    }
    const auto first = residue_number_in(
        colon == word.npos ? word.substr(0, word.size() - code.size()) : word.substr(0, colon));
    const auto last = colon == word.npos ? first : residue_number_in(word.substr(colon + 1));
    if (!first || !last || *last < *first) {
      throw std::invalid_argument(
          fmt::format("\"residue_numbers\" in [[molecule]] has {}; expected whole numbers and "
                      "ranges such as \"21:520 601\"",
                      quote(std::string(word))));
    }
    all.push_back({*first, *last - *first + 1, code.empty() ? char{0} : code[0]});
    found += all.back().count;
  }
  if (!all.empty()) check_count("residue_numbers", "numbers", found, molecule.count);
  return all;
}

std::vector<InsertionCode> insertion_codes_of(const Input::Molecule& molecule) {
  std::vector<InsertionCode> all;
  std::int64_t before = 0;
  for (const Topology::Numbers& numbers : residue_numbers_of(molecule)) {
    if (numbers.insertion_code != 0) all.push_back({before, numbers.insertion_code});
    before += numbers.count;
  }
  return all;
}

bool is_insertion_code(std::string_view text) {
  return text.size() == 1 &&
         ((text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z'));
}

std::vector<ChainOfMolecules> chains_of(const Input::Molecule& molecule) {
  const std::vector<std::string_view> words = words_of(molecule.chains);
  if (words.size() == 1 && words[0].find(':') == std::string_view::npos) {
    return {{std::string(words[0]), molecule.count}};
  }
  std::vector<ChainOfMolecules> all;
  std::int64_t found = 0;
  for (const std::string_view word : words) {
    const auto colon = word.find(':');
    const auto count =
        colon == word.npos ? std::nullopt : residue_number_in(word.substr(colon + 1));
    if (!count || *count < 1 || colon == 0) {
      throw std::invalid_argument(
          fmt::format("\"chains\" in [[molecule]] has {}; expected a name for all molecules, or "
                      "names with numbers of molecules such as \"A:250 B:250\"",
                      quote(std::string(word))));
    }
    all.push_back({std::string(word.substr(0, colon)), *count});
    found += *count;
  }
  if (!all.empty()) check_count("chains", "molecules", found, molecule.count);
  return all;
}

std::optional<std::int64_t> residue_number_of(const Input::MoleculeAtom& atom) {
  if (atom.residue_number == Input::unnumbered) return std::nullopt;
  return atom.residue_number;
}

char insertion_code_of(const Input::MoleculeAtom& atom) {
  return atom.insertion_code.empty() ? char{0} : atom.insertion_code[0];
}

}  // namespace sterna::md
