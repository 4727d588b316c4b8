#pragma once

#include <memory>
#include <string_view>

#include "md/input/line_reader.hpp"
#include "md/input/start_format.hpp"
#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md {

/// A reader of start files: what the input knows of its format, how a file is recognized, and the
/// way to open it.
struct StartReaderRow {
  StartFormat (*format)() = nullptr;
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

/// The rows, each defined in the reader's own file.
namespace start_reader {
#define STERNA_START_READER(name) extern const StartReaderRow name;
#include "md/start/readers/reader_list.inc"
#undef STERNA_START_READER
}  // namespace start_reader

/// The reader of this format; null where none has the name.
const StartReaderRow* start_reader_of(std::string_view format);

/// The format that the content of a file tells; empty where none does.
std::string_view recognized_format(const std::shared_ptr<const FileHandle>& file);

/// The usual way to open a file: `Reader` has a constructor that takes file and options.
template <class Reader>
std::unique_ptr<StartFileReader> open_reader(std::shared_ptr<const FileHandle> file,
                                             const StartFileOptions& options) {
  return std::make_unique<Reader>(std::move(file), options);
}

}  // namespace sterna::md
