#include "md/output/hdf5_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/core/file_error.hpp"

namespace sterna::md::hdf5 {
namespace {

constexpr Handle default_properties = 0;
constexpr Handle whole = 0;               // H5S_ALL
constexpr unsigned open_for_reading = 0;  // H5F_ACC_RDONLY
constexpr unsigned open_for_writing = 1;  // H5F_ACC_RDWR
constexpr unsigned create_or_empty = 2;   // H5F_ACC_TRUNC
constexpr int scalar_space = 0;           // H5S_SCALAR
constexpr int select_set = 0;             // H5S_SELECT_SET
constexpr int allocate_early = 1;         // H5D_ALLOC_TIME_EARLY
constexpr int never_fill = 1;             // H5D_FILL_TIME_NEVER
constexpr int utf8 = 1;                   // H5T_CSET_UTF8
constexpr int enumeration_class = 8;      // H5T_ENUM
constexpr int innermost_first = 0;        // H5E_WALK_UPWARD
constexpr int virtual_layout = 3;         // H5D_VIRTUAL
constexpr int deflate_filter = 1;         // H5Z_FILTER_DEFLATE
constexpr unsigned deflate_level = 4;

/// Large chunks are aligned to memory pages, so that ranks on two nodes never write to the same
/// page of a network file system.
constexpr Size memory_page = 4096;
constexpr Size aligned_from = 64 * 1024;

class Owned {
 public:
  Owned(Handle handle, Status (*close)(Handle)) : handle_(handle), close_(close) {}
  ~Owned() {
    if (handle_ >= 0) close_(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator Handle() const { return handle_; }

 private:
  Handle handle_;
  Status (*close_)(Handle);
};

/// The reason why an external link was refused; empty if there was none.
std::string refused_link;

Status refuse_link(const char*, const char*, const char* linked_file, const char* linked_object,
                   unsigned*, Handle, void*) {
  refused_link = fmt::format(
      "it links to {} of another file, {}; links out of a file are not followed, so that nobody's "
      "file can read others",
      linked_object, linked_file);
  return -1;
}

/// Dataset access properties that make the library refuse external links.
Handle links_inside() {
  static const Handle properties = [] {
    const InUse h5;
    const Handle made = h5->H5Pcreate(h5->H5P_CLS_DATASET_ACCESS_ID_g);
    if (made < 0 || h5->H5Pset_elink_cb(made, refuse_link, nullptr) < 0) {
      throw FileError("the HDF5 library " + h5->path + " cannot be kept from following links");
    }
    return made;
  }();
  return properties;
}

std::string last_reason() {
  if (!refused_link.empty()) {
    InUse()->H5Eclear2(0);
    return std::exchange(refused_link, {});
  }
  std::string reason;
  const auto keep_first = [](unsigned, const ErrorEntry* entry, void* data) -> Status {
    std::string& text = *static_cast<std::string*>(data);
    if (text.empty() && entry->description != nullptr) text = entry->description;
    return 0;
  };
  InUse()->H5Ewalk2(0, innermost_first, keep_first, &reason);
  InUse()->H5Eclear2(0);
  return reason.empty() ? "the HDF5 library gave no reason" : reason;
}

Handle file_type(Type type) {
  const InUse h5;
  switch (type) {
    case Type::float32:
      return h5->H5T_IEEE_F32LE_g;
    case Type::float64:
      return h5->H5T_IEEE_F64LE_g;
    case Type::int32:
      return h5->H5T_STD_I32LE_g;
    case Type::int64:
      return h5->H5T_STD_I64LE_g;
  }
  return -1;
}

Handle access_properties() {
  const InUse h5;
  const Handle properties = h5->H5Pcreate(h5->H5P_CLS_FILE_ACCESS_ID_g);
  h5->H5Pset_alignment(properties, aligned_from, memory_page);
  // File locks are off, because a user who opens the file during the run must not stop the run.
  if (h5->H5Pset_file_locking != nullptr) h5->H5Pset_file_locking(properties, false, true);
  return properties;
}

/// Creation properties of files, groups and datasets, without time stamps, so that equal runs give
/// equal files.
Handle creation_properties(Handle kind) {
  const Handle properties = InUse()->H5Pcreate(kind);
  InUse()->H5Pset_obj_track_times(properties, false);
  return properties;
}

std::size_t product(std::span<const Size> count) {
  Size product = 1;
  for (const Size factor : count) product *= factor;
  return product;
}

Handle text_type() {
  const InUse h5;
  const Handle type = h5->H5Tcopy(h5->H5T_C_S1_g);
  h5->H5Tset_size(type, variable_length);
  h5->H5Tset_cset(type, utf8);
  return type;
}

}  // namespace

std::size_t size_of(Type type) {
  return type == Type::float32 || type == Type::int32 ? 4 : 8;
}

File::File(std::string path, Handle handle) : path_(std::move(path)), handle_(handle) {}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)) {}

File::~File() {
  if (handle_ >= 0) InUse()->H5Fclose(handle_);
}

File File::create(const std::string& path) {
  require_own_file(path);
  const InUse h5;
  const Owned creation(creation_properties(h5->H5P_CLS_FILE_CREATE_ID_g), h5->H5Pclose);
  const Owned access(access_properties(), h5->H5Pclose);
  File file(path, h5->H5Fcreate(path.c_str(), create_or_empty, creation, access));
  if (file.handle_ < 0) file.fail("cannot create");
  return file;
}

File File::open(const std::string& path) {
  require_own_file(path);
  return open(path, open_for_writing);
}

File File::open_to_read(const std::string& path) {
  return open(path, open_for_reading);
}

File File::open(const std::string& path, unsigned access) {
  const InUse h5;
  const Owned properties(access_properties(), h5->H5Pclose);
  File file(path, h5->H5Fopen(path.c_str(), access, properties));
  if (file.handle_ < 0) file.fail("cannot open");
  return file;
}

void File::close() {
  const InUse h5;
  if (h5->H5Fclose(std::exchange(handle_, -1)) < 0) fail("cannot write");
}

void File::fail(const std::string& what) const {
  throw FileError(fmt::format("{}: {}: {}", path_, what, last_reason()));
}

Handle File::check(Handle value, std::string_view what, const std::string& object) const {
  if (value < 0) fail(fmt::format("cannot {} {}", what, object));
  return value;
}

void File::make_group(const std::string& name) {
  const InUse h5;
  const Owned properties(creation_properties(h5->H5P_CLS_GROUP_CREATE_ID_g), h5->H5Pclose);
  Owned(check(h5->H5Gcreate2(handle_, name.c_str(), default_properties, properties,
                             default_properties),
              "make the group", name),
        h5->H5Gclose);
}

bool File::exists(const std::string& name) const {
  // H5Lexists checks only the last name of a path and fails if an earlier one is missing, so check
  // each.
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string group = name.substr(0, end);
    if (check(InUse()->H5Lexists(handle_, group.c_str(), links_inside()), "find", group) == 0) {
      return false;
    }
  }
  return check(InUse()->H5Lexists(handle_, name.c_str(), links_inside()), "find", name) > 0;
}

