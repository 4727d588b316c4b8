#include "md/forces/manybody/input/embedded_atom_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"

namespace sterna::md {
namespace {

struct PlacedWord {
  std::string_view text;
  int line, column;
};

/// With fewer points no interval has a cubic with both slopes, each of which needs four points.
constexpr std::int64_t fewest_points = 6;
constexpr std::int64_t most_points = 10'000'000;

class EmbeddedAtomReader {
 public:
  EmbeddedAtomReader(std::string_view text, std::string_view name) : name_(name) {
    int line = 1;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view here = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (here.ends_with('\r')) here.remove_suffix(1);
      lines_.push_back(here);
      const char* const begin = here.data();
      Fields fields(here);
      for (auto word = fields.next(); !word.empty(); word = fields.next()) {
        words_.push_back({word, line, 1 + static_cast<int>(word.data() - begin)});
      }
      ++line;
    }
  }

  EmbeddedAtomTables read() {
    if (lines_.size() < 6) fail_at_end("a file of the embedded-atom method has more lines");
    check_units();
    const auto is_count = [&](std::size_t line) {
      Fields fields(lines_[line]);
      std::int64_t count = 0;
      return parse_integer(fields.next(), count) && count > 0;
    };
    // In funcfl the third line has five numbers. In the other formats it is a comment, and the
    // fourth line has the number of elements and their names.
    Fields third(lines_[2]);
    double value = 0.0;
    int numbers = 0;
    for (auto word = third.next(); parse(word, value); word = third.next()) ++numbers;
    if (numbers == 5 && third.next().empty() && !has_names(3)) return funcfl();
    if (!is_count(3)) {
      fail({lines_[3], 4, 1},
           "expected the number of elements and their names (setfl, Finnis-Sinclair), or five "
           "numbers in line 3 (funcfl)");
    }
    return setfl();
  }

 private:
  [[noreturn]] void fail(const PlacedWord& word, const std::string& message) const {
    throw EmbeddedAtomFileError(
        fmt::format("{}, line {}, column {}: {}", name_, word.line, word.column, message));
  }
  [[noreturn]] void fail_at_end(const std::string& message) const {
    throw EmbeddedAtomFileError(
        fmt::format("{}, line {}: the file ends here, and {}", name_, lines_.size(), message));
  }

  void check_units() const {
    const std::size_t at = lines_[0].find("UNITS:");
    if (at == std::string_view::npos) return;
    Fields fields(lines_[0].substr(at + 6));
    const std::string_view units = fields.next();
    if (units == "metal") return;
    fail({units, 1, static_cast<int>(units.data() - lines_[0].data()) + 1},
         fmt::format("the units are {}; expected metal (angstrom and eV)", quote(units)));
  }

  /// Whether this line has a number and then as many names.
  bool has_names(std::size_t line) const {
    Fields fields(lines_[line]);
    std::int64_t count = 0;
    double value = 0.0;
    if (!parse_integer(fields.next(), count) || count < 1 || count > 1000) return false;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::string_view name = fields.next();
      if (name.empty() || parse(name, value)) return false;
    }
    return fields.next().empty();
  }

  /// Parses a number, which may have Fortran's exponents.
  static bool parse(std::string_view word, double& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    if (parse_number(word, value)) return std::isfinite(value);
    std::string text(word);
    std::ranges::replace(text, 'D', 'E');
    std::ranges::replace(text, 'd', 'e');
    return !word.empty() && parse_number(text, value) && std::isfinite(value);
  }

