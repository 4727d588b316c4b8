#include "md/forces/manybody/input/snap_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

struct SnapWord {
  std::string_view text;
  int line, column;
};

/// The words of a file, without comments.
class SnapReader {
 public:
  SnapReader(std::string_view text, std::string_view name) : name_(name) {
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = text.find('\n');
      std::string_view here = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (here.ends_with('\r')) here.remove_suffix(1);
      const char* const begin = here.data();
      const std::size_t comment = here.find('#');
      if (comment != std::string_view::npos) check_units(here.substr(comment), line, begin);
      Fields fields(here.substr(0, comment));
      for (auto word = fields.next(); !word.empty(); word = fields.next()) {
        words_.push_back({word, line, 1 + static_cast<int>(word.data() - begin)});
      }
    }
  }

  [[noreturn]] void fail(const SnapWord& word, const std::string& message) const {
    throw SnapFileError(
        fmt::format("{}, line {}, column {}: {}", name_, word.line, word.column, message));
  }
  bool at_end() const { return at_ == words_.size(); }
  const SnapWord& last() const { return words_[at_ - 1]; }
  const SnapWord& next(const std::string& what) {
    if (at_end()) throw SnapFileError(fmt::format("{}: the file ends without {}", name_, what));
    return words_[at_++];
  }
  double number(const std::string& what) {
    const SnapWord& word = next(what);
    double value = 0.0;
    if (!parse_number(word.text, value) || !std::isfinite(value)) {
      fail(word, fmt::format("{} is {}; expected a number", what, quote(word.text)));
    }
    return value;
  }
  std::int64_t integer(const std::string& what, std::int64_t least, std::int64_t most) {
    const SnapWord& word = next(what);
    std::int64_t value = 0;
    if (!parse_integer(word.text, value) || value < least || value > most) {
      fail(word, fmt::format("{} is {}; expected a whole number from {} to {}", what,
                             quote(word.text), least, most));
    }
    return value;
  }
  /// The number of words behind the last one on its line.
  std::size_t left_on_line() const {
    std::size_t count = 0;
    while (at_ + count < words_.size() && words_[at_ + count].line == last().line) ++count;
    return count;
  }

 private:
  void check_units(std::string_view comment, int line, const char* begin) const {
    const std::size_t at = comment.find("UNITS:");
    if (at == std::string_view::npos) return;
    Fields fields(comment.substr(at + 6));
    const std::string_view units = fields.next();
    if (units == "metal") return;
    fail({units, line, static_cast<int>(units.data() - begin) + 1},
         fmt::format("the units are {}; expected metal (angstrom and eV)", quote(units)));
  }

  std::string_view name_;
  std::vector<SnapWord> words_;
  std::size_t at_ = 0;
};

std::vector<SnapElement> read_snap_coefficients(SnapReader& reader) {
  const auto elements = reader.integer("the number of elements", 1, 1000);
  const auto count = reader.integer("the number of coefficients of an element", 1, 100'000'000);
  std::vector<SnapElement> result;
  for (std::int64_t n = 0; n < elements; ++n) {
    SnapElement& element = result.emplace_back();
    const SnapWord& name = reader.next(fmt::format("element {} of {}", n + 1, elements));
    double value = 0.0;
    if (parse_number(name.text, value)) {
      reader.fail(name,
                  fmt::format("{} stands where an element is expected, behind {} coefficients",
                              quote(name.text), count));
    }
    for (std::size_t k = 0; k + 1 < result.size(); ++k) {
      if (result[k].name == name.text)
        reader.fail(name, fmt::format("{} is there twice", quote(name.text)));
    }
    element.name = name.text;
    element.radius = reader.number("the radius of " + element.name);
    element.weight = reader.number("the weight of " + element.name);
    for (std::int64_t k = 0; k < count; ++k) {
      element.coefficients.push_back(
          reader.number(fmt::format("coefficient {} of {} of {}", k + 1, count, element.name)));
    }
  }
  if (!reader.at_end()) {
    const SnapWord& word = reader.next("");
    reader.fail(word, fmt::format("{} stands behind the last coefficient; expected the end of the "
                                  "file: line 1 says {} elements of {} coefficients",
                                  quote(word.text), elements, count));
  }
  return result;
}

struct SnapNumber {
  std::string_view name;
  double SnapForm::*value;
};
constexpr SnapNumber snap_numbers[] = {{"rcutfac", &SnapForm::cutoff_factor},
                                       {"rfac0", &SnapForm::rfac0},
                                       {"rmin0", &SnapForm::rmin0}};
