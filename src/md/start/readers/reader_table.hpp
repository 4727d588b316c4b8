#pragma once

#include <memory>
#include <string_view>

#include "md/input/line_reader.hpp"
#include "md/input/start_reader_row.hpp"
#include "md/start/readers/start_file_reader.hpp"

namespace sterna::md {

/// The rows, each defined in the reader's own file.
namespace start_reader {
#define STERNA_START_READER(name) StartReaderRow name();
#include "md/start/readers/reader_list.inc"
#undef STERNA_START_READER
}  // namespace start_reader

/// All of them, in the order of the reference page.
const Registry<StartReaderRow>& reader_table();

/// The format that the content of a file identifies; empty if it identifies none.
std::string_view recognized_format(const std::shared_ptr<const FileHandle>& file);

/// The usual function to open a file: `Reader` has a constructor with file and options.
template <class Reader>
std::unique_ptr<StartFileReader> open_reader(std::shared_ptr<const FileHandle> file,
                                             const StartFileOptions& options) {
  return made_from<Reader, StartFileReader>(std::move(file), options);
}

}  // namespace sterna::md
