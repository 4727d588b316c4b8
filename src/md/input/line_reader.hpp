#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/diagnostics.hpp"

namespace sterna::md {

/// An open regular file, shared by the places where it is read. One that gzip compressed is read as
/// what was packed.
class FileHandle {
 public:
  /// Throws StartFileError, at `place` where it is given: no such file (and the nearest name in
  /// its folder), a folder, no permission, empty.
  FileHandle(const std::string& path, const Diagnostic* place);
  ~FileHandle();
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;

  const std::string& path() const { return path_; }
  /// In bytes, when it was opened; unpacked.
  std::uint64_t size() const { return size_; }
  /// Whether it was compressed.
  bool was_packed() const { return was_packed_; }
  /// As many bytes as there are, up to `size`; 0 at the end. Throws StartFileError.
  std::size_t read(char* to, std::size_t size, std::uint64_t offset) const;

 private:
  void unpack(const Diagnostic* place);

  std::string path_;
  int descriptor_;
  std::uint64_t size_;
  bool was_packed_ = false;
};

/// The lines of a text file one after the other, through a buffer of fixed size. Lines end with LF
/// or CR LF, the last one with the file; a UTF-8 byte order mark is skipped.
class LineReader {
 public:
  /// Longer lines are refused.
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  explicit LineReader(std::shared_ptr<const FileHandle> file);

  /// Moves to the next line; false at the end of the file, where the line is then an empty one
  /// behind the last.
  bool next();
  /// Without its end; valid until `next`, `go_to`.
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }
  const std::string& path() const { return file_->path(); }

  /// A place to come back to: `next` will read the current line again.
  struct Mark {
    std::uint64_t offset;
    std::int64_t number;
  };
  Mark mark() const { return {line_offset_, number_ - 1}; }
  void go_to(const Mark& mark);
  /// Where the next line begins in the file, and how long that is, in bytes.
  std::uint64_t next_offset() const { return end_offset_ - (end_ - begin_); }
  const FileHandle& file() const { return *file_; }

  /// Throws StartFileError about a part of the current line, which `part` points into.
  [[noreturn]] void fail(std::string_view part, std::string message) const;
  /// The same about the whole line.
  [[noreturn]] void fail(std::string message) const;
  Diagnostic diagnostic(std::string_view part, std::string message,
                        Severity severity = Severity::error) const;

 private:
  bool fill();

  std::shared_ptr<const FileHandle> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;          ///< of what was not yet given, in the buffer
  std::size_t end_ = 0;            ///< of what the buffer holds
  std::uint64_t end_offset_ = 0;   ///< of `end_` in the file
  std::uint64_t line_offset_ = 0;  ///< of the current line in the file
  std::int64_t number_ = 0;
  std::string_view line_;
};

}  // namespace sterna::md
