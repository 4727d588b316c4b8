#pragma once

#include <algorithm>
#include <cstdint>

#include "md/input/fields.hpp"
#include "md/input/line_reader.hpp"

namespace sterna::md {

/// Divides the rest of a text file, with a line for each particle, into pieces of about the same
/// size. A line belongs to the piece in which it begins.
class LinePieces {
  /// Even a small file is divided into so many pieces, unless they get smaller than this.
  static constexpr std::uint64_t usual_count = 64, usual_least_bytes = 16384;

 public:
  LinePieces() = default;
  /// Divides the lines after the current line of `reader`; a piece has at most about `most_bytes`.
  /// A compressed file has no pieces, because each process would have to unpack all of it.
  LinePieces(const LineReader& reader, std::uint64_t most_bytes)
      : begin_(reader.next_offset()),
        end_(reader.file().was_packed() ? begin_ : reader.file().size()),
        bytes_(std::min(std::max((end_ - begin_) / usual_count, usual_least_bytes),
                        std::max<std::uint64_t>(most_bytes, 1))) {}

  std::int64_t count() const {
    return static_cast<std::int64_t>((end_ - begin_ + bytes_ - 1) / bytes_);
  }

  /// Calls visit() for each line of the piece, which is then the reader's current line. Blank lines
  /// are allowed at the end of the file; if others follow them, StartFileError is thrown.
  template <class Visit>
  void for_each_line(LineReader& reader, std::int64_t piece, const Visit& visit) const {
    const std::uint64_t from = begin_ + static_cast<std::uint64_t>(piece) * bytes_;
    const std::uint64_t to = std::min(from + bytes_, end_);
    // Moves to the end of the line that began before this piece.
    reader.go_to({from - 1, 0});
    reader.next();
    while (reader.next_offset() < to && reader.next()) {
      if (!is_blank_line(reader.line())) {
        visit();
        continue;
      }
      while (reader.next()) {
        if (!is_blank_line(reader.line())) reader.fail("there is a blank line before");
      }
      return;
    }
  }

 private:
  std::uint64_t begin_ = 0, end_ = 0, bytes_ = 1;
};

}  // namespace sterna::md
