#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sterna::md {

/// An open file for reading and writing at offsets, from several ranks at once. Every failure is a
/// FileError that names the file. Only regular files are opened, because opening a pipe would wait.
/// A file is never written through a symbolic link, because the link could lead to another file,
/// which would be overwritten.
class RawFile {
 public:
  enum class Mode {
    read,
    write,   ///< an existing file, with its content kept
    create,  ///< a new file, or an existing one that is emptied
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
  /// Fills all of `bytes`, or throws "... ends at byte ...".
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  void resize(std::uint64_t size);
  /// Reserves disk space for bytes [offset, offset + size) without changing the file's length, so
  /// that writing them later cannot run out of space. Throws if the space is missing; does nothing
  /// if the file system cannot reserve space.
  void reserve(std::uint64_t offset, std::uint64_t size);
  /// Returns when the data are on the disk.
  void sync();
  /// Closes the file and reports delayed write errors, which the destructor cannot do.
  void close();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Throws FileError if the path names anything but a regular file; a symbolic link is an error,
/// too. A path that does not exist is no error.
void require_own_file(const std::string& path);

/// Whether the directory has an entry of this name, which may be a symbolic link to anything.
bool file_exists(const std::string& path);
/// A missing file is no error.
void remove_file(const std::string& path);
void rename_file(const std::string& from, const std::string& to);
/// Makes renames in the directory that holds `path` survive a power failure.
void sync_directory_of(const std::string& path);

/// Renames the finished file `path`.new to `path`; the old file stays as `path`.previous. At every
/// moment at least one of the three names holds a complete file.
void replace_keeping_previous(const std::string& path);

}  // namespace sterna::md
