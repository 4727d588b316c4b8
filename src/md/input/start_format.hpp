#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/input/input_schema.hpp"

namespace sterna::md {

/// What the input knows of a format of start files, declared beside its reader.
struct StartFormat {
  std::string_view name;      ///< format = "..." in [start]
  std::string_view sentence;  ///< for the reference page
  /// For the error about a file of no known format: "LAMMPS data (a header line such as ...)".
  std::string_view looks_like;
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  /// Of [start], with this format only; without `section` and `condition`. How a file is read is no
  /// property of the system: a resumed run may have other values.
  std::vector<KeySchema> keys = {};
};

/// All formats, in the order of the reference page. Defined where the readers are known, in
/// start/readers/reader_table.cpp.
std::span<const StartFormat> start_formats();

/// "auto" and the names of all.
std::vector<std::string_view> start_format_choices();

}  // namespace sterna::md
