#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/output/hdf5_library.hpp"

namespace sterna::md::hdf5 {

/// Types of numbers in a file. They are little-endian, as in the memory of every machine that this
/// program runs on, so data can be written without the library.
enum class Type { float32, float64, int32, int64 };
std::size_t size_of(Type type);

/// One HDF5 file, opened by one process. Objects are named by their path from the root. Every
/// failure is a FileError with the file, the object and the library's own reason. No other file is
/// read: external links, external storage and virtual datasets are refused.
class File {
 public:
  static File create(const std::string& path);
  static File open(const std::string& path);
  static File open_to_read(const std::string& path);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  /// Flushes and closes the file; the destructor does so, too, but cannot report errors.
  void close();

  void make_group(const std::string& name);
  bool exists(const std::string& name) const;
  /// The names of what is in a group, sorted.
  std::vector<std::string> members(const std::string& group) const;
  /// Gives a dataset a second name.
  void link(const std::string& existing, const std::string& name);

  /// The attribute is a variable-length UTF-8 string, so that readers get a text, not bytes.
  void set_attribute(const std::string& object, const std::string& name, const std::string& text);
  void set_attribute(const std::string& object, const std::string& name,
                     std::span<const std::string> texts);
  /// A single value is stored as a scalar.
  void set_attribute(const std::string& object, const std::string& name,
                     std::span<const int> values);
  bool has_attribute(const std::string& object, const std::string& name) const;
  /// The attribute is a reference to another object of the file.
  void set_reference(const std::string& object, const std::string& name, const std::string& to);

  struct DatasetOptions {
    std::vector<Size> extent;
    std::vector<Size> maximum;  ///< `unlimited` if it may grow
    std::vector<Size> chunk;
    /// Chunks are allocated at creation and never filled, because ranks write them at
    /// `chunk_offset` without the library.
    bool written_from_outside = false;
    /// Lossless compression: shuffled bytes, then deflate.
    bool compressed = false;
    /// Names of the values 0, 1, ... of an int32, which is then stored as an enumeration.
    std::vector<std::string> value_names = {};
  };
  void make_dataset(const std::string& name, Type type, const DatasetOptions& options);
  std::vector<Size> extent(const std::string& dataset) const;
  void set_extent(const std::string& dataset, std::span<const Size> extent);
  bool has_type(const std::string& dataset, Type type) const;
  bool is_compressed(const std::string& dataset) const;
  /// The extent of the chunks if the dataset is compressed; otherwise empty.
  std::vector<Size> compressed_chunk(const std::string& dataset) const;
  /// Names of the values 0, 1, ... of an enumeration; empty for plain numbers.
  std::vector<std::string> value_names(const std::string& dataset) const;
  /// The file offset of the chunk whose first element has these indices.
  Size chunk_offset(const std::string& dataset, std::span<const Size> first) const;

  void write(const std::string& dataset, std::span<const Size> first, std::span<const Size> count,
             const double* values);
  void write(const std::string& dataset, std::span<const Size> first, std::span<const Size> count,
             const std::int64_t* values);
  void write(const std::string& dataset, std::span<const Size> first, std::span<const Size> count,
             Type type, const std::byte* values);
  /// Reads the block of extent `count` at `first`, in C order.
  std::vector<double> read(const std::string& dataset, std::span<const Size> first,
                           std::span<const Size> count) const;
  std::vector<std::int64_t> read_integers(const std::string& dataset, std::span<const Size> first,
                                          std::span<const Size> count) const;
  /// Reads a whole one-dimensional dataset.
  std::vector<std::int64_t> read_integers(const std::string& dataset) const;

 private:
  File(std::string path, Handle handle);
  [[noreturn]] void fail(const std::string& what) const;
  Handle check(Handle value, std::string_view what, const std::string& object) const;
  static File open(const std::string& path, unsigned access);
  /// The caller must close the handle by H5Dclose. Throws if the data are in other files.
  Handle open_dataset(const std::string& name) const;
  void transfer(const std::string& dataset, std::span<const Size> first,
                std::span<const Size> count, Handle memory_type, const void* values);
  void fetch(const std::string& dataset, std::span<const Size> first, std::span<const Size> count,
             Handle memory_type, void* values) const;
  void attach(const std::string& object, const std::string& name, Handle type, Handle space,
              const void* data);

  std::string path_;
  Handle handle_ = -1;
};

}  // namespace sterna::md::hdf5