  const PlacedWord& next(std::string_view what) {
    if (at_ == words_.size()) fail_at_end(fmt::format("lacks {}", what));
    return words_[at_++];
  }
  double number(std::string_view what) {
    const PlacedWord& word = next(what);
    double value = 0.0;
    if (!parse(word.text, value)) {
      fail(word, fmt::format("{} is {}; expected a number", what, quote(word.text)));
    }
    return value;
  }
  double positive(std::string_view what) {
    const double value = number(what);
    if (!(value > 0.0)) {
      fail(words_[at_ - 1], fmt::format("{} is {}; expected more than 0", what, value));
    }
    return value;
  }
  std::size_t points(std::string_view what) {
    const PlacedWord& word = next(what);
    std::int64_t count = 0;
    if (!parse_integer(word.text, count) || count < fewest_points || count > most_points) {
      fail(word, fmt::format("{} is {}; expected a whole number of at least {}", what,
                             quote(word.text), fewest_points));
    }
    return static_cast<std::size_t>(count);
  }
  std::vector<double> list(std::size_t count, const std::string& what) {
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) {
      if (at_ < words_.size() && parse(words_[at_].text, values[k])) {
        ++at_;
      } else {
        number(fmt::format("value {} of {} of {}", k + 1, count, what));
      }
    }
    return values;
  }
  void go_to_line(int line) {
    at_ = static_cast<std::size_t>(std::ranges::lower_bound(words_, line, {}, &PlacedWord::line) -
                                   words_.begin());
  }
  void expect_end() {
    if (at_ < words_.size()) {
      fail(words_[at_], fmt::format("{} stands behind the last list; expected the end of the file",
                                    quote(words_[at_].text)));
    }
  }

  void head() {
    density_points_ = points("Nrho");
    tables_.density_spacing = positive("drho");
    distance_points_ = points("Nr");
    tables_.distance_spacing = positive("dr");
    tables_.cutoff = positive("the cutoff");
  }

  /// Reads the line "Z mass a structure" of an element.
  void element_line(std::string_view element) {
    for (const std::string_view what : {"atomic number", "mass", "lattice constant"}) {
      number(fmt::format("the {} of {}", what, element));
    }
    next(fmt::format("the lattice of {}", element));
  }

  EmbeddedAtomTables setfl() {
    go_to_line(4);
    std::int64_t count = 0;
    parse_integer(next("the number of elements").text, count);
    if (count > 1000) fail(words_[at_ - 1], "expected at most 1000 elements");
    const auto elements = static_cast<std::size_t>(count);
    for (std::size_t k = 0; k < elements; ++k) {
      const PlacedWord& word = next("the name of an element");
      if (word.line != 4) fail(word, fmt::format("line 4 names {} of {} elements", k, elements));
      if (std::ranges::find(tables_.elements, word.text) != tables_.elements.end()) {
        fail(word, fmt::format("{} is named twice", quote(word.text)));
      }
      tables_.elements.emplace_back(word.text);
    }
    if (at_ < words_.size() && words_[at_].line == 4) {
      fail(words_[at_], fmt::format("line 4 names more than {} elements", elements));
    }
    head();
    // The number of remaining values tells which functions the file has.
    const std::size_t left = words_.size() - at_;
    const std::size_t pairs = elements * (elements + 1) / 2;
    const auto with = [&](std::size_t densities, std::size_t more) {
      return elements * (4 + density_points_ + densities * distance_points_) +
             (pairs + more) * distance_points_;
    };
    const bool angular = left == with(1, 2 * pairs);
    const bool finnis_sinclair = !angular && elements > 1 && left >= with(elements, 0);
    const std::size_t densities = finnis_sinclair ? elements : 1;
    tables_.density.resize(elements * elements);
    for (std::size_t b = 0; b < elements; ++b) {
      const std::string& name = tables_.elements[b];
      element_line(name);
      tables_.embedding.push_back(list(density_points_, "F of " + name));
      for (std::size_t k = 0; k < densities; ++k) {
        std::vector<double> density = list(distance_points_, "the density of " + name);
        for (std::size_t a = 0; a < elements; ++a) {
          if (!finnis_sinclair || a == k) tables_.density[a * elements + b] = density;
        }
      }
    }
    tables_.pair = lists_of_pairs("r phi");
    if (angular) {
      tables_.dipole = lists_of_pairs("u");
      tables_.quadrupole = lists_of_pairs("w");
    }
    expect_end();
    return std::move(tables_);
  }

  /// Reads a function of each pair of elements, which is the same in both orders.
  std::vector<std::vector<double>> lists_of_pairs(std::string_view what) {
    const std::size_t elements = tables_.elements.size();
    std::vector<std::vector<double>> lists(elements * elements);
    for (std::size_t a = 0; a < elements; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        lists[a * elements + b] =
            list(distance_points_,
                 fmt::format("{} of {} and {}", what, tables_.elements[a], tables_.elements[b]));
        lists[b * elements + a] = lists[a * elements + b];
      }
    }
    return lists;
  }

  EmbeddedAtomTables funcfl() {
    go_to_line(2);
    element_line("the element");
    go_to_line(3);
    head();
    const std::vector<double> embedding = list(density_points_, "F");
    const std::vector<double> charge = list(distance_points_, "the effective charge");
    const std::vector<double> density = list(distance_points_, "the density");
    expect_end();
    tables_.elements = {std::string(any_element)};
    tables_.embedding = {without_last(embedding)};
    tables_.density = {without_last(density)};
    std::vector<double> pair = without_last(charge);
    // The effective charges become a pair energy in eV and angstrom, by the rounded values of
    // Hartree and Bohr radius in the codes that made the files.
    for (double& value : pair) value *= 27.2 * 0.529 * value;
    tables_.pair = {std::move(pair)};
    return std::move(tables_);
  }

  /// The values without the last one. Funcfl was made to combine files on a common grid; for a
  /// single file DYNAMO and LAMMPS use all points but the last.
  static std::vector<double> without_last(const std::vector<double>& values) {
    return {values.begin(), values.end() - 1};
  }

  std::string_view name_;
  std::vector<std::string_view> lines_;
  std::vector<PlacedWord> words_;
  std::size_t at_ = 0;
  std::size_t density_points_ = 0, distance_points_ = 0;
  EmbeddedAtomTables tables_;
};

}  // namespace

EmbeddedAtomTables read_embedded_atom_file(std::string_view text, std::string_view name) {
  return EmbeddedAtomReader(text, name).read();
}

}  // namespace sterna::md
