#include "md/forces/manybody/input/triple_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/core/units.hpp"
#include "md/input/fields.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

struct Word {
  std::string text;
  int line, column;
};

std::vector<Word> words_with_places(std::string_view text) {
  std::vector<Word> words;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    std::string_view here = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (here.ends_with('\r')) here.remove_suffix(1);
    const char* const begin = here.data();
    Fields fields(here.substr(0, here.find('#')));
    for (auto word = fields.next(); !word.empty(); word = fields.next()) {
      words.push_back({std::string(word), line, 1 + static_cast<int>(word.data() - begin)});
    }
  }
  return words;
}

/// The value of 1 kcal/mol in eV.
double real_energy() {
  const UnitSystem real = *UnitSystem::by_name("real"), metal = *UnitSystem::by_name("metal");
  return metal.from_internal(real.to_internal(1.0, Dimension::energy), Dimension::energy);
}

}  // namespace

TripleFile::TripleFile(std::string_view text, std::string_view name,
                       std::span<const std::string_view> columns)
    : name_(name) {
  const auto fail = [&](const Word& word, const std::string& message) {
    throw TripleFileError(
        fmt::format("{}, line {}, column {}: {}", name_, word.line, word.column, message));
  };
  const std::string_view first_line = text.substr(0, text.find('\n'));
  if (first_line.find("UNITS: real") != std::string_view::npos) energy_in_eV_ = real_energy();

  const std::size_t words_of_entry = 3 + columns.size();
  const std::vector<Word> words = words_with_places(text);
  if (words.empty()) throw TripleFileError(fmt::format("{}: there are no parameters", name_));
  for (std::size_t at = 0; at < words.size(); at += words_of_entry) {
    if (words.size() - at < words_of_entry) {
      fail(words[at], fmt::format("this entry has {} of {} words: three elements, then {}",
                                  words.size() - at, words_of_entry, comm::joined(columns, ", ")));
    }
    Entry entry;
    for (std::size_t k = 0; k < 3; ++k) entry.elements[k] = words[at + k].text;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Word& word = words[at + 3 + k];
      if (!parse_number(word.text, entry.numbers.emplace_back())) {
        fail(word, fmt::format("{} of {} is {}; expected a number", columns[k],
                               comm::joined(entry.elements, " "), quote(word.text)));
      }
    }
    if (find(entry.elements[0], entry.elements[1], entry.elements[2]) != nullptr) {
      fail(words[at],
           fmt::format("there is already an entry for {}", comm::joined(entry.elements, " ")));
    }
    entries_.push_back(std::move(entry));
  }
}

std::size_t numbers_of_first_entry(std::string_view text) {
  const std::vector<Word> words = words_with_places(text);
  std::size_t end = 3;
  for (double value = 0.0; end < words.size() && parse_number(words[end].text, value);) ++end;
  return end - 3;
}

const TripleFile::Entry* TripleFile::find(const std::string& a, const std::string& b,
                                          const std::string& c) const {
  const auto found = std::ranges::find(entries_, std::array{a, b, c}, &Entry::elements);
  return found == entries_.end() ? nullptr : &*found;
}

void TripleFile::has_elements(std::span<const std::string> elements) const {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) {
    if (std::ranges::find(names, entry.elements[0]) == names.end()) {
      names.emplace_back(entry.elements[0]);
    }
  }
  for (const std::string& element : elements) {
    if (std::ranges::find(names, element) != names.end()) continue;
    std::string message = fmt::format("{} has no entry for {}", name_, quote(element));
    if (const auto near = comm::nearest_name(element, names)) {
      message += fmt::format("; did you mean {}?", quote(*near));
    } else {
      message += fmt::format("; there is {}", comm::joined(names, ", "));
    }
    throw TripleFileError(message);
  }
}

std::vector<std::span<const double>> TripleFile::triples(
    std::span<const std::string> elements) const {
  has_elements(elements);
  std::vector<std::span<const double>> triples;
  for (const std::string& a : elements) {
    for (const std::string& b : elements) {
      for (const std::string& c : elements) {
        const Entry* const entry = find(a, b, c);
        if (entry == nullptr) {
          throw TripleFileError(
              fmt::format("{} has no entry for {} {} {}: a bond of {} and {} with a third atom {}",
                          name_, a, b, c, a, b, c));
        }
        triples.emplace_back(entry->numbers);
      }
    }
  }
  return triples;
}

}  // namespace sterna::md