struct SnapFlag {
  std::string_view name;
  bool SnapForm::*value;
};
constexpr SnapFlag snap_flags[] = {
    {"switchflag", &SnapForm::switched},         {"bzeroflag", &SnapForm::subtract_lone},
    {"quadraticflag", &SnapForm::quadratic},     {"chemflag", &SnapForm::chemical},
    {"bnormflag", &SnapForm::normalized},        {"wselfallflag", &SnapForm::self_of_all},
    {"switchinnerflag", &SnapForm::inner_switch}};
/// These say how LAMMPS shares the work on a GPU, not what is computed.
constexpr std::string_view ignored_in_snap_files[] = {"chunksize", "parallelthresh"};

SnapForm read_snap_parameters(SnapReader& reader, std::string_view name,
                              std::vector<SnapElement>& elements) {
  SnapForm form;
  std::vector<std::string_view> seen;
  const auto has = [&](std::string_view key) { return std::ranges::find(seen, key) != seen.end(); };
  while (!reader.at_end()) {
    const SnapWord key = reader.next("");
    if (has(key.text)) reader.fail(key, fmt::format("{} is there twice", quote(key.text)));
    seen.push_back(key.text);
    const bool of_elements = key.text == "sinner" || key.text == "dinner";
    const std::size_t expected = of_elements ? elements.size() : 1;
    const std::size_t values = reader.left_on_line();
    const std::string what(key.text);
    const auto number = std::ranges::find(snap_numbers, key.text, &SnapNumber::name);
    const auto flag = std::ranges::find(snap_flags, key.text, &SnapFlag::name);
    const bool known =
        number != std::end(snap_numbers) || flag != std::end(snap_flags) || of_elements ||
        key.text == "twojmax" || key.text == "diagonalstyle" ||
        std::ranges::find(ignored_in_snap_files, key.text) != std::end(ignored_in_snap_files);
    if (!known) {
      std::vector<std::string_view> all{"twojmax", "sinner", "dinner", "diagonalstyle"};
      for (const SnapNumber& one : snap_numbers) all.push_back(one.name);
      for (const SnapFlag& one : snap_flags) all.push_back(one.name);
      std::string message = fmt::format("there is no parameter {}", quote(key.text));
      if (const auto near = comm::nearest_name(key.text, all)) {
        message += fmt::format("; did you mean {}?", quote(*near));
      } else {
        message += fmt::format("; there are {}", comm::joined(all, ", "));
      }
      reader.fail(key, message);
    }
    if (values != expected) {
      reader.fail(key,
                  fmt::format("{} has {} values; expected {}", quote(key.text), values, expected));
    }
    if (number != std::end(snap_numbers)) {
      form.*number->value = reader.number(what);
    } else if (flag != std::end(snap_flags)) {
      form.*flag->value = reader.integer(what, 0, 1) == 1;
    } else if (key.text == "twojmax") {
      form.twice_j = static_cast<int>(reader.integer(what, 0, SnapPotential::largest_twice_j));
    } else if (of_elements) {
      for (SnapElement& element : elements) {
        (key.text == "sinner" ? element.inner_middle : element.inner_half_width) =
            reader.number(what + " of " + element.name);
      }
    } else if (key.text == "diagonalstyle") {
      reader.integer(what + " (other components than the distinct ones are not known)", 3, 3);
    } else {
      reader.number(what);
    }
  }
  for (const std::string_view key : {"rcutfac", "twojmax"}) {
    if (!has(key)) throw SnapFileError(fmt::format("{}: the file lacks {}", name, key));
  }
  for (const std::string_view key : {"sinner", "dinner"}) {
    if (form.inner_switch == has(key)) continue;
    throw SnapFileError(fmt::format(
        "{}: {} {}", name, key,
        form.inner_switch ? "is required with switchinnerflag = 1" : "needs switchinnerflag = 1"));
  }
  return form;
}

}  // namespace

SnapTables read_snap_files(std::string_view coefficients, std::string_view coefficient_name,
                           std::string_view parameters, std::string_view parameter_name) {
  SnapReader of_coefficients(coefficients, coefficient_name);
  SnapReader of_parameters(parameters, parameter_name);
  SnapTables tables;
  tables.elements = read_snap_coefficients(of_coefficients);
  tables.form = read_snap_parameters(of_parameters, parameter_name, tables.elements);
  return tables;
}

}  // namespace sterna::md
