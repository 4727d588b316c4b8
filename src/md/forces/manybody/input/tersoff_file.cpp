#include "md/forces/manybody/input/tersoff_file.hpp"

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

constexpr std::size_t words_of_entry = 17;

/// The parameters in the order of the file.
constexpr double TersoffParameters::*columns[] = {
    &TersoffParameters::m,       &TersoffParameters::gamma, &TersoffParameters::lambda3,
    &TersoffParameters::c,       &TersoffParameters::d,     &TersoffParameters::cos_theta0,
    &TersoffParameters::n,       &TersoffParameters::beta,  &TersoffParameters::lambda2,
    &TersoffParameters::B,       &TersoffParameters::R,     &TersoffParameters::D,
    &TersoffParameters::lambda1, &TersoffParameters::A};
constexpr std::string_view column_names[] = {"m",         "gamma", "lambda3", "c",       "d",
                                             "costheta0", "n",     "beta",    "lambda2", "B",
                                             "R",         "D",     "lambda1", "A"};
static_assert(std::size(columns) + 3 == words_of_entry);

struct TersoffWord {
  std::string text;
  int line, column;
};

std::vector<TersoffWord> words_with_places(std::string_view text) {
  std::vector<TersoffWord> words;
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

TersoffFile::TersoffFile(std::string_view text, std::string_view name) : name_(name) {
  const auto fail = [&](const TersoffWord& word, const std::string& message) {
    throw TersoffFileError(
        fmt::format("{}, line {}, column {}: {}", name_, word.line, word.column, message));
  };
  const std::string_view first_line = text.substr(0, text.find('\n'));
  if (first_line.find("UNITS: real") != std::string_view::npos) energy_in_eV_ = real_energy();

  const std::vector<TersoffWord> words = words_with_places(text);
  if (words.empty()) throw TersoffFileError(fmt::format("{}: there are no parameters", name_));
  for (std::size_t at = 0; at < words.size(); at += words_of_entry) {
    if (words.size() - at < words_of_entry) {
      fail(words[at],
           fmt::format("this entry has {} of {} words: three elements, then {}", words.size() - at,
                       words_of_entry, comm::joined(column_names, ", ")));
    }
    Entry entry;
    for (std::size_t k = 0; k < 3; ++k) entry.elements[k] = words[at + k].text;
    for (std::size_t k = 0; k < std::size(columns); ++k) {
      const TersoffWord& word = words[at + 3 + k];
      if (!parse_number(word.text, entry.parameters.*columns[k])) {
        fail(word, fmt::format("{} of {} is {}; expected a number", column_names[k],
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

const TersoffFile::Entry* TersoffFile::find(const std::string& a, const std::string& b,
                                            const std::string& c) const {
  const auto found = std::ranges::find(entries_, std::array{a, b, c}, &Entry::elements);
  return found == entries_.end() ? nullptr : &*found;
}

TersoffPotential TersoffFile::potential(std::span<const std::string> elements, double angstrom,
                                        double eV) const {
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
    throw TersoffFileError(message);
  }
  std::vector<TersoffParameters> triples;
  for (const std::string& a : elements) {
    for (const std::string& b : elements) {
      for (const std::string& c : elements) {
        const Entry* const entry = find(a, b, c);
        if (entry == nullptr) {
          throw TersoffFileError(
              fmt::format("{} has no entry for {} {} {}: a bond of {} and {} with a third atom {}",
                          name_, a, b, c, a, b, c));
        }
        triples.push_back(entry->parameters.scaled(angstrom, eV * energy_in_eV_));
      }
    }
  }
  try {
    return {std::move(triples), static_cast<int>(elements.size())};
  } catch (const std::invalid_argument& error) {
    throw TersoffFileError(fmt::format("{}: {}", name_, error.what()));
  }
}

}  // namespace sterna::md