std::vector<std::string> File::members(const std::string& group) const {
  const InUse h5;
  GroupInfo info;
  check(h5->H5Gget_info_by_name(handle_, group.c_str(), &info, links_inside()), "read", group);
  std::vector<std::string> names;
  for (Size number = 0; number < info.links; ++number) {
    constexpr int by_name = 0, ascending = 0;
    const auto name_of = [&](char* place, std::size_t size) {
      const auto length = h5->H5Lget_name_by_idx(handle_, group.c_str(), by_name, ascending, number,
                                                 place, size, links_inside());
      return static_cast<std::size_t>(check(length, "read the names in", group));
    };
    std::string name(name_of(nullptr, 0), '\0');
    name_of(name.data(), name.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

Handle File::open_dataset(const std::string& name) const {
  const InUse h5;
  const Handle data = check(h5->H5Dopen2(handle_, name.c_str(), links_inside()), "open", name);
  const Owned properties(h5->H5Dget_create_plist(data), h5->H5Pclose);
  // Check before asking for the shape, because a virtual dataset takes its shape from other files.
  const bool is_virtual = h5->H5Pget_layout(properties) == virtual_layout;
  if (!is_virtual && h5->H5Pget_external_count(properties) <= 0) return data;
  h5->H5Dclose(data);
  throw FileError(
      fmt::format("{}: the numbers of {} lie in other files ({}), which are not read, so that "
                  "nobody's file can "
                  "read others",
                  path_, name, is_virtual ? "a virtual dataset" : "external storage"));
}

void File::link(const std::string& existing, const std::string& name) {
  check(InUse()->H5Lcreate_hard(handle_, existing.c_str(), handle_, name.c_str(),
                                default_properties, default_properties),
        "link", name);
}

void File::attach(const std::string& object, const std::string& name, Handle type, Handle space,
                  const void* data) {
  const InUse h5;
  const Owned holder(check(h5->H5Oopen(handle_, object.c_str(), links_inside()), "open", object),
                     h5->H5Oclose);
  const std::string label = object + "@" + name;
  const Owned attribute(check(h5->H5Acreate2(holder, name.c_str(), type, space, default_properties,
                                             default_properties),
                              "make", label),
                        h5->H5Aclose);
  check(h5->H5Awrite(attribute, type, data), "write", label);
}

void File::set_attribute(const std::string& object, const std::string& name,
                         const std::string& text) {
  const InUse h5;
  const Owned type(text_type(), h5->H5Tclose);
  const Owned space(h5->H5Screate(scalar_space), h5->H5Sclose);
  const char* pointer = text.c_str();
  attach(object, name, type, space, &pointer);
}

void File::set_attribute(const std::string& object, const std::string& name,
                         std::span<const std::string> texts) {
  const InUse h5;
  const Owned type(text_type(), h5->H5Tclose);
  const Size count = texts.size();
  const Owned space(h5->H5Screate_simple(1, &count, nullptr), h5->H5Sclose);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  attach(object, name, type, space, pointers.data());
}

void File::set_attribute(const std::string& object, const std::string& name,
                         std::span<const int> values) {
  const InUse h5;
  const Size count = values.size();
  const Owned space(
      count == 1 ? h5->H5Screate(scalar_space) : h5->H5Screate_simple(1, &count, nullptr),
      h5->H5Sclose);
  attach(object, name, h5->H5T_NATIVE_INT_g, space, values.data());
}

bool File::has_attribute(const std::string& object, const std::string& name) const {
  return check(InUse()->H5Aexists_by_name(handle_, object.c_str(), name.c_str(), links_inside()),
               "find", object + "@" + name) > 0;
}

void File::set_reference(const std::string& object, const std::string& name,
                         const std::string& to) {
  const InUse h5;
  constexpr int to_object = 0;
  std::uint64_t reference = 0;
  check(h5->H5Rcreate(&reference, handle_, to.c_str(), to_object, -1), "refer to", to);
  const Owned space(h5->H5Screate(scalar_space), h5->H5Sclose);
  attach(object, name, h5->H5T_STD_REF_OBJ_g, space, &reference);
}

void File::make_dataset(const std::string& name, Type type, const DatasetOptions& options) {
  const InUse h5;
  const int rank = static_cast<int>(options.extent.size());
  const Owned space(check(h5->H5Screate_simple(rank, options.extent.data(), options.maximum.data()),
                          "shape", name),
                    h5->H5Sclose);
  const Owned properties(creation_properties(h5->H5P_CLS_DATASET_CREATE_ID_g), h5->H5Pclose);
  check(h5->H5Pset_chunk(properties, rank, options.chunk.data()), "chunk", name);
  if (options.written_from_outside) {
    check(h5->H5Pset_alloc_time(properties, allocate_early), "chunk", name);
    check(h5->H5Pset_fill_time(properties, never_fill), "chunk", name);
  }
  if (options.compressed) {
    if (h5->H5Zfilter_avail(deflate_filter) <= 0) {
      throw FileError(
          fmt::format("{}: the HDF5 library {} cannot compress (it was built without "
                      "deflate); take another one or leave out the compression",
                      path_, h5->path));
    }
    check(h5->H5Pset_shuffle(properties), "compress", name);
    check(h5->H5Pset_deflate(properties, deflate_level), "compress", name);
  }
  const Owned stored(options.value_names.empty() ? h5->H5Tcopy(file_type(type))
                                                 : h5->H5Tenum_create(file_type(type)),
                     h5->H5Tclose);
  for (int value = 0; value < static_cast<int>(options.value_names.size()); ++value) {
    check(h5->H5Tenum_insert(stored, options.value_names[static_cast<std::size_t>(value)].c_str(),
                             &value),
          "name the values of", name);
  }
  Owned(check(h5->H5Dcreate2(handle_, name.c_str(), stored, space, default_properties, properties,
                             default_properties),
              "make the dataset", name),
        h5->H5Dclose);
}

std::vector<Size> File::extent(const std::string& dataset) const {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  const Owned space(check(h5->H5Dget_space(data), "read the shape of", dataset), h5->H5Sclose);
  std::vector<Size> extent(
      static_cast<std::size_t>(check(h5->H5Sget_simple_extent_ndims(space), "shape", dataset)));
  check(h5->H5Sget_simple_extent_dims(space, extent.data(), nullptr), "shape", dataset);
  return extent;
}

void File::set_extent(const std::string& dataset, std::span<const Size> extent) {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  check(h5->H5Dset_extent(data, extent.data()), "change the length of", dataset);
}

bool File::has_type(const std::string& dataset, Type type) const {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  const Owned stored(check(h5->H5Dget_type(data), "read the type of", dataset), h5->H5Tclose);
  if (h5->H5Tget_class(stored) != enumeration_class) {
    return h5->H5Tequal(stored, file_type(type)) > 0;
  }
  const Owned base(h5->H5Tget_super(stored), h5->H5Tclose);
  return h5->H5Tequal(base, file_type(type)) > 0;
}

bool File::is_compressed(const std::string& dataset) const {
  // Only chunked datasets can be compressed.
  return !compressed_chunk(dataset).empty();
}

std::vector<Size> File::compressed_chunk(const std::string& dataset) const {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  const Owned properties(check(h5->H5Dget_create_plist(data), "read the properties of", dataset),
                         h5->H5Pclose);
  if (h5->H5Pget_nfilters(properties) <= 0) return {};
  // The chunk has as many numbers as the dataset has dimensions, up to 32.
  std::vector<Size> chunk(32);
  const int dimensions = h5->H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  chunk.resize(static_cast<std::size_t>(std::max(dimensions, 0)));
  return chunk;
}

std::vector<std::string> File::value_names(const std::string& dataset) const {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  const Owned type(check(h5->H5Dget_type(data), "read the type of", dataset), h5->H5Tclose);
  std::vector<std::string> names;
  if (h5->H5Tget_class(type) != enumeration_class) return names;
  // The values of an enumeration have an integer type in the file; this program writes int32.
  const Owned base(h5->H5Tget_super(type), h5->H5Tclose);
  if (h5->H5Tequal(base, file_type(Type::int32)) <= 0) return names;
  const int count = h5->H5Tget_nmembers(type);
  names.resize(static_cast<std::size_t>(std::max(count, 0)));
  for (int k = 0; k < count; ++k) {
    std::int32_t value = -1;
    check(h5->H5Tget_member_value(type, static_cast<unsigned>(k), &value), "read the names of",
          dataset);
    char* const name = h5->H5Tget_member_name(type, static_cast<unsigned>(k));
    if (name == nullptr) fail("cannot read the names of " + dataset);
    if (value >= 0 && value < count) names[static_cast<std::size_t>(value)] = name;
    h5->H5free_memory(name);
  }
  return names;
}

Size File::chunk_offset(const std::string& dataset, std::span<const Size> first) const {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  unsigned filters = 0;
  Size offset = undefined_address, size = 0;
  check(h5->H5Dget_chunk_info_by_coord(data, first.data(), &filters, &offset, &size),
        "find a chunk of", dataset);
  if (offset == undefined_address) {
    throw FileError(fmt::format("{}: {} has no space in the file", path_, dataset));
  }
  return offset;
}

void File::transfer(const std::string& dataset, std::span<const Size> first,
                    std::span<const Size> count, Handle memory_type, const void* values) {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  const Owned space(check(h5->H5Dget_space(data), "read the shape of", dataset), h5->H5Sclose);
  check(h5->H5Sselect_hyperslab(space, select_set, first.data(), nullptr, count.data(), nullptr),
        "select in", dataset);
  const Owned memory(h5->H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                     h5->H5Sclose);
  check(h5->H5Dwrite(data, memory_type, memory, space, default_properties, values), "write",
        dataset);
}

void File::write(const std::string& dataset, std::span<const Size> first,
                 std::span<const Size> count, const double* values) {
  transfer(dataset, first, count, InUse()->H5T_NATIVE_DOUBLE_g, values);
}

void File::write(const std::string& dataset, std::span<const Size> first,
                 std::span<const Size> count, const std::int64_t* values) {
  transfer(dataset, first, count, InUse()->H5T_NATIVE_LLONG_g, values);
}

void File::write(const std::string& dataset, std::span<const Size> first,
                 std::span<const Size> count, Type type, const std::byte* values) {
  transfer(dataset, first, count, file_type(type), values);
}

void File::fetch(const std::string& dataset, std::span<const Size> first,
                 std::span<const Size> count, Handle memory_type, void* values) const {
  const InUse h5;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  const Owned space(check(h5->H5Dget_space(data), "read the shape of", dataset), h5->H5Sclose);
  // The library reads one number per dimension, so the dimensions must match first.
  const auto dimensions = check(h5->H5Sget_simple_extent_ndims(space), "shape", dataset);
  if (dimensions != static_cast<Handle>(count.size())) {
    throw FileError(fmt::format("{}: {} has {} dimensions, expected {}", path_, dataset, dimensions,
                                count.size()));
  }
  check(h5->H5Sselect_hyperslab(space, select_set, first.data(), nullptr, count.data(), nullptr),
        "select in", dataset);
  const Owned memory(h5->H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                     h5->H5Sclose);
  check(h5->H5Dread(data, memory_type, memory, space, default_properties, values), "read", dataset);
}

std::vector<double> File::read(const std::string& dataset, std::span<const Size> first,
                               std::span<const Size> count) const {
  std::vector<double> values(product(count));
  if (!values.empty()) fetch(dataset, first, count, InUse()->H5T_NATIVE_DOUBLE_g, values.data());
  return values;
}

std::vector<std::int64_t> File::read_integers(const std::string& dataset,
                                              std::span<const Size> first,
                                              std::span<const Size> count) const {
  std::vector<std::int64_t> values(product(count));
  if (!values.empty()) fetch(dataset, first, count, InUse()->H5T_NATIVE_LLONG_g, values.data());
  return values;
}

std::vector<std::int64_t> File::read_integers(const std::string& dataset) const {
  const InUse h5;
  const std::vector<Size> extent = this->extent(dataset);
  if (extent.size() != 1) {
    throw FileError(
        fmt::format("{}: {} has {} dimensions, expected 1", path_, dataset, extent.size()));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(extent[0]));
  if (values.empty()) return values;
  const Owned data(open_dataset(dataset), h5->H5Dclose);
  check(h5->H5Dread(data, h5->H5T_NATIVE_LLONG_g, whole, whole, default_properties, values.data()),
        "read", dataset);
  return values;
}

}  // namespace sterna::md::hdf5
