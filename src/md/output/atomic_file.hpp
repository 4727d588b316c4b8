#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sterna::md {

/// An open file for reading and writing at offsets, from several ranks at once. Every failure is a
/// FileError that names the file. Only regular files are opened, so that no pipe is waited for. A file
/// that is written is never reached through a symbolic link, so that no other file is emptied.
class RawFile {
 public:
  enum class Mode {
    read,
    write,   ///< an existing file, its content kept
    create,  ///< emptied where it exists
  };
  RawFile() = default;
  RawFile(std::string path, Mode mode);
  ~RawFile();
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  std::uint64_t size() const;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Fills all of `bytes`, or fails: "... ends at byte ...".
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  void resize(std::uint64_t size);
  /// Reserves disk space for bytes [offset, offset + size) without changing the file's length, so
  /// that a later write of them cannot run out of space. Fails where the space is missing; does
  /// nothing on file systems that cannot reserve space.
  void reserve(std::uint64_t offset, std::uint64_t size);
  /// Returns when the data are on the disk.
  void sync();
  /// Reports what the file system kept back so far; the destructor cannot.
  void close();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// FileError where the path names anything but a regular file, a symbolic link included. No failure
/// where there is nothing.
void require_own_file(const std::string& path);

/// Whether the folder has this name: that of a symbolic link, too, whatever it points to.
bool file_exists(const std::string& path);
/// No failure where there is no such file.
void remove_file(const std::string& path);
void rename_file(const std::string& from, const std::string& to);
/// Makes renames in the directory that holds `path` survive a power failure.
void sync_directory_of(const std::string& path);

/// Puts the finished file `path`.new in the place of `path`, whose old content stays as
/// `path`.previous. At every moment at least one of the three names holds a complete file.
void replace_keeping_previous(const std::string& path);

}  // namespace sterna::md
