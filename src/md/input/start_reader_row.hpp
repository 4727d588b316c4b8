#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

class FileHandle;
class StartFileReader;
struct StartFileOptions;

/// A format of start files, declared beside its reader.
struct StartReaderRow {
  std::string_view name;      ///< format = "..." in [start]
  std::string_view sentence;  ///< for the reference page
  /// For the error about a file of no known format: "LAMMPS data (a header line such as ...)".
  std::string_view looks_like;
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  /// The keys of [start] for this format only; without `section` and `condition`. The way in which
  /// a file is read is no property of the system, so a resumed run may have other values.
  std::vector<KeySchema> keys = {};
  /// Whether a file with these first two lines is of the format; the second may be missing. Null
  /// where they do not tell.
  bool (*recognizes)(std::string_view first, std::string_view second) = nullptr;
  /// Whether one of the hundred lines behind the first tells it. Asked where `recognizes` of no
  /// format does.
  bool (*recognizes_later)(std::string_view line) = nullptr;
  /// Reads the file's header and stands before its first particle. Throws StartFileError.
  std::unique_ptr<StartFileReader> (*open)(std::shared_ptr<const FileHandle> file,
                                           const StartFileOptions& options) = nullptr;
};

/// All formats, as the owner of their table handed them in (`owner_tables.hpp`).
const Registry<StartReaderRow>& start_reader_rows();

/// "auto" and the names of all.
std::vector<std::string_view> start_format_choices();

}  // namespace sterna::md
