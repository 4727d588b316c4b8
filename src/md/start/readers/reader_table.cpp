#include "md/start/readers/reader_table.hpp"

#include <iterator>
#include <string>
#include <vector>

namespace sterna::md {
namespace {

constexpr const StartReaderRow* rows[] = {
#define STERNA_START_READER(name) &start_reader::name,
#include "md/start/readers/reader_list.inc"
#undef STERNA_START_READER
};

}  // namespace

std::span<const StartFormat> start_formats() {
  static const std::vector<StartFormat> formats = [] {
    std::vector<StartFormat> all;
    for (const StartReaderRow* row : rows) all.push_back(row->format());
    return all;
  }();
  return formats;
}

std::vector<std::string_view> start_format_choices() {
  std::vector<std::string_view> names{"auto"};
  for (const StartFormat& format : start_formats()) names.push_back(format.name);
  return names;
}

const StartReaderRow* start_reader_of(std::string_view format) {
  for (std::size_t n = 0; n < std::size(rows); ++n) {
    if (start_formats()[n].name == format) return rows[n];
  }
  return nullptr;
}

std::string_view recognized_format(const std::shared_ptr<const FileHandle>& file) {
  LineReader reader(file);
  reader.next();
  const std::string first(reader.line());
  bool more = reader.next();
  const std::string_view second = more ? reader.line() : std::string_view();
  for (std::size_t n = 0; n < std::size(rows); ++n) {
    const auto recognizes = rows[n]->recognizes;
    if (recognizes != nullptr && recognizes(first, second)) return start_formats()[n].name;
  }
  for (int line = 0; more && line < 100; ++line, more = reader.next()) {
    for (std::size_t n = 0; n < std::size(rows); ++n) {
      const auto recognizes = rows[n]->recognizes_later;
      if (recognizes != nullptr && recognizes(reader.line())) return start_formats()[n].name;
    }
  }
  return {};
}

}  // namespace sterna::md
