#pragma once

#include <memory>
#include <string_view>

#include "md/input/line_reader.hpp"
#include "md/input/start_format.hpp"
#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md {

/// A reader of start files: its name and keys in the input, how a file of the format is recognized,
/// and the function that opens it.
struct StartReaderRow {
  StartFormat (*format)() = nullptr;
  /// Whether a file with these first two lines is of the format; the second may be missing. Null if
  /// they cannot decide it.
  bool (*recognizes)(std::string_view first, std::string_view second) = nullptr;
  /// Whether this line, one of the hundred after the first, identifies the format. Called if no
  /// `recognizes` of any format returns true.
  bool (*recognizes_later)(std::string_view line) = nullptr;
  /// Reads the file's header and stops before the first particle. Throws StartFileError.
  std::unique_ptr<StartFileReader> (*open)(std::shared_ptr<const FileHandle> file,
                                           const StartFileOptions& options) = nullptr;
};

/// The rows; each is defined in the file of its reader.
namespace start_reader {
#define STERNA_START_READER(name) extern const StartReaderRow name;
#include "md/start/readers/reader_list.inc"
#undef STERNA_START_READER
}  // namespace start_reader

/// The reader of this format; null if there is none.
const StartReaderRow* start_reader_of(std::string_view format);

/// The format that the content of a file identifies; empty if it identifies none.
std::string_view recognized_format(const std::shared_ptr<const FileHandle>& file);

/// The usual function to open a file: `Reader` has a constructor with file and options.
template <class Reader>
std::unique_ptr<StartFileReader> open_reader(std::shared_ptr<const FileHandle> file,
                                             const StartFileOptions& options) {
  return std::make_unique<Reader>(std::move(file), options);
}

}  // namespace sterna::md
