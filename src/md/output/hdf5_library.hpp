#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sterna::md {

/// The HDF5 C library, loaded at run time. Building needs neither its headers nor the library, and
/// `pip install h5py` is enough to have it at run time. Only the functions that the program calls
/// are declared here, with HDF5's binary interface since 1.10: handles are 64-bit, status values
/// are int. The library is searched in this order:
///   1. the file that the environment variable STERNA_HDF5 names;
///   2. the library in the h5py package of a Python environment: the one in which this
///      program is installed, as PREFIX/bin, or was built, or the active one (VIRTUAL_ENV,
///      CONDA_PREFIX). Other folders are not searched, because others may write there;
///   3. the system's library: libhdf5_serial.so.103, libhdf5.so and its versioned names.
namespace hdf5 {

using Handle = std::int64_t;
using Status = int;
using Size = std::uint64_t;

inline constexpr Size unlimited = ~Size{0};
inline constexpr std::size_t variable_length = ~std::size_t{0};
inline constexpr Size undefined_address = ~Size{0};

/// One entry of the error stack, innermost first.
struct ErrorEntry {
  Handle class_id, major, minor;
  unsigned line;
  const char* function;
  const char* file;
  const char* description;
};
using ErrorVisitor = Status(unsigned index, const ErrorEntry* entry, void* data);

/// Called before an external link is followed; a negative status prevents it.
using ExternalLinkVisitor = Status(const char* file, const char* group, const char* linked_file,
                                   const char* linked_object, unsigned* access, Handle properties,
                                   void* data);

/// What the library says of a group (H5G_info_t).
struct GroupInfo {
  int storage = 0;
  Size links = 0;
  std::int64_t highest_order = 0;
  bool mounted = false;
};

// clang-format off
#define STERNA_HDF5_FUNCTIONS(FUNCTION)                                                            \
  FUNCTION(H5open, Status())                                                                       \
  FUNCTION(H5dont_atexit, Status())                                                                \
  FUNCTION(H5get_libversion, Status(unsigned*, unsigned*, unsigned*))                              \
  FUNCTION(H5Eset_auto2, Status(Handle, void*, void*))                                             \
  FUNCTION(H5Ewalk2, Status(Handle, int, ErrorVisitor*, void*))                                    \
  FUNCTION(H5Eclear2, Status(Handle))                                                              \
  FUNCTION(H5Fcreate, Handle(const char*, unsigned, Handle, Handle))                               \
  FUNCTION(H5Fopen, Handle(const char*, unsigned, Handle))                                         \
  FUNCTION(H5Fclose, Status(Handle))                                                               \
  FUNCTION(H5Gcreate2, Handle(Handle, const char*, Handle, Handle, Handle))                        \
  FUNCTION(H5Gclose, Status(Handle))                                                               \
  FUNCTION(H5Gget_info_by_name, Status(Handle, const char*, GroupInfo*, Handle))                   \
  FUNCTION(H5Oopen, Handle(Handle, const char*, Handle))                                           \
  FUNCTION(H5Oclose, Status(Handle))                                                               \
  FUNCTION(H5Lexists, int(Handle, const char*, Handle))                                            \
  FUNCTION(H5Lget_name_by_idx,                                                                     \
           std::ptrdiff_t(Handle, const char*, int, int, Size, char*, std::size_t, Handle))        \
  FUNCTION(H5Lcreate_hard, Status(Handle, const char*, Handle, const char*, Handle, Handle))       \
  FUNCTION(H5Acreate2, Handle(Handle, const char*, Handle, Handle, Handle, Handle))                \
  FUNCTION(H5Awrite, Status(Handle, Handle, const void*))                                          \
  FUNCTION(H5Aclose, Status(Handle))                                                               \
  FUNCTION(H5Aexists_by_name, int(Handle, const char*, const char*, Handle))                       \
  FUNCTION(H5Rcreate, Status(void*, Handle, const char*, int, Handle))                             \
  FUNCTION(H5Dcreate2, Handle(Handle, const char*, Handle, Handle, Handle, Handle, Handle))        \
  FUNCTION(H5Dopen2, Handle(Handle, const char*, Handle))                                          \
  FUNCTION(H5Dget_space, Handle(Handle))                                                           \
  FUNCTION(H5Dget_type, Handle(Handle))                                                            \
  FUNCTION(H5Dget_create_plist, Handle(Handle))                                                    \
  FUNCTION(H5Dset_extent, Status(Handle, const Size*))                                             \
  FUNCTION(H5Dget_chunk_info_by_coord, Status(Handle, const Size*, unsigned*, Size*, Size*))       \
  FUNCTION(H5Dwrite, Status(Handle, Handle, Handle, Handle, Handle, const void*))                  \
  FUNCTION(H5Dread, Status(Handle, Handle, Handle, Handle, Handle, void*))                         \
  FUNCTION(H5Dclose, Status(Handle))                                                               \
  FUNCTION(H5Screate, Handle(int))                                                                 \
  FUNCTION(H5Screate_simple, Handle(int, const Size*, const Size*))                                \
  FUNCTION(H5Sget_simple_extent_ndims, int(Handle))                                                \
  FUNCTION(H5Sget_simple_extent_dims, int(Handle, Size*, Size*))                                   \
  FUNCTION(H5Sselect_hyperslab,                                                                    \
           Status(Handle, int, const Size*, const Size*, const Size*, const Size*))                \
  FUNCTION(H5Sclose, Status(Handle))                                                               \
  FUNCTION(H5Tcopy, Handle(Handle))                                                                \
  FUNCTION(H5Tset_size, Status(Handle, std::size_t))                                               \
  FUNCTION(H5Tset_cset, Status(Handle, int))                                                       \
  FUNCTION(H5Tequal, int(Handle, Handle))                                                          \
  FUNCTION(H5Tenum_create, Handle(Handle))                                                         \
  FUNCTION(H5Tenum_insert, Status(Handle, const char*, const void*))                               \
  FUNCTION(H5Tget_super, Handle(Handle))                                                           \
  FUNCTION(H5Tget_class, int(Handle))                                                              \
  FUNCTION(H5Tget_nmembers, int(Handle))                                                           \
  FUNCTION(H5Tget_member_name, char*(Handle, unsigned))                                            \
  FUNCTION(H5Tget_member_value, Status(Handle, unsigned, void*))                                   \
  FUNCTION(H5Tclose, Status(Handle))                                                               \
  FUNCTION(H5Pcreate, Handle(Handle))                                                              \
  FUNCTION(H5Pset_chunk, Status(Handle, int, const Size*))                                         \
  FUNCTION(H5Pget_chunk, int(Handle, int, Size*))                                                  \
  FUNCTION(H5Pset_shuffle, Status(Handle))                                                         \
  FUNCTION(H5Pset_deflate, Status(Handle, unsigned))                                               \
  FUNCTION(H5Pget_nfilters, int(Handle))                                                           \
  FUNCTION(H5Pget_layout, int(Handle))                                                             \
  FUNCTION(H5Pget_external_count, int(Handle))                                                     \
  FUNCTION(H5Pset_elink_cb, Status(Handle, ExternalLinkVisitor*, void*))                           \
  FUNCTION(H5Pset_alloc_time, Status(Handle, int))                                                 \
  FUNCTION(H5Pset_fill_time, Status(Handle, int))                                                  \
  FUNCTION(H5Pset_obj_track_times, Status(Handle, bool))                                           \
  FUNCTION(H5Pset_alignment, Status(Handle, Size, Size))                                           \
  FUNCTION(H5Zfilter_avail, int(int))                                                              \
  FUNCTION(H5free_memory, Status(void*))                                                           \
  FUNCTION(H5Pclose, Status(Handle))

// Global handles of the library, which H5open sets.
#define STERNA_HDF5_CONSTANTS(CONSTANT)   \
  CONSTANT(H5T_C_S1_g)                    \
  CONSTANT(H5T_IEEE_F32LE_g)              \
  CONSTANT(H5T_IEEE_F64LE_g)              \
  CONSTANT(H5T_STD_I32LE_g)               \
  CONSTANT(H5T_STD_I64LE_g)               \
  CONSTANT(H5T_STD_REF_OBJ_g)             \
  CONSTANT(H5T_NATIVE_DOUBLE_g)           \
  CONSTANT(H5T_NATIVE_INT_g)              \
  CONSTANT(H5T_NATIVE_LLONG_g)            \
  CONSTANT(H5P_CLS_FILE_ACCESS_ID_g)      \
  CONSTANT(H5P_CLS_FILE_CREATE_ID_g)      \
  CONSTANT(H5P_CLS_GROUP_CREATE_ID_g)     \
  CONSTANT(H5P_CLS_DATASET_CREATE_ID_g)   \
  CONSTANT(H5P_CLS_DATASET_ACCESS_ID_g)
// clang-format on

/// The functions and constants, named as in the HDF5 reference manual.
struct Library {
#define STERNA_HDF5_MEMBER(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
  STERNA_HDF5_FUNCTIONS(STERNA_HDF5_MEMBER)
#undef STERNA_HDF5_MEMBER
#define STERNA_HDF5_MEMBER(name) Handle name = -1;
  STERNA_HDF5_CONSTANTS(STERNA_HDF5_MEMBER)
#undef STERNA_HDF5_MEMBER
  /// Available since 1.10.7; null in older versions.
  Status (*H5Pset_file_locking)(Handle, bool, bool) = nullptr;

  std::string path;     ///< the file from which it was loaded
  std::string version;  ///< "1.10.8"
};

/// Loads the library at the first call. If there is none, throws FileError with all files tried and
/// how to get it; later calls try again. Not thread-safe.
const Library& library();

/// Callbacks before and after this program uses the library, needed if other code in the process
/// uses the same one: h5py does, and the library is not thread-safe. Null if there is no such code.
struct Turns {
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
};
void set_turns(const Turns& turns);

/// Exclusive use of the library within the process while this object lives. Several objects of one
/// thread count as one use. Throws FileError like `library`.
class InUse {
 public:
  InUse() : library_(library()) {}
  const Library* operator->() const { return &library_; }

 private:
  struct Turn {
    Turn();
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
  };
  Turn turn_;
  const Library& library_;
};

/// The files that `library` tries, in this order.
std::vector<std::string> library_candidates();

}  // namespace hdf5
}  // namespace sterna::md
