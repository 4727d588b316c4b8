#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/diagnostics.hpp"

namespace sterna::md {

/// An open regular file, shared by its readers. A gzip-compressed file is read unpacked.
class FileHandle {
 public:
  /// Opens a file. Throws StartFileError, at `place` if it is given: no such file (with the nearest
  /// name in its folder), a folder, no permission, or an empty file.
  FileHandle(const std::string& path, const Diagnostic* place);
  ~FileHandle();
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;

  const std::string& path() const { return path_; }
  /// The size in bytes when the file was opened, unpacked.
  std::uint64_t size() const { return size_; }
  /// Whether the file was compressed.
  bool was_packed() const { return was_packed_; }
  /// Reads up to `size` bytes; returns their number, which is 0 at the end. Throws StartFileError.
  std::size_t read(char* to, std::size_t size, std::uint64_t offset) const;

 private:
  void unpack(const Diagnostic* place);

  std::string path_;
  int descriptor_;
  std::uint64_t size_;
  bool was_packed_ = false;
};

/// Reads the lines of a text file through a buffer of fixed size. Lines end with LF or CR LF, the
/// last one also with the file; a UTF-8 byte order mark is skipped.
class LineReader {
 public:
  /// Bytes; longer lines are an error.
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  explicit LineReader(std::shared_ptr<const FileHandle> file);

  /// Moves to the next line; false at the end of the file, where the current line is an empty one
  /// behind the last.
  bool next();
  /// The current line without its end; valid until `next` or `go_to`.
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }
  const std::string& path() const { return file_->path(); }

  /// A place to return to, after which `next` reads the current line again.
  struct Mark {
    std::uint64_t offset;
    std::int64_t number;
  };
  Mark mark() const { return {line_offset_, number_ - 1}; }
  void go_to(const Mark& mark);
  /// The byte in the file at which the next line begins.
  std::uint64_t next_offset() const { return end_offset_ - (end_ - begin_); }
  const FileHandle& file() const { return *file_; }

  /// Throws StartFileError about a part of the current line; `part` must point into it.
  [[noreturn]] void fail(std::string_view part, std::string message) const;
  /// Throws StartFileError about the whole line.
  [[noreturn]] void fail(std::string message) const;
  Diagnostic diagnostic(std::string_view part, std::string message,
                        Severity severity = Severity::error) const;

 private:
  bool fill();

  std::shared_ptr<const FileHandle> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;          ///< begin of the unread part, in the buffer
  std::size_t end_ = 0;            ///< end of the buffer's content
  std::uint64_t end_offset_ = 0;   ///< position of `end_` in the file
  std::uint64_t line_offset_ = 0;  ///< of the current line, in the file
  std::int64_t number_ = 0;
  std::string_view line_;
};

}  // namespace sterna::md
