#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The properties of a format of start files that the input needs, declared beside its reader.
struct StartFormat {
  std::string_view name;      ///< value of `format` in [start]
  std::string_view sentence;  ///< for the reference page
  /// A description for the error about a file of unknown format: "LAMMPS data (a header line such
  /// as ...)".
  std::string_view looks_like;
  std::vector<std::string_view> aliases = {};  ///< names in other programs; only suggested
  /// Keys of [start] for this format only, without `section` and `condition`. How a file is read is
  /// no property of the system, so a resumed run may change their values.
  std::vector<KeySchema> keys = {};
};

/// All formats, in the order of the reference page. Defined in start/readers/reader_table.cpp,
/// which knows the readers.
std::span<const StartFormat> start_formats();

/// "auto" and the names of all formats.
std::vector<std::string_view> start_format_choices();

}  // namespace sterna::md
