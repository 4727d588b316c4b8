#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "md/input/input_reading.hpp"
#include "md/input/value_reader.hpp"

namespace sterna::md {

/// Reads the sections of a document and the values of their keys.
class SectionReader {
 public:
  explicit SectionReader(InputReading& reading) : reading_(reading), values_(reading) {}

  void read_document(const toml::table& document);
  /// Reads a table of a section at `place`. `index`: its index among all tables of the section.
  void read_section(const SectionSchema& section, const toml::table& table, std::string_view place,
                    std::size_t index, const toml::source_region& key_source);

 private:
  void read_top_level(const toml::key& key, const toml::node& node);
  void read_tables(const SectionSchema& section, const toml::key& key, const toml::node& node,
                   std::string_view outer_place, std::size_t outer);
  std::size_t make_tables(const SectionSchema& section, std::size_t count, std::size_t outer);
  void wrong_shape(const SectionSchema& section, const toml::key& key, const toml::node& node);
  void unknown_section(const toml::key& key, const toml::node& node);
  void unknown_top_level_key(const toml::key& key);
  void unknown_key(const SectionSchema& section, std::string_view place, const toml::key& key,
                   const toml::table& table);
  void remember(std::string place, const toml::source_region& key_source, const toml::node& node);

  InputReading& reading_;
  ValueReader values_;
  std::map<std::string_view, std::size_t> made_;  // number of tables made, by inner section
};

}  // namespace sterna::md
