#include "md/start/readers/reader_table.hpp"

#include <string>

namespace sterna::md {

const Registry<StartReaderRow>& reader_table() {
  static const Registry<StartReaderRow> table("format", {
#define STERNA_START_READER(name) start_reader::name(),
#include "md/start/readers/reader_list.inc"
#undef STERNA_START_READER
                                                        });
  return table;
}

std::string_view recognized_format(const std::shared_ptr<const FileHandle>& file) {
  LineReader reader(file);
  reader.next();
  const std::string first(reader.line());
  bool more = reader.next();
  const std::string_view second = more ? reader.line() : std::string_view();
  for (const StartReaderRow& row : reader_table()) {
    if (row.recognizes != nullptr && row.recognizes(first, second)) return row.name;
  }
  for (int line = 0; more && line < 100; ++line, more = reader.next()) {
    for (const StartReaderRow& row : reader_table()) {
      if (row.recognizes_later != nullptr && row.recognizes_later(reader.line())) return row.name;
    }
  }
  return {};
}

}  // namespace sterna::md
