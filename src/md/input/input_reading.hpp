#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/checked_toml.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/read_input.hpp"

namespace sterna::md {

/// The state of reading an input: its text, the values read so far, and the findings. The parts of
/// the reader share it.
struct InputReading {
  /// `name`: the name of the file with this text.
  InputReading(std::string_view text, std::string_view name);

  Input& input() { return result.input; }
  const Input& input() const { return result.input; }

  // ---- places

  Input::Place place_of(const toml::source_region& region) const;
  /// The place of a key or section; if the file lacks it, the place of the enclosing section.
  Input::Place place_named(std::string_view name) const;
  /// Stores the source line of a place, or a part of a very long line. Consecutive places in a line
  /// share it.
  void keep_source(Input::Place& place, std::string_view line) const;

  // ---- findings

  void report(Severity severity, const Input::Place& place, std::string message);
  void error(const toml::source_region& region, std::string message);
  /// Whether the limit of findings is reached, so that further ones are only counted.
  bool is_full() const;

  /// A table of a section, and its index among all tables of the section.
  struct Instance {
    const SectionSchema* section;
    std::string place;
    std::size_t index;
  };

  std::string_view text;
  std::vector<std::string_view> lines;
  ReadResult result;
  std::size_t findings = 0;  ///< including those that are not shown
  bool more_errors = false;
  bool units_unknown = false;
  bool density_of_mass = false;                ///< the density in [start] is a mass density
  std::set<std::string, std::less<>> bad;      ///< places whose value could not be read
  std::set<std::string, std::less<>> excused;  ///< missing, but another error explains it
  std::set<std::string_view> present;          ///< sections that the file has
  std::vector<Instance> instances;

 private:
  /// Whether every character of a line is one byte; the result for the last line is cached.
  bool is_ascii(std::string_view line) const;
  SharedText shared(std::string_view source) const;
  mutable std::string_view last_long_line_;
  mutable bool last_is_ascii_ = false;
  mutable std::string_view last_source_;
  mutable SharedText last_shared_;  ///< shared copy of `last_source_`
};

/// A value of a TOML document in the words of a message.
std::string found(const toml::node& node);

}  // namespace sterna::md
