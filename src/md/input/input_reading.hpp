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

/// An input while it is read: its text, what was read so far and what is wrong with it. The parts of
/// the reader share it.
struct InputReading {
  /// A text that stands in a file called `name`.
  InputReading(std::string_view text, std::string_view name);

  Input& input() { return result.input; }
  const Input& input() const { return result.input; }

  // ---- places

  Input::Place place_of(const toml::source_region& region) const;
  /// That of a key or section; where the file does not give it, of the section around it.
  Input::Place place_named(std::string_view name) const;
  /// Keeps the line that a place is in, or a part of a very long one. Places that follow each other
  /// in a line share it.
  void keep_source(Input::Place& place, std::string_view line) const;

  // ---- findings

  void report(Severity severity, const Input::Place& place, std::string message);
  void error(const toml::source_region& region, std::string message);
  /// Whether further findings are only counted.
  bool is_full() const;

  /// One table of a section, and its number among all of them.
  struct Instance {
    const SectionSchema* section;
    std::string place;
    std::size_t index;
  };

  std::string_view text;
  std::vector<std::string_view> lines;
  ReadResult result;
  std::size_t findings = 0;  ///< those not shown too
  bool more_errors = false;
  bool units_unknown = false;
  bool density_of_mass = false;                ///< that of [start]: in place of a number density
  std::set<std::string, std::less<>> bad;      ///< places whose value could not be read
  std::set<std::string, std::less<>> excused;  ///< missing, but another error has told the reason
  std::set<std::string_view> present;          ///< sections
  std::vector<Instance> instances;

 private:
  /// Whether each character of a line is one byte; the answer for the last one is kept.
  bool is_ascii(std::string_view line) const;
  SharedText shared(std::string_view source) const;
  mutable std::string_view last_long_line_;
  mutable bool last_is_ascii_ = false;
  mutable std::string_view last_source_;
  mutable SharedText last_shared_;  ///< of it
};

/// A value of a TOML document as a message names it.
std::string found(const toml::node& node);

}  // namespace sterna::md
